package needletail.client

import java.util.concurrent.CountDownLatch

import scala.util.Try

import needletail.async.Async
import needletail.io.EventLoop

/** A thread that waits for what a loop is doing. */
private[client] final class Waiting[A] {
  private val done                     = new CountDownLatch(1)
  private var running: Async[A]        = null // the loop's
  private var isCancelled              = false
  @volatile private var result: Try[A] = null

  private def start(body: => Async[A]): Unit =
    if (!isCancelled) {
      running = Async.defer(body)
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

private[client] object Waiting {
  def await[A](loop: EventLoop)(body: => Async[A]): A = {
    val waiting = new Waiting[A]
    loop.execute(() => waiting.start(body))
    try waiting.done.await()
    catch {
      case e: InterruptedException =>
        loop.execute(() => waiting.cancel())
        throw e
    }
    waiting.result.get
  }
}
