package needletail.io

import needletail.io.platform.Fallible

/** What a [[Connection]] leaves to the end of its loop's turn. */
private[io] object ConnectionTurnEnd {

  /** The connection. */
  private[io] trait Owner extends Fallible {

    /** All that was pending has been written. */
    private[io] def flushed(): Unit

    /** A write has failed: its handler is told, and what the peer has sent before is read. */
    private[io] def broken(): Unit

    /** It was closed: its descriptor is released, and its handler told. */
    private[io] def end(): Unit
  }

  /** The kernel took what was pending before it reported room. */
  final class Flushed(c: Owner) extends Runnable with Fallible {
    def run(): Unit                                    = c.flushed()
    private[needletail] def failed(e: Throwable): Unit = c.failed(e)
  }

  final class Broken(c: Owner) extends Runnable with Fallible {
    def run(): Unit                                    = c.broken()
    private[needletail] def failed(e: Throwable): Unit = c.failed(e)
  }

  final class Ending(c: Owner) extends Runnable {
    def run(): Unit = c.end()
  }
}
