package needletail.io.loop

/** Something that has begun on a loop, such as a call of a client, and ends with the loop at the latest. */
private[needletail] trait LoopWork {
  private[loop] var nextWork: LoopWork  = null
  private[loop] var priorWork: LoopWork = null

  /** The loop has ended, and this has not: it must, with an error. */
  private[needletail] def loopEnded(): Unit
}

/**
 * What has begun on a loop and has not ended. Whatever else knows it, such as a queue or a connection, may be
 * interrupted by a fatal error just while it passes it on. Linked through the work itself: allocates nothing.
 */
private[needletail] final class UnendedWork {
  private val ring: LoopWork = new LoopWork {
    private[needletail] def loopEnded(): Unit = ()
  }
  ring.nextWork = ring
  ring.priorWork = ring
  private var size = 0

  /** It has begun; it must not be in here already. */
  def begins(work: LoopWork): Unit = {
    val last = ring.priorWork
    work.priorWork = last
    work.nextWork = ring
    last.nextWork = work
    ring.priorWork = work
    size += 1
  }

  /** It has ended; may be called more than once. */
  def ends(work: LoopWork): Unit = if (work.nextWork ne null) {
    work.priorWork.nextWork = work.nextWork
    work.nextWork.priorWork = work.priorWork
    work.nextWork = null
    work.priorWork = null
    size -= 1
  }

  /**
   * Ends all of it, first what has begun first; what that throws goes to `failed`. What begins meanwhile stays: a caller
   * who tries again each time would have no end.
   */
  def endAll(failed: (LoopWork, Throwable) => Unit): Unit = {
    var left = size
    while (left > 0 && size > 0) {
      left -= 1
      val first = ring.nextWork
      ends(first)
      try first.loopEnded()
      catch { case e: Throwable => failed(first, e) }
    }
  }
}
