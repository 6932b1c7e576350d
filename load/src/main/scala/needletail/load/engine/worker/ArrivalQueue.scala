package needletail.load.engine.worker

import needletail.load.engine.compiled.CompiledRequest

/**
 * Requests that are due and wait for a connection, the oldest first: a growing ring buffer instead of objects, since
 * there can be very many. Bounded by the timeout, after which a request waits no more.
 */
private[engine] final class ArrivalQueue {
  private var dues     = new Array[Long](64)
  private var requests = new Array[CompiledRequest](64)
  private var values   = new Array[Array[String]](64)
  private var first    = 0
  private var count    = 0

  def size: Int        = count
  def isEmpty: Boolean = count == 0

  // Of the first; only if there is one.
  def due: Long                = dues(first)
  def request: CompiledRequest = requests(first)
  def session: Array[String]   = values(first)

  def add(request: CompiledRequest, session: Array[String], due: Long): Unit = {
    if (count == dues.length) grow()
    val at = (first + count) & (dues.length - 1)
    dues(at) = due
    requests(at) = request
    values(at) = session
    count += 1
  }

  def drop(): Unit = {
    requests(first) = null
    values(first) = null
    first = (first + 1) & (dues.length - 1)
    count -= 1
  }

  private def grow(): Unit = {
    val size = dues.length
    val d    = new Array[Long](2 * size)
    val r    = new Array[CompiledRequest](2 * size)
    val v    = new Array[Array[String]](2 * size)
    var i    = 0
    while (i < count) {
      val from = (first + i) & (size - 1)
      d(i) = dues(from)
      r(i) = requests(from)
      v(i) = values(from)
      i += 1
    }
    dues = d
    requests = r
    values = v
    first = 0
  }
}
