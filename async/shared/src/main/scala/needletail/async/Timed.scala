package needletail.async

import java.util.concurrent.RejectedExecutionException

/** Completes after a delay. The loop's timer holds the node itself. */
private[async] final class Sleep(loop: Loop, nanos: Long) extends Pending[Unit] with Runnable {
  private val timer = loop.schedule(nanos, this)

  def run(): Unit = settle(Result.unit)

  override private[async] def release(): Unit = timer.cancel()
}

/** Completes in the loop's next turn. */
private[async] final class Yield(loop: Loop) extends Pending[Unit] with Runnable {
  try loop.execute(this)
  catch { case _: RejectedExecutionException => () } // the loop has ended: there is no next turn

  def run(): Unit = settle(Result.unit)
}
