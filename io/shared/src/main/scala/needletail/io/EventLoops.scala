package needletail.io

import needletail.async.Survivable
import needletail.io.platform.{Platform, PollerKind}
import needletail.io.system.SystemPlatform
import java.util.concurrent.atomic.AtomicInteger
import scala.concurrent.{Future, Promise}

/**
 * A fixed number of event loops, started at once.
 *
 * @param count     at least 1
 * @param name      prefix of the threads' names, which end in `-0`, `-1` and so on
 * @param daemon    whether the threads are daemon threads; if not, they keep the program alive until `stop`
 * @param poller    the system interface to wait with; `pollerName` returns the one in use
 * @param onFailure called on the loop for exceptions that nothing else caught; null: `EventLoop.onFailure` is called
 * @param onFailed  called with a loop's name if it ends without `stop`, by a fatal error of the virtual machine: before
 *                  it closes its connections, and again afterwards unless `stop` has been called. Where memory has run
 *                  out the first call may fail as well
 */
final class EventLoops(
    count: Int,
    name: String = "needletail",
    daemon: Boolean = false,
    poller: PollerKind = PollerKind.Auto,
    private[needletail] val platform: Platform = SystemPlatform,
    onFailure: (String, Throwable) => Unit = null,
    onFailed: String => Unit = _ => ()
) {
  require(count > 0, s"the number of event loops must be positive: $count")

  private val loops   = open()
  private val turn    = new AtomicInteger
  private val ends    = new AtomicInteger(count)
  private val promise = Promise[Unit]()

  @volatile private var stopping = false

  loops.foreach(_.start())

  /** The number of loops. */
  def size: Int = loops.length

  /** The system interface in use: `epoll` or `io_uring`, on the JVM `nio`. */
  def pollerName: String = loops(0).pollerName

  /** The loop with index `i`, from 0. */
  def apply(i: Int): EventLoop = loops(i)

  /** The next loop, round-robin. From any thread. */
  def next(): EventLoop =
    if (loops.length == 1) loops(0) else loops(Math.floorMod(turn.getAndIncrement(), loops.length))

  /**
   * Stops every loop; each closes the connections and listeners it owns. Does not wait. May be called more than once.
   */
  def stop(): Unit = {
    stopping = true
    loops.foreach(_.stop())
  }

  /** Completes when all loops have ended. */
  def stopped: Future[Unit] = promise.future

  private def failed(name: String): Unit = if (!stopping) onFailed(name)

  private def ended(name: String): Unit =
    try failed(name)
    finally if (ends.decrementAndGet() == 0) { promise.trySuccess(()); () }

  /** If a loop cannot be opened, releases those opened before it. */
  private def open(): Array[EventLoop] = {
    val opened = new Array[EventLoop](count)
    try
      for (i <- opened.indices) {
        val own = s"$name-$i" // made now, as there may be no memory for it when it fails
        opened(i) = new EventLoop(
          i,
          own,
          daemon,
          poller,
          () => ended(own),
          platform,
          onFailure,
          () => failed(own)
        )
      }
    catch {
      case Survivable(e) =>
        opened.foreach(loop => if (loop ne null) loop.discard())
        throw e
    }
    opened
  }
}

object EventLoops {

  /**
   * Makes the calling thread an event loop, runs `begin` on it, and returns when that loop has been stopped. For
   * programs that do one thing: starting a thread could take longer than that.
   */
  private[needletail] def here(name: String)(begin: EventLoop => Unit): Unit = {
    val loop = new EventLoop(0, name, daemon = false, PollerKind.Epoll, () => (), SystemPlatform)
    loop.execute(() => begin(loop))
    loop.runHere()
  }
}
