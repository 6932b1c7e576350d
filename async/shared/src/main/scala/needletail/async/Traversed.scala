package needletail.async

import scala.collection.mutable.ArrayBuffer

/** The results of `f` for `items`, in order, or the first failure; at most `parallelism` are pending at a time. */
private[async] final class Traversed[A, B](items: Iterator[A], parallelism: Int, f: A => Async[B])
    extends Combined[Seq[B]] {
  private val values   = new ArrayBuffer[Any]
  private val sides    = new java.util.HashMap[Integer, Side] // those waited for, by their index
  private var starting = false

  next()

  /** Calls `f` for further items while it may. What completes meanwhile makes room, which the loop below sees. */
  private def next(): Unit = if (!starting && isOpen) {
    starting = true
    try {
      while (isOpen && sides.size < parallelism && hasNext) {
        val index = values.length
        values += null
        val answer =
          try FlatMapped.call(f, items.next())
          catch {
            case Survivable(e) => new Failed(e)
            case e: Throwable  => settleAtEnd(e); throw e
          }
        took(index, answer)
      }
    } finally starting = false
    if (isOpen && sides.isEmpty && !hasNext) settle(new Value(Gathered.seq(values.toArray)))
  }

  private def hasNext: Boolean =
    try items.hasNext
    catch {
      case Survivable(e) =>
        abort(new Failed(e))
        false
      case e: Throwable => settleAtEnd(e); throw e
    }

  private def took(index: Int, answer: Async[B]): Unit = {
    val result = answer.resultOrNull
    if (!isOpen) answer.withdrawUnobserved() // f has cancelled this one
    else if (result == null) {
      val side = new Side(this, index)
      sides.put(index, side)
      side.observe(answer)
    } else if (result.isValue) values(index) = result.value
    else abort(Step.same(result))
  }

  def sideSettled(index: Int, result: Result[Any]): Unit = {
    sides.remove(index)
    if (!result.isValue) abort(Step.same(result))
    else {
      values(index) = result.value
      next()
    }
  }

  override private[async] def release(): Unit = {
    val left = sides.values.toArray(new Array[Side](0))
    sides.clear()
    left.foreach(_.leave())
  }
}
