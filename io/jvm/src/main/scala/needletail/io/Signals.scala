package needletail.io

import sun.misc.Signal

/** What the operating system says to the process. */
object Signals {

  /**
   * Calls `f` on some thread whenever SIGTERM or SIGINT comes; the process then does not die by itself any more. The
   * last call's `f` replaces the earlier ones.
   */
  def onTerminate(f: () => Unit): Unit =
    for (name <- List("TERM", "INT")) Signal.handle(new Signal(name), _ => f())
}
