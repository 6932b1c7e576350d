package needletail.http.zlib

/** Coders that are out of use, kept by each thread for the next use, as making one costs much. At most `Most`. */
private[zlib] final class SpareCoders[A <: AnyRef] {
  import SpareCoders.Most

  private val coders = new Array[AnyRef](Most)
  private var count  = 0

  def size: Int       = count
  def isFull: Boolean = count == Most

  /** The one at `i`, from 0. */
  def apply(i: Int): A = coders(i).asInstanceOf[A]

  /** There must be room. */
  def add(coder: A): Unit = {
    coders(count) = coder
    count += 1
  }

  /** Takes the one at `i` out. The last one takes its place. */
  def remove(i: Int): A = {
    val taken = apply(i)
    count -= 1
    coders(i) = coders(count)
    coders(count) = null
    taken
  }
}

private[zlib] object SpareCoders {
  private final val Most = 4

  /** One of each thread. */
  def byThread[A <: AnyRef]: ThreadLocal[SpareCoders[A]] = new ThreadLocal[SpareCoders[A]] {
    override def initialValue(): SpareCoders[A] = new SpareCoders[A]
  }
}
