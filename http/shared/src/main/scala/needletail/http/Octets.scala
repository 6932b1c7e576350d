package needletail.http

/**
 * Octets looked at eight at a time, as one number with the first octet lowest ("SIMD within a register"). Sets of
 * octets are numbers too: the high bit of each octet that is in the set, all other bits 0.
 *
 * The caller sees to the bounds: a word is only loaded where eight octets of the array are left.
 */
private[needletail] object Octets {
  private final val Ones  = 0x0101010101010101L
  private final val Highs = 0x8080808080808080L
  private final val Lows  = 0x7f7f7f7f7f7f7f7fL

  @inline def load(bytes: Array[Byte], at: Int): Long = Words.load(bytes, at)

  /** The `count` octets from `at` on, 1 to 8 of them, above them zeros. They may be the array's last ones. */
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

  /** How many octets come before the first one of a set that is not empty. */
  @inline def before(set: Long): Int = java.lang.Long.numberOfTrailingZeros(set) >>> 3

  /** What is not in `set`. */
  @inline def others(set: Long): Long = set ^ Highs

  /** Letters of ASCII, of either case. */
  @inline def letters(word: Long): Long = {
    val folded = (word | 0x2020202020202020L) & Lows
    // An octet plus (0x80 - a) has its high bit set where it is at least a; no sum here goes beyond one octet.
    (folded + 0x1f * Ones) & ~(folded + 0x05 * Ones) & ~word & Highs
  }

  /** Digits and "/", which precedes them. */
  @inline def digitsAndSlash(word: Long): Long = {
    val low = word & Lows
    (low + 0x51 * Ones) & ~(low + 0x46 * Ones) & ~word & Highs
  }

  @inline def hyphens(word: Long): Long = ~(((word & Lows) ^ (0x2d * Ones)) + Lows) & ~word & Highs

  /** Where `octet` (ASCII) is first, from `from` on, or `until`. */
  def indexOf(bytes: Array[Byte], octet: Int, from: Int, until: Int): Int = {
    val same = octet * Ones
    var p    = from
    while (p < until && p + 8 <= bytes.length) {
      // The high bit of each octet that is zero. A borrow can set one wrongly behind the first, never before it.
      val other = Words.load(bytes, p) ^ same
      val found = (other - Ones) & ~other & Highs
      if (found != 0) return Math.min(p + before(found), until)
      p += 8
    }
    while (p < until && bytes(p) != octet) p += 1
    Math.min(p, until)
  }

  /** As System.arraycopy, for what is on the way of each request: no more than the copy. */
  @inline def copy(source: Array[Byte], from: Int, target: Array[Byte], at: Int, count: Int): Unit =
    Words.copy(source, from, target, at, count)
}
