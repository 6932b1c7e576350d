package needletail.io

import needletail.io.platform.Fallible

/** What a [[Connection]] leaves to the end of its loop's turn. */
private[io] object ConnectionTurnEnd {

  /** All that was pending has been written, although the kernel has not reported room. */
  final class Flushed(c: Connection) extends Runnable with Fallible {
    def run(): Unit                                    = c.flushed()
    private[needletail] def failed(e: Throwable): Unit = c.failed(e)
  }

  /** It was closed: its descriptor is released, and its handler told. */
  final class Ending(c: Connection) extends Runnable {
    def run(): Unit = c.end()
  }
}
