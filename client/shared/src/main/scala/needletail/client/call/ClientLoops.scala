package needletail.client.call

import java.util.concurrent.{ConcurrentHashMap, CountDownLatch, RejectedExecutionException}

import scala.concurrent.Future
import scala.jdk.CollectionConverters._

import needletail.async.{Async, Loop}
import needletail.client.config.ClientConfig
import needletail.client.connection.ClientLoopContext
import needletail.client.pool.{Host, HostRegistry, PerLoopClient}
import needletail.io.{EventLoop, EventLoops}

/**
 * The event loops that a client's calls run on: its own or those lent to it, for calls from other threads, and any
 * loop that a call is made on.
 *
 * @param lent loops for calls from other threads; null: the client starts loops of its own
 */
private[client] final class ClientLoops(config: ClientConfig, lent: EventLoops, hosts: HostRegistry)
    extends CallSender {
  private val states           = new ConcurrentHashMap[EventLoop, PerLoopClient]
  private val mine             = new ThreadLocal[PerLoopClient] // the calling loop's
  private var own: EventLoops  = null                           // started when first needed
  @volatile private var closed = false

  def response(call: Call): Async[ClientResponse] = new BufferedCallExecution(here, call).begin()

  def stream(call: Call): Async[StreamedResponse] = new StreamingCallExecution(here, call).begin()

  def run[A](body: => Async[A]): Future[A] = Async.run(next())(body)

  def await[A](body: => Async[A]): A = {
    if (Loop.currentOrNull != null)
      throw new IllegalStateException(
        "await would block an event loop, and with it every connection of that loop; use the Async, or call it " +
          "inside Async.blocking"
      )
    BlockingAwait.await(next())(body)
  }

  /** Closes the host's unused connections on every loop. */
  def forget(host: Host): Unit = states.asScala.foreach { case (loop, state) =>
    try loop.execute(() => state.forget(host))
    catch { case _: RejectedExecutionException => () } // the loop has ended, and its connections with it
  }

  /**
   * Closes unused connections, fails the calls that wait, and stops the client's own loops. Returns when that is done;
   * on an event loop's thread, at once.
   */
  def close(): Unit = {
    val stopping = synchronized {
      closed = true
      own
    }
    val left = new CountDownLatch(states.size)
    states.asScala.foreach { case (loop, state) =>
      try
        loop.execute { () =>
          state.close()
          mine.remove() // otherwise the loop's thread would keep this client reachable
          left.countDown()
        }
      catch { case _: RejectedExecutionException => left.countDown() }
    }
    if (stopping != null) {
      // a loop must not wait for itself
      if (Loop.currentOrNull == null) left.await()
      stopping.stop()
    }
  }

  /** The calling loop's state. Throws IllegalStateException on a thread that is not an event loop's. */
  private def here: PerLoopClient = {
    val known = mine.get()
    if (known != null && known.context.loop.inLoop) known
    else
      Loop.currentOrNull match {
        case loop: EventLoop =>
          states.keySet.removeIf(l => !l.isAlive)
          var fresh = states.get(loop)
          if (fresh == null) {
            fresh = new PerLoopClient(hosts, new ClientLoopContext(loop, config))
            states.put(loop, fresh)
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

  /** A loop for a call from another thread. */
  private def next(): EventLoop =
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
