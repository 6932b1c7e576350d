package needletail.async

import java.util.concurrent.{CountDownLatch, RejectedExecutionException}

import scala.util.{Failure, Try}

/** A thread that blocks until an operation on a loop completes. */
private[needletail] final class BlockingAwait[A](ended: () => Throwable) {
  private val done                     = new CountDownLatch(1)
  private var running: Async[A]        = null // used on the loop only
  private var isCancelled              = false
  @volatile private var result: Try[A] = null

  private def start(body: => Async[A]): Unit =
    if (!isCancelled) {
      running =
        try Async.defer(body)
        catch {
          case e: Throwable => // fatal: the loop ends with it
            try result = Failure(ended())
            finally done.countDown() // `ended` may lack memory, too
            throw e
        }
      running.onComplete { r =>
        result = r
        done.countDown()
      }
    }

  private def cancel(): Unit = {
    isCancelled = true
    if (running != null) running.cancel()
  }
}

private[needletail] object BlockingAwait {

  /**
   * Runs `body` on the loop and blocks until it completes. Returns its result or throws its failure. Interrupting the
   * thread cancels it and throws InterruptedException; it throws RejectedExecutionException if the loop has ended, and
   * `ended` if it ends as `body` throws a fatal error. Must not be called on an event loop's thread.
   */
  def await[A](loop: Loop, ended: () => Throwable)(body: => Async[A]): A = {
    val waiting = new BlockingAwait[A](ended)
    loop.execute(() => waiting.start(body))
    try loop.block(waiting.done)
    catch {
      case e: InterruptedException =>
        try loop.execute(() => waiting.cancel())
        catch { case _: RejectedExecutionException => () } // the loop has ended, with all it ran
        throw e
    }
    val result = waiting.result
    if (result == null) throw ended()
    result.get
  }
}
