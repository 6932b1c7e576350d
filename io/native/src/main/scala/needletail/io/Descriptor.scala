package needletail.io

/** See Platform.scala. */
private[io] abstract class Descriptor(private[io] val fd: Int) {
  private var open = true

  /** What the Poller has told the kernel; 0: it does not know the descriptor. */
  private[io] var interest = Interest.None

  def close(): Unit =
    if (open) {
      open = false
      // Whatever it answers, the number is free now; trying again could close somebody else's.
      Kernel.close(fd)
      ()
    }

  private[io] def isOpen: Boolean = open
}
