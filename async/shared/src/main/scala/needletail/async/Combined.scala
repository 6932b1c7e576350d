package needletail.async

/** One who waits for several: `zip`, `race`, `all`. An observer waits in one list only, so each source gets one of these. */
private[async] final class Side(owner: Combined[_], val index: Int) extends Pending[Nothing] {
  private var source: Pending[_] = null

  def observe(on: Async[_]): Unit = {
    source = on.asInstanceOf[Pending[Any]].open
    source.attach(this)
  }

  override private[async] def settled(result: Result[Any]): Unit = {
    source = null
    owner.sideSettled(index, result)
  }

  def leave(): Unit = if (source != null) {
    val left = source
    source = null
    left.withdraw(this)
  }
}

private[async] abstract class Combined[A] extends Pending[A] {
  def sideSettled(index: Int, result: Result[Any]): Unit
}

/** Both values, or the first failure. */
private[async] final class Zipped[A, B](a: Async[A], b: Async[B]) extends Combined[(A, B)] {
  private val left            = new Side(this, 0)
  private val right           = new Side(this, 1)
  private var seen: Result[_] = null // the value of the side that came first
  left.observe(a)
  right.observe(b)

  def sideSettled(index: Int, result: Result[Any]): Unit =
    if (!result.isValue) abort(Step.same(result))
    else if (seen == null) seen = result
    else {
      val other = seen.value
      settle(new Value((if (index == 0) (result.value, other) else (other, result.value)).asInstanceOf[(
          A,
          B
      )]))
    }

  override private[async] def release(): Unit = {
    left.leave()
    right.leave()
  }
}

/** What the first of two says. */
private[async] final class Raced[A](a: Async[A], b: Async[A]) extends Combined[A] {
  private val left  = new Side(this, 0)
  private val right = new Side(this, 1)
  left.observe(a)
  right.observe(b)

  def sideSettled(index: Int, result: Result[Any]): Unit = abort(result.asInstanceOf[Result[A]])

  override private[async] def release(): Unit = {
    left.leave()
    right.leave()
  }
}

/** All values in order, or the first failure. `sources` has at least one that is open and none that failed. */
private[async] final class Gathered[A](sources: Seq[Async[A]]) extends Combined[Seq[A]] {
  private val values  = new Array[Any](sources.size)
  private val sides   = new Array[Side](values.length) // null where the value was there from the start
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

  /** The array as a sequence, which owns it from here on. */
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
