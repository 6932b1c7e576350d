package needletail.io

import needletail.async.Survivable
import java.util.concurrent.atomic.AtomicInteger
import scala.concurrent.{Future, Promise}

/**
 * A fixed number of event loops, started at once.
 *
 * Their threads keep the program alive until `stop`, unless they are daemons.
 *
 * @param poller what they are to wait with; `pollerName` tells what it came to
 * @param onFailure told what nobody else caught on one of them, on that loop; null: `EventLoop.onFailure` is
 */
final class EventLoops(
    count: Int,
    name: String = "needletail",
    daemon: Boolean = false,
    poller: PollerKind = PollerKind.Auto,
    private[needletail] val platform: Platform = SystemPlatform,
    onFailure: (String, Throwable) => Unit = null
) {
  require(count > 0, s"the number of event loops must be positive: $count")

  private val loops   = open()
  private val turn    = new AtomicInteger
  private val ends    = new AtomicInteger(count)
  private val promise = Promise[Unit]()
  private val failure = Promise[String]()

  @volatile private var stopping = false

  loops.foreach(_.start())

  def size: Int = loops.length

  /** What they wait with: `epoll` or `io_uring`, on the JVM `nio`. */
  def pollerName: String = loops(0).pollerName

  def apply(i: Int): EventLoop = loops(i)

  /** One after the other, round and round; from any thread. */
  def next(): EventLoop =
    if (loops.length == 1) loops(0) else loops(Math.floorMod(turn.getAndIncrement(), loops.length))

  /** Tells every loop to end: each closes the connections and listeners it owns. May be repeated; does not wait. */
  def stop(): Unit = {
    stopping = true
    loops.foreach(_.stop())
  }

  /** Completed when all loops have ended. */
  def stopped: Future[Unit] = promise.future

  /** Completed with its name when one has ended that nobody had told to: by a fatal error of the virtual machine. */
  def failed: Future[String] = failure.future

  private def failed(name: String): Unit = if (!stopping) { failure.trySuccess(name); () }

  private def ended(name: String): Unit = {
    failed(name)
    if (ends.decrementAndGet() == 0) { promise.trySuccess(()); () }
  }

  /** A loop that cannot get its descriptors must not leave those of its elders behind. */
  private def open(): Array[EventLoop] = {
    val opened = new Array[EventLoop](count)
    try
      for (i <- opened.indices)
        opened(i) = new EventLoop(
          i,
          s"$name-$i",
          daemon,
          poller,
          () => ended(s"$name-$i"),
          platform,
          onFailure,
          () => failed(s"$name-$i")
        )
    catch {
      case Survivable(e) =>
        opened.foreach(loop => if (loop ne null) loop.discard())
        throw e
    }
    opened
  }
}
