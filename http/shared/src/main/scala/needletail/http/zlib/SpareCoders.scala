package needletail.http.zlib

/** A compressor or decompressor of zlib. */
private[needletail] abstract class RawCoder {

  /** Makes it ready for other data. */
  def reset(): Unit

  /** Releases its memory. It cannot be used afterwards. */
  def end(): Unit
}

/** Coders that are out of use, kept by each thread for the next use, as making one costs much. At most `Most`. */
private[zlib] final class SpareCoders[A <: RawCoder] {
  import SpareCoders.Most

  private val coders = new Array[RawCoder](Most)
  private var count  = 0

  def size: Int = count

  /** The one at `i`, from 0. */
  def apply(i: Int): A = coders(i).asInstanceOf[A]

  /** Keeps a coder, or ends it if there is no room. */
  def give(coder: A): Unit =
    if (count == Most) coder.end()
    else {
      coder.reset()
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
  def byThread[A <: RawCoder]: ThreadLocal[SpareCoders[A]] = new ThreadLocal[SpareCoders[A]] {
    override def initialValue(): SpareCoders[A] = new SpareCoders[A]
  }
}
