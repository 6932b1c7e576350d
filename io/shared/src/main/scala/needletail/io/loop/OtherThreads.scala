package needletail.io.loop

import java.util.concurrent.RejectedExecutionException
import java.util.concurrent.atomic.AtomicLong

import needletail.async.Loop

/** What other threads than the loop's ask of a connection: it is done on the loop, for each thread in order. */
private[needletail] final class OtherThreads(loop: Loop) {
  private val underWay = new AtomicLong

  /** Bytes of messages that the loop has not come to yet, with what keeping each of them takes. */
  def bytes: Long = underWay.get

  /** Runs `send` on the loop, for a message of that many bytes. Returns false if the loop has ended. */
  def send(length: Int)(send: Runnable): Boolean = {
    val size = length.toLong + OtherThreads.TaskSize
    underWay.addAndGet(size)
    val isTaken = run { () =>
      underWay.addAndGet(-size)
      send.run()
    }
    if (!isTaken) underWay.addAndGet(-size)
    isTaken
  }

  /** Runs `task` on the loop; returns false if that has ended, with its connections. */
  def run(task: Runnable): Boolean =
    try {
      loop.execute(task)
      true
    } catch { case _: RejectedExecutionException => false }
}

private object OtherThreads {

  /** Bytes that a task and a message take about, beside the payload: else short messages would hardly be bounded. */
  private final val TaskSize = 128
}
