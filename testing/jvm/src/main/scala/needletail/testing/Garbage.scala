package needletail.testing

import java.lang.ref.WeakReference

/** Has the collector run. */
object Garbage {

  /**
   * Returns when new objects that nothing refers to are collected. Makes garbage until then: a full collection would
   * stop the tests for seconds, as the build shares their heap.
   */
  def collect(): Unit = {
    val marker = new WeakReference(new Object)
    var left   = 8L << 30
    while ((marker.get ne null) && left > 0) {
      last = new Array[Byte](16 << 10)
      left -= last.length
    }
    last = null
    if (marker.get ne null) System.gc()
  }

  /** Returns when what `gone` refers to has been collected: it may have been moved to where collections are rare. */
  def collect(gone: WeakReference[_ <: AnyRef]): Unit = {
    collect()
    if (gone.get ne null) System.gc()
  }

  @volatile private var last: Array[Byte] = _ // so that the compiler cannot do without the arrays
}
