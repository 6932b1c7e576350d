package needletail.server

import java.util.concurrent.RejectedExecutionException
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.{Future, Promise}

import needletail.async.Survivable
import needletail.io.EventLoop

/** What is asked, from any thread, of something that lives on a loop: so much at once and no more. */
private[server] final class LoopQuestions(loop: EventLoop) {
  import LoopQuestions._

  private val waiting = new AtomicInteger

  /** `answer`, computed on the loop; fails when the loop has ended, or too many wait already. */
  def ask[A](answer: => A): Future[A] = {
    val result = Promise[A]()
    if (waiting.incrementAndGet() > MaxWaiting) {
      waiting.decrementAndGet()
      result.failure(new IllegalStateException("too many questions wait for the loop"))
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

private object LoopQuestions {
  private final val MaxWaiting = 1024
}
