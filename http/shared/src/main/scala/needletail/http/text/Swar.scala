package needletail.http.text

import needletail.http.text.Words

/**
 * Operations on eight bytes at a time, as one number with the first byte lowest ("SIMD within a register"). A set of
 * bytes is a number too: the high bit of each byte in the set, all other bits 0.
 *
 * The caller ensures the bounds: a word may be loaded or stored only if eight bytes of the array are left.
 */
private[needletail] object Swar {
  private final val Ones  = 0x0101010101010101L
  private final val Highs = 0x8080808080808080L
  private final val Lows  = 0x7f7f7f7f7f7f7f7fL

  @inline def load(bytes: Array[Byte], at: Int): Long = Words.load(bytes, at)

  /** Throws IndexOutOfBoundsException unless the array has these `count` bytes: for loops of loads and stores. */
  @inline def checkRange(bytes: Array[Byte], from: Int, count: Int): Unit =
    if ((from | count) < 0 || from > bytes.length - count) outOfRange(bytes, from, count)

  @noinline private def outOfRange(bytes: Array[Byte], from: Int, count: Int): Nothing =
    throw new IndexOutOfBoundsException(s"$count bytes from $from on, of ${bytes.length}")

  /** Stores a word; the inverse of `load`. */
  @inline def store(bytes: Array[Byte], at: Int, word: Long): Unit = Words.store(bytes, at, word)

  /** Loads the `count` bytes from `at` on, 1 to 8 of them, with zeros above. They may be the array's last ones. */
  def load(bytes: Array[Byte], at: Int, count: Int): Long =
    if (at + 8 <= bytes.length) Words.load(bytes, at) & (-1L >>> (64 - 8 * count))
    else {
      var word = 0L
      var i    = count - 1
      while (i >= 0) {
        word = (word << 8) | (bytes(at + i) & 0xff)
        i -= 1
      }
      word
    }

  /** How many bytes come before the first one of a set that is not empty. */
  @inline def before(set: Long): Int = java.lang.Long.numberOfTrailingZeros(set) >>> 3

  /** The complement of `set`. */
  @inline def others(set: Long): Long = set ^ Highs

  /** The ASCII letters, of either case. */
  @inline def letters(word: Long): Long = {
    val folded = (word | 0x2020202020202020L) & Lows
    // A byte plus (0x80 - a) has its high bit set if it is at least a; no sum here exceeds one byte.
    (folded + 0x1f * Ones) & ~(folded + 0x05 * Ones) & ~word & Highs
  }

  /** Digits and "/", which precedes them in ASCII. */
  @inline def digitsAndSlash(word: Long): Long = {
    val low = word & Lows
    (low + 0x51 * Ones) & ~(low + 0x46 * Ones) & ~word & Highs
  }

  @inline def hyphens(word: Long): Long = ~(((word & Lows) ^ (0x2d * Ones)) + Lows) & ~word & Highs

  /** The first index of `byte` (ASCII) from `from` on, or `until`. */
  def indexOf(bytes: Array[Byte], byte: Int, from: Int, until: Int): Int = {
    val same = byte * Ones
    var p    = from
    while (p < until && p + 8 <= bytes.length) {
      // The high bit of each byte that is zero. A borrow may wrongly set one after the first, never before it.
      val other = Words.load(bytes, p) ^ same
      val found = (other - Ones) & ~other & Highs
      if (found != 0) return Math.min(p + before(found), until)
      p += 8
    }
    while (p < until && bytes(p) != byte) p += 1
    Math.min(p, until)
  }

  /** As System.arraycopy, without its type checks, for what is copied in each request. */
  @inline def copy(source: Array[Byte], from: Int, target: Array[Byte], at: Int, count: Int): Unit =
    Words.copy(source, from, target, at, count)

  /** Copies all of `source` into `target`, another array, which has room for it from `at` on. */
  @inline def copyAll(source: Array[Byte], target: Array[Byte], at: Int): Unit =
    Words.copyAll(source, target, at)

  /**
   * The same, each byte combined (XOR) with one of the key's four in turn, the lowest first. The arrays may be the same,
   * from the same index.
   */
  def mask(source: Array[Byte], from: Int, target: Array[Byte], at: Int, count: Int, key: Int): Unit = {
    checkRange(source, from, count)
    checkRange(target, at, count)
    Words.mask(source, from, target, at, count, key)
  }

  /** A copy of `count` bytes, combined in the same way. */
  def masked(source: Array[Byte], from: Int, count: Int, key: Int): Array[Byte] = {
    checkRange(source, from, count)
    val copy = new Array[Byte](count)
    Words.mask(source, from, copy, 0, count, key)
    copy
  }
}
