package needletail.io

/** See Platform.scala. */
private[needletail] abstract class Descriptor {

  /** Its number, for good once it is set; -1 for what the kernel does not know, which only a simulation can watch. */
  private[io] final var fd: Int = -1

  private var open = true

  /** What its Poller is asked to watch it for. */
  private[needletail] var interest = Interest.None

  // The Poller's knowledge of it; see there.
  private[io] var source: Pollable = null
  private[io] var watched = Interest.None // what the kernel reports; 0: it does not know the descriptor
  private[io] var token   = 0             // what tells this watch from earlier ones
  private[io] var ready   = Interest.None // what it may be ready for: too much at times, never too little
  private[io] var queued  = false         // the Poller will come back to it without being told

  /** Octets may be there although a read brought less than it could have. */
  private[io] var unbounded = false

  /** The kernel has said that nothing more can be done until it reports the next change. */
  private[io] def usedUp(bits: Int): Unit = ready &= ~bits

  def close(): Unit =
    if (open) {
      open = false
      // Whatever it answers, the number is free now; trying again could close somebody else's.
      Kernel.close(fd)
      ()
    }

  private[io] def isOpen: Boolean = open
}
