package needletail.io

import needletail.io.platform.{Descriptor, Interest, Pollable}

/**
 * Waits until a descriptor that is not a stream, such as that of a process, is readable. Owns the descriptor. To be
 * made and used on the loop's thread.
 *
 * @param happened called once
 * @param ended    called instead if the loop ends first
 */
private[needletail] final class Readiness(number: Int, loop: EventLoop)(
    happened: () => Unit,
    ended: () => Unit
) extends Pollable {
  private object descriptor extends Descriptor { fd = number }
  private var over = false
  loop.watch(descriptor, this, Interest.Read)

  /** Stops waiting: neither function is called. May be called more than once. */
  def close(): Unit = if (!over) {
    over = true
    loop.releaseAtTurnEnd(descriptor)
  }

  private[needletail] def onReady(ready: Int): Unit = if (!over) {
    close()
    happened()
  }
  private[needletail] def failed(cause: Throwable): Unit = ()
  private[needletail] def onLoopEnd(): Unit              = if (!over) {
    close()
    ended()
  }
}
