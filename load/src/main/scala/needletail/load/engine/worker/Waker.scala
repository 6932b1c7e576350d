package needletail.load.engine.worker

/** Wakes event loops when something is due there. */
private[engine] trait Waker {

  /**
   * Called by loop `i`: sets when to wake it, by its clock, and replaces earlier settings.
   *
   * @param next when to wake it after that, unless it sets another time before
   */
  def at(i: Int, due: Long, next: Long = Long.MaxValue): Unit
}
