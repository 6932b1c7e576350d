package needletail.gateway.host

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.duration._

import needletail.async.{Loop, Setting}
import needletail.io.{Address, EventLoop}

/**
 * Where requests are handed on to: an address at which a FastCGI or SCGI server listens, several of them, or processes
 * of ours ([[Workers]]). An address may stand where one of these is asked for.
 */
abstract class Upstream private[host] () {
  private[host] def addresses: Seq[Address]

  /** Are they ours, so that one that cannot be reached will be back soon? */
  private[host] def isOurs: Boolean

  /** Is it of use to go there? */
  private[host] def isReady(index: Int): Boolean

  /** One has answered a request to its end. */
  private[host] def worked(index: Int): Unit

  /** One did not answer a request in time. */
  private[host] def stuck(index: Int): Unit

  /** Processes of ours that run, and how often one was started anew. */
  private[host] def processes: Option[(Int, Int)] = None
}

object Upstream {

  /** Each request goes to the one that has the fewest. */
  def apply(first: Address, more: Address*): Upstream = new Upstream {
    private[host] val addresses: Seq[Address]      = first +: more
    private[host] def isOurs: Boolean              = false
    private[host] def isReady(index: Int): Boolean = true
    private[host] def worked(index: Int): Unit     = ()
    private[host] def stuck(index: Int): Unit      = ()
  }

  implicit def at(address: Address): Upstream = Upstream(address)
}

/**
 * How requests are handed on to FastCGI and SCGI servers.
 *
 * @param connections requests under way at once at each address, each on a connection of its own; 0: 32 for an
 *   address, 1 for a process of ours, which is what most of them can do
 * @param multiplex FastCGI: requests at once on one connection, where the server says that it can (FCGI_MPXS_CONNS)
 * @param keep FastCGI: keep connections for the next request
 * @param idleTimeout how long a connection may wait for it
 * @param connectTimeout how long connecting may take; with processes of ours, also how long one is waited for that has
 *   just been started; then 502
 * @param queue requests that may wait for a connection; beyond: 503 with Retry-After
 * @param queueTime how long they may wait; then 503 with Retry-After
 * @param root the directory whose files paths mean, if it is here: the first file on a path is the script
 *   (SCRIPT_FILENAME), what follows is PATH_INFO, and nothing that is not there gets through. None: the whole path
 *   below the mount is PATH_INFO
 * @param extension with `root`: what scripts' names end with, `.php`; other files are 404
 * @param index with `root`: the file that stands for its directory, `index.php`
 * @param front the one file that answers all paths, for programs with a router of their own
 */
final case class UpstreamConfig(
    connections: Int = 0,
    multiplex: Int = 1,
    keep: Boolean = true,
    idleTimeout: FiniteDuration = 30.seconds,
    connectTimeout: FiniteDuration = 2.seconds,
    queue: Int = 256,
    queueTime: FiniteDuration = 2.seconds,
    root: Option[String] = None,
    extension: String = "",
    index: String = "",
    front: Option[String] = None,
    host: HostConfig = HostConfig()
) {
  private def check(): Unit = {
    val is = Setting("UpstreamConfig")
    is.notNegative("connections", connections)
    is.between("multiplex", multiplex, 1, 1024)
    is.positive("idleTimeout", idleTimeout)
    is.positive("connectTimeout", connectTimeout)
    is.notNegative("queue", queue)
    is.notNegative("queueTime", queueTime)
  }
  check()
}

/**
 * One address, for all loops.
 *
 * @param most connections
 * @param roomFor called with how many requests more, or fewer, can be under way
 */
private[host] final class Endpoint(
    val address: Address,
    val index: Int,
    config: UpstreamConfig,
    most: Int,
    roomFor: Int => Unit
) {
  val inFlight: AtomicInteger = new AtomicInteger

  /** Connections on all loops. */
  val open: AtomicInteger = new AtomicInteger

  /** Has it said that it takes several requests on one connection? */
  @volatile var multiplexes: Boolean = false

  /** Is it to be asked? */
  @volatile var isAsked: Boolean = config.multiplex > 1

  def learned(multiplexes: Boolean): Unit = {
    val isNew = synchronized {
      val isNew = this.multiplexes != multiplexes
      this.multiplexes = multiplexes
      isNew
    }
    if (isNew) roomFor(most * (config.multiplex - 1) * (if (multiplexes) 1 else -1))
  }

  /** On the clock of `System.nanoTime`: after a failure others are tried first, until then. */
  @volatile var downUntil: Long = Loop.nanoTime()

  def isDown: Boolean = downUntil - Loop.nanoTime() > 0

  private val pools = new ConcurrentHashMap[EventLoop, FastCgiPool]

  def pool(loop: EventLoop): FastCgiPool = {
    val pool = pools.get(loop)
    if (pool != null) pool
    else {
      pools.keySet.removeIf(loop => !loop.isAlive)
      pools.computeIfAbsent(loop, _ => new FastCgiPool(this, loop, config))
    }
  }

  /** Servers serve as many connections as they have processes: one that idles would keep another from being served. */
  def hasTooMany: Boolean = open.get > most

  /** Another connection is being made. If that is one too many, one that idles on another loop goes. */
  def opened(on: EventLoop): Unit =
    if (open.incrementAndGet() > most)
      pools.forEach { (loop, pool) =>
        if ((loop ne on) && pool.hasIdle)
          try loop.execute(() => pool.closeIdle())
          catch { case _: java.util.concurrent.RejectedExecutionException => () } // the loop's end closes it
      }
}
