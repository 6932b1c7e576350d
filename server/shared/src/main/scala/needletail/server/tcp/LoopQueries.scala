package needletail.server.tcp

import java.util.concurrent.RejectedExecutionException
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.{Future, Promise}

import needletail.async.Survivable
import needletail.io.EventLoop

/** Queries to an object on a loop, from any thread. The number of pending queries is bounded. */
private[server] final class LoopQueries(loop: EventLoop) {
  import LoopQueries._

  private val waiting = new AtomicInteger

  /**
   * The value of `answer`, computed on the loop. Fails with IllegalStateException if the loop has ended, or too many
   * queries are pending.
   */
  def ask[A](answer: => A): Future[A] = {
    val result = Promise[A]()
    if (waiting.incrementAndGet() > MaxWaiting) {
      waiting.decrementAndGet()
      result.failure(new IllegalStateException("too many queries are pending for the loop"))
    } else
      try
        loop.execute { () =>
          waiting.decrementAndGet()
          try { result.success(answer); () }
          catch { case Survivable(e) => result.failure(e); () }
        }
      catch {
        case _: RejectedExecutionException =>
          waiting.decrementAndGet()
          result.failure(new IllegalStateException("the server has stopped"))
      }
    result.future
  }
}

private object LoopQueries {
  private final val MaxWaiting = 1024
}
