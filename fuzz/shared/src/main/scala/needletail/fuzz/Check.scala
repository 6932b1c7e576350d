package needletail.fuzz

import java.nio.charset.StandardCharsets.ISO_8859_1

/** Assertions of targets, and helpers that several of them need. */
object Check {
  def apply(holds: Boolean, message: => String): Unit = if (!holds) throw new AssertionError(message)

  def same[A](what: => String, one: A, other: A): Unit =
    if (one != other) throw new AssertionError(s"$what:\n  $one\n  $other")

  def text(bytes: Array[Byte]): String = new String(bytes, ISO_8859_1)
  def bytes(text: String): Array[Byte] = text.getBytes(ISO_8859_1)
}

/** Ways to split input into pieces: each is the successive ends of the pieces. */
object Pieces {

  /** Two pieces, split at every byte of a short input and at some of a long one; and byte by byte. */
  def of(length: Int): Iterator[Array[Int]] = {
    val step = Math.max(1, length / 128)
    Iterator.range(0, length, step).map(cut => Array(cut, length)) ++ Iterator(Array.range(0, length + 1))
  }

  /**
   * Delivers bytes in pieces in an array, as from a socket: `f(array, from, until)` is called for each piece with all
   * bytes so far. They are surrounded by `filler`, so that reading beyond them is detected.
   */
  def feed(data: Array[Byte], ends: Array[Int], filler: Byte)(f: (Array[Byte], Int, Int) => Unit): Unit = {
    val array = Array.fill(data.length + 2 * Margin)(filler)
    var known = 0
    ends.foreach { end =>
      System.arraycopy(data, known, array, Margin + known, end - known)
      known = end
      f(array, Margin, Margin + known)
    }
  }

  private final val Margin = 24
}
