package needletail.io

/**
 * A program that waits for an end, and is told of signals until then: what `Signals.awaiting` returns. One of the two
 * methods is to be called, once. If nobody else waits then, signals end the process again as they did before, or are
 * told to the function that was passed to `Signals.onTerminate`. So does the one that has come, unless what it was to
 * end has ended.
 */
abstract class SignalWait private[io] () {

  /**
   * Waits until the end.
   *
   * @throws java.lang.InterruptedException if the thread is interrupted; a signal that has come is then still due. On
   *   Native one of the threads that wait, which is told of the signals, cannot be interrupted
   */
  def apply(): Unit

  /** Gives up before waiting. */
  def cancel(): Unit
}
