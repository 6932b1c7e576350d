package needletail.io.platform

import needletail.io.kernel.Kernel

/** See Platform.scala. */
private[needletail] abstract class Descriptor {

  /** Its file descriptor, which is set once; -1 if the kernel does not know it, as in the simulation. */
  private[io] final var fd: Int = -1

  private var open = true

  /** The readiness that the Poller watches for. */
  private[needletail] var interest = Interest.None

  // Used by the Poller only.
  private[io] var source: Pollable = null
  private[io] var watched = Interest.None // what the kernel reports, see Interest; 0: it does not watch it
  private[io] var token   = 0             // distinguishes this watch from earlier ones
  private[io] var ready   = Interest.None // what it may be ready for; may be too much, never too little
  private[io] var queued  = false         // whether the Poller will look at it in the next turn anyway

  /** Whether bytes may be left although a read returned fewer than asked for. */
  private[io] var unbounded = false

  /** Whether an error, or the end of both sides, was reported, and the source was not told yet. */
  private[io] var hasFailed = false

  /** The kernel has reported that nothing more can be done until the next change. */
  private[io] def usedUp(bits: Int): Unit = ready &= ~bits

  def close(): Unit =
    if (open) {
      open = false
      // Even after an error the number is free; closing again could close another file.
      Kernel.close(fd)
      ()
    }

  private[io] def isOpen: Boolean = open
}
