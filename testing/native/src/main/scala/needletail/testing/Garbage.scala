package needletail.testing

/** Has the collector run. */
object Garbage {

  /** Returns when objects that nothing refers to are collected. */
  def collect(): Unit = System.gc()
}
