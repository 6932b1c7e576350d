package needletail.async

/** All values in order, or the first failure. At least one of `sources` is pending and none has failed. */
private[async] final class Gathered[A](sources: Seq[Async[A]]) extends Combined[Seq[A]] {
  private val values  = new Array[Any](sources.size)
  private val sides   = new Array[Side](values.length) // null if the value was available from the start
  private var missing = 0

  locally {
    var index = 0
    sources.foreach { source =>
      val result = source.resultOrNull
      if (result != null) values(index) = result.value
      else {
        sides(index) = new Side(this, index)
        sides(index).observe(source)
        missing += 1
      }
      index += 1
    }
  }

  def sideSettled(index: Int, result: Result[Any]): Unit =
    if (!result.isValue) abort(Step.same(result))
    else {
      values(index) = result.value
      missing -= 1
      if (missing == 0) settle(new Value(Gathered.seq(values)))
    }

  override private[async] def release(): Unit = sides.foreach(side => if (side != null) side.leave())
}

private[async] object Gathered {

  /** The array as a sequence, which owns it from now on. */
  def seq[A](values: Array[Any]): Seq[A] =
    scala.collection.immutable.ArraySeq.unsafeWrapArray(values).asInstanceOf[Seq[A]]

  def apply[A](sources: Seq[Async[A]]): Async[Seq[A]] = {
    var failed: Result[A] = null
    var open              = false
    sources.foreach { source =>
      val result = source.resultOrNull
      if (result == null) open = true
      else if (!result.isValue && failed == null) failed = result
    }
    if (failed != null) {
      sources.foreach(_.withdrawUnobserved())
      Step.same(failed)
    } else if (open) new Gathered(sources)
    else new Value(seq(sources.iterator.map(_.resultOrNull.value: Any).toArray))
  }
}
