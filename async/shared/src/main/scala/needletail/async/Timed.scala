package needletail.async

import java.util.concurrent.RejectedExecutionException

import scala.concurrent.duration.FiniteDuration

/** Complete after a while. The loop's timer holds the node itself. */
private[async] final class Sleep(loop: Loop, nanos: Long) extends Pending[Unit] with Runnable {
  private val timer = loop.schedule(nanos, this)

  def run(): Unit = settle(Result.unit)

  override private[async] def release(): Unit = timer.cancel()
}

/** Complete when the loop comes to it. */
private[async] final class Yield(loop: Loop) extends Pending[Unit] with Runnable {
  try loop.execute(this)
  catch { case _: RejectedExecutionException => () } // the loop has ended: it comes to nothing any more

  def run(): Unit = settle(Result.unit)
}

/** What `source` says within `limit`, else [[TimedOut]]. */
private[async] final class Within[A](loop: Loop, from: Async[A], limit: FiniteDuration)
    extends Pending[A]
    with Runnable {
  private val source = from.asInstanceOf[Pending[A]].open
  private val timer  = loop.schedule(limit.toNanos, this)
  source.attach(this)

  def run(): Unit = abort(new Failed(new TimedOut(limit)))

  override private[async] def settled(result: Result[Any]): Unit = {
    timer.cancel()
    settle(result.asInstanceOf[Result[A]])
  }

  override private[async] def release(): Unit = {
    timer.cancel()
    source.withdraw(this)
  }
}
