package needletail.http.text

/** A byte array that grows as encoders write to it. Its content may be read in `bytes`; `clear` reuses the array. */
private[needletail] final class ByteWriter(initial: Int) {
  var bytes: Array[Byte] = new Array[Byte](initial)
  var length: Int        = 0

  def clear(): Unit = length = 0

  /** Makes room for `n` more bytes. */
  def ensure(n: Int): Unit = if (bytes.length - length < n) grow(n, -1)

  /** Makes room for `n` more bytes. If `most` is not negative, the array grows to at most that many bytes in all. */
  def ensure(n: Int, most: Long): Unit = if (bytes.length - length < n) grow(n, most)

  /** The length of the array once it has room for `n` more bytes; `most` as for `ensure`. */
  def roomFor(n: Int, most: Long): Int =
    if (bytes.length - length >= n) bytes.length
    else ByteWriter.grown(bytes.length, ByteWriter.sum(length, n), most)

  @noinline private def grow(n: Int, most: Long): Unit =
    bytes = java.util.Arrays.copyOf(bytes, roomFor(n, most))

  /** The bytes written, in an array of exactly that length. Nothing may be written afterwards. */
  def taken: Array[Byte] = if (length == bytes.length) bytes else java.util.Arrays.copyOf(bytes, length)

  def write(source: Array[Byte]): Unit = {
    val n = source.length
    ensure(n)
    Swar.copyAll(source, bytes, length)
    length += n
  }

  def write(source: Array[Byte], from: Int, count: Int): Unit = {
    ensure(count)
    Swar.copy(source, from, bytes, length, count)
    length += count
  }

  def writeByte(byte: Int): Unit = {
    ensure(1)
    bytes(length) = byte.toByte
    length += 1
  }

  /** Writes the low byte of each character: for text known to be Latin-1. */
  def writeLatin1(text: String): Unit = {
    val n = text.length
    ensure(n)
    Latin1.encode(text, bytes, length)
    length += n
  }

  /** Writes a field line; name and value are known to be well formed (RFC 9112 §5). */
  def writeField(name: String, value: String): Unit = {
    writeLatin1(name)
    writeByte(':')
    writeByte(' ')
    writeLatin1(value)
    writeCrLf()
  }

  def writeCrLf(): Unit = {
    ensure(2)
    bytes(length) = '\r'
    bytes(length + 1) = '\n'
    length += 2
  }

  /** Writes a number, not negative, in decimal. */
  def writeDecimal(number: Long): Unit = {
    ensure(20)
    var digits = 1
    var next   = 10L // the smallest number with one more digit
    while (digits < 19 && number >= next) {
      digits += 1
      next *= 10
    }
    var at   = length + digits - 1
    var rest = number
    while (at >= length) {
      bytes(at) = ('0' + (rest % 10).toInt).toByte
      rest /= 10
      at -= 1
    }
    length += digits
  }

  /** Writes a number, not negative, in hexadecimal, as in chunk sizes. */
  def writeHex(number: Int): Unit = {
    val digits = Math.max(1, (35 - Integer.numberOfLeadingZeros(number)) / 4)
    ensure(digits)
    var i = digits - 1
    while (i >= 0) {
      bytes(length) = "0123456789abcdef".charAt((number >>> (4 * i)) & 15).toByte
      length += 1
      i -= 1
    }
  }
}

private[http] object ByteWriter {

  /** The largest array that every JVM can allocate. */
  private final val MaxLength = Int.MaxValue - 8

  /** The bytes that an array must have; more than it can have are an OutOfMemoryError, before anything is written. */
  private def sum(length: Int, n: Int): Int = {
    val bytes = length.toLong + n
    if (bytes > MaxLength) throw new OutOfMemoryError("bytes of more than 2 GiB")
    bytes.toInt
  }

  /** The length for an array of `present` bytes that must have `least`: twice as many, if `most` and arrays allow it. */
  private[http] def grown(present: Int, least: Int, most: Long): Int = {
    val room = Math.max(Math.min(present * 2L, MaxLength.toLong), least.toLong)
    (if (most >= least && most < room) most else room).toInt
  }
}
