package needletail.client

import java.util.concurrent.{ConcurrentHashMap, CountDownLatch}

import scala.concurrent.Future
import scala.jdk.CollectionConverters._

import needletail.async.{Async, Loop}
import needletail.http._
import needletail.io.{Address, EventLoop, EventLoops}

/**
 * An HTTP/1.1 client: pooled connections, limits on every wait, retries within a budget, a breaker for each host.
 *
 * {{{
 *   val client = Client()
 *   val users  = client.service("http://users:8081")
 *
 *   // on an event loop, such as a handler's: nothing blocks, and it stops when the caller has gone
 *   def page(id: Long)(implicit request: Request): Async[String] = for {
 *     user            <- users.get(s"/users/$id").text
 *     (orders, stock) <- client.get(ordersUrl).text zip client.get(stockUrl).text
 *   } yield user + orders + stock
 *
 *   // on a virtual thread, or any other that may block
 *   val user = users.get("/users/1").await().text
 * }}}
 *
 * One is enough for a program. A call made on an event loop stays on it, on connections which that loop owns; one
 * made elsewhere goes to a loop of the client's own, or of those given to it.
 */
final class Client private (val config: ClientConfig, lent: EventLoops)
    extends Calls
    with AutoCloseable {
  private val hosts            = new ConcurrentHashMap[AnyRef, Host] // by origin, or by addresses too
  private val loops            = new ConcurrentHashMap[EventLoop, ClientLoop]
  private var own: EventLoops  = null                                // made when first needed
  @volatile private var closed = false
  private val mine             = new ThreadLocal[ClientLoop]

  /**
   * A call of that URL: `http://host:port/path?query`, or `http+unix://%2Frun%2Fapp.sock/path` for a Unix socket.
   *
   * @throws java.lang.IllegalArgumentException for what is no such URL, and for CONNECT
   */
  def call(method: Method, url: String)(implicit limit: TimeLimit = TimeLimit.none): Call =
    Url.parse(url) match {
      case Right(parsed) => callOf(hostOf(parsed.origin), method, parsed.target, limit)
      case Left(why)     => throw new IllegalArgumentException(s"$why: '$url'")
    }

  /** A host that is asked often, by its base URL: `http://host:port`. */
  def service(url: String): Service = new Service(this, hostOf(originOf(url)))

  /**
   * A service with several addresses, which share its calls; the URL says what its Host header is. Made once more, with
   * the same URL and addresses, it is the same: breaker, pools and figures are one.
   */
  def service(url: String, addresses: Address*): Service = {
    val origin = originOf(url)
    new Service(
      this,
      known(Service.Key(origin.text, addresses.toList), new Host(origin, addresses, config, isService = true))
    )
  }

  /** Runs what is to run on a loop, from any thread. */
  def run[A](body: => Async[A]): Future[A] = Async.run(loop())(body)

  /**
   * The result of what runs on a loop, for code that may block. Interrupting the thread cancels it.
   *
   * @throws java.lang.IllegalStateException on an event loop's thread, which must not block
   */
  def await[A](body: => Async[A]): A = {
    if (Loop.currentOrNull != null)
      throw new IllegalStateException(
        "await would block an event loop, and with it every connection of that loop; use the Async, or call it " +
          "inside Async.blocking"
      )
    Waiting.await(loop())(body)
  }

  /** What is known of every host, from any thread. */
  def statistics: Seq[HostStatistics] = known.map(_.statistics)

  /** Every host that has been asked, by name. */
  private[client] def known: Seq[Host] = hosts.values.asScala.toSeq.sortBy(_.name)

  /**
   * Closes connections without a request and fails the calls that wait; later calls fail. Those under way come to
   * their end, but that the client's own loops are stopped, and what they do cut off. Returns when that is done.
   */
  def close(): Unit = {
    val stopping = synchronized {
      closed = true
      own
    }
    val left = new CountDownLatch(loops.size)
    loops.asScala.foreach { case (loop, state) =>
      try
        loop.execute { () =>
          state.close()
          mine.remove() // else the loop's thread would keep this client for as long as it lives
          left.countDown()
        }
      catch { case _: java.util.concurrent.RejectedExecutionException => left.countDown() }
    }
    if (stopping != null) {
      // its loops have nobody else's work; from one of them we must not wait for it
      if (Loop.currentOrNull == null) left.await()
      stopping.stop()
    }
  }

  // for calls

  private[client] def callOf(host: Host, method: Method, target: String, limit: TimeLimit): Call = {
    if (method eq Method.CONNECT) throw new IllegalArgumentException("CONNECT is not implemented")
    new Call(
      this,
      if (host.isForgotten) remember(host) else host,
      method,
      target,
      Headers.empty,
      null,
      null,
      -1,
      limit,
      null,
      0
    )
  }

  private def originOf(url: String): Origin =
    Url.origin(url).fold(why => throw new IllegalArgumentException(s"$why: '$url'"), identity)

  private[client] def hostOf(origin: Origin): Host =
    known(origin.text, new Host(origin, List(origin.address), config))

  /** The host of that key, made where there is none. */
  private def known(key: AnyRef, make: => Host): Host = {
    val known = hosts.get(key)
    if (known != null) known else add(make)
  }

  private def add(fresh: Host): Host = {
    if (hosts.size >= config.maxHosts) forgetOne()
    fresh.usedAt = Loop.nanoTime()
    val other = hosts.putIfAbsent(fresh.key, fresh)
    if (other != null) other else fresh
  }

  /** One that was forgotten is used again: it, or the one that was made in its place meanwhile. */
  private[client] def remember(host: Host): Host = {
    val present = add(host)
    if (present eq host) host.isForgotten = false
    present
  }

  /** Makes room: the host used least recently goes, with its idle connections. */
  private def forgetOne(): Unit = {
    val now = Loop.nanoTime()
    hosts.values.asScala.maxByOption(host => now - host.usedAt).foreach(forget)
  }

  private[client] def forget(host: Host): Unit = {
    hosts.remove(host.key, host)
    host.isForgotten = true
    loops.asScala.foreach { case (loop, state) =>
      try loop.execute(() => state.forget(host))
      catch { case _: java.util.concurrent.RejectedExecutionException => () } // and its connections with it
    }
  }

  /** The calling loop's side of this client. */
  private[client] def here: ClientLoop = {
    val known = mine.get()
    if (known != null && known.context.loop.inLoop) known
    else
      Loop.currentOrNull match {
        case loop: EventLoop =>
          loops.keySet.removeIf(l => !l.isAlive)
          var fresh = loops.get(loop)
          if (fresh == null) {
            fresh = new ClientLoop(this, new LoopContext(loop, config))
            loops.put(loop, fresh)
          }
          mine.set(fresh)
          if (closed) fresh.close()
          fresh
        case _ =>
          throw new IllegalStateException(
            "this must be called on an event loop's own thread; use future, await or client.run elsewhere"
          )
      }
  }

  private def loop(): EventLoop =
    if (lent != null) lent.next()
    else
      synchronized {
        if (closed) throw new IllegalStateException("the client is closed")
        if (own == null) {
          val count = if (config.loops > 0) config.loops else Runtime.getRuntime.availableProcessors
          own = new EventLoops(count, "needletail-client", daemon = true)
        }
        own
      }.next()
}

object Client {
  def apply(config: ClientConfig = ClientConfig()): Client = new Client(config, null)

  /** A client whose calls from other threads use these loops; they stay their owner's to stop. */
  def apply(config: ClientConfig, loops: EventLoops): Client = new Client(config, loops)
}
