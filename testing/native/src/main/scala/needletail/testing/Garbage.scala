package needletail.testing

import java.lang.ref.WeakReference

/** Has the collector run. */
object Garbage {

  /** Returns when objects that nothing refers to are collected. */
  def collect(): Unit = System.gc()

  /** Returns when what `gone` refers to has been collected. */
  def collect(gone: WeakReference[_ <: AnyRef]): Unit = {
    collect()
    if (gone.get ne null) collect()
  }
}
