package needletail.examples.reference

/**
 * A running SHA-256 (FIPS 180-4), to compare files by. Scala Native's library has no MessageDigest, and OpenSSL is optional
 * there.
 */
final class Sha256 {
  import Sha256._
  private val state  = initial.clone
  private val block  = new Array[Byte](64)
  private val words  = new Array[Int](64)
  private var filled = 0
  private var length = 0L

  def update(bytes: Array[Byte]): Unit = {
    length += bytes.length
    var from = 0
    while (from < bytes.length) {
      val count = Math.min(64 - filled, bytes.length - from)
      System.arraycopy(bytes, from, block, filled, count)
      filled += count
      from += count
      if (filled == 64) compress()
    }
  }

  /** The digest in hexadecimal digits. To be called once. */
  def hex: String = {
    val bits    = length * 8
    val padding = new Array[Byte](if (filled < 56) 64 - filled else 128 - filled)
    padding(0) = 0x80.toByte
    for (i <- 0 until 8) padding(padding.length - 8 + i) = (bits >>> (56 - 8 * i)).toByte
    update(padding)
    state.map(word => ("0000000" + Integer.toHexString(word)).takeRight(8)).mkString
  }

  private def compress(): Unit = {
    filled = 0
    val w = words
    for (i <- 0 until 16)
      w(i) = (block(4 * i) << 24) | ((block(4 * i + 1) & 0xff) << 16) | ((block(4 * i + 2) & 0xff) << 8) |
        (block(4 * i + 3) & 0xff)
    var i = 16
    while (i < 64) {
      val a = w(i - 15)
      val b = w(i - 2)
      w(i) = w(i - 16) + w(i - 7) + (rotate(a, 7) ^ rotate(a, 18) ^ (a >>> 3)) +
        (rotate(b, 17) ^ rotate(b, 19) ^ (b >>> 10))
      i += 1
    }
    var a = state(0); var b = state(1); var c = state(2); var d = state(3)
    var e = state(4); var f = state(5); var g = state(6); var h = state(7)
    i = 0
    while (i < 64) {
      val t1 = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + constants(i) + w(i)
      val t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))
      h = g; g = f; f = e; e = d + t1
      d = c; c = b; b = a; a = t1 + t2
      i += 1
    }
    state(0) += a; state(1) += b; state(2) += c; state(3) += d
    state(4) += e; state(5) += f; state(6) += g; state(7) += h
  }
}

private object Sha256 {
  private def rotate(x: Int, by: Int): Int = (x >>> by) | (x << (32 - by))

  /** The first 32 bits of the fractional parts of the roots of the first primes (§4.2.2, §5.3.3). */
  private val primes    = Iterator.from(2).filter(n => (2 until n).forall(n % _ != 0)).take(64).toArray
  private val initial   = primes.take(8).map(p => fraction(BigInt(p) << 64, 2))
  private val constants = primes.map(p => fraction(BigInt(p) << 96, 3))

  /** The low 32 bits of the integer root of x. */
  private def fraction(x: BigInt, degree: Int): Int = {
    var low  = BigInt(0)
    var high = BigInt(1) << 40
    while (high - low > 1) {
      val middle = (low + high) / 2
      if (middle.pow(degree) <= x) low = middle else high = middle
    }
    low.toInt
  }
}
