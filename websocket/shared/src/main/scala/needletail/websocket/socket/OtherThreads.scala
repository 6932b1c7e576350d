package needletail.websocket.socket

import java.util.concurrent.RejectedExecutionException
import java.util.concurrent.atomic.AtomicLong

import needletail.async.Loop

/** What other threads than the loop's ask of a WebSocket: it is done on the loop, for each thread in order. */
private[socket] final class OtherThreads(loop: Loop) {
  private val underWay = new AtomicLong

  /** Bytes of messages that the loop has not come to yet. */
  def bytes: Long = underWay.get

  /** Runs `send` on the loop, for a message of that many bytes. Returns false if the loop has ended. */
  def send(length: Int)(send: Runnable): Boolean = {
    underWay.addAndGet(length.toLong)
    val isTaken = run { () =>
      underWay.addAndGet(-length.toLong)
      send.run()
    }
    if (!isTaken) underWay.addAndGet(-length.toLong)
    isTaken
  }

  /** Runs `task` on the loop; returns false if that has ended, with its connections. */
  def run(task: Runnable): Boolean =
    try {
      loop.execute(task)
      true
    } catch { case _: RejectedExecutionException => false }
}
