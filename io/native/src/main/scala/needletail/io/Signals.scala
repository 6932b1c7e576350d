package needletail.io

/** What the operating system says to the process. */
object Signals {
  @volatile private var action: () => Unit = null // null: not installed yet

  /**
   * Calls `f` on some thread whenever SIGTERM or SIGINT comes; the process then does not die by itself any more. The
   * last call's `f` replaces the earlier ones.
   */
  def onTerminate(f: () => Unit): Unit = synchronized {
    val first = action eq null
    action = f
    if (first) {
      KernelError.check(Kernel.signalOpen())
      // A handler may do next to nothing, so it only wakes this thread.
      val thread = new Thread(() => await(), "needletail-signals")
      thread.setDaemon(true)
      thread.start()
    }
  }

  private def await(): Unit =
    while (Kernel.signalWait() == 0)
      try action()
      catch { case e: Throwable => EventLoop.report("an exception in a signal's action", e) }
}
