package needletail.io.loop

import needletail.async.{Timer, TimerHeap, TimerNode}

/** A timer that runs a task once. */
private[io] final class ScheduledTask(timers: TimerHeap, task: Runnable) extends TimerNode with Timer {
  private[needletail] def fire(): Unit = task.run()
  def cancel(): Unit                   = timers.remove(this)
}
