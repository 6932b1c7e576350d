package needletail.http

/** A byte array that grows: what encoders write to. The array is reused after `clear`; it may be read between. */
private[needletail] final class ByteWriter(initial: Int) {
  var bytes: Array[Byte] = new Array[Byte](initial)
  var length: Int        = 0

  def clear(): Unit = length = 0

  /** Makes room for `n` octets more. */
  def ensure(n: Int): Unit = if (bytes.length - length < n) grow(n, -1)

  /** The same where `most` octets will come in all, if it is not below 0: not for more than that. */
  def ensure(n: Int, most: Long): Unit = if (bytes.length - length < n) grow(n, most)

  /** How long the array is once there is room for `n` bytes more; `most` as above. */
  def roomFor(n: Int, most: Long): Int =
    if (bytes.length - length >= n) bytes.length
    else {
      val least = length + n
      val room  = Math.max(bytes.length * 2, least)
      if (most >= least && most < room) most.toInt else room
    }

  @noinline private def grow(n: Int, most: Long): Unit =
    bytes = java.util.Arrays.copyOf(bytes, roomFor(n, most))

  /** What was written, in an array of just that length; nothing more may be written then. */
  def taken: Array[Byte] = if (length == bytes.length) bytes else java.util.Arrays.copyOf(bytes, length)

  def write(source: Array[Byte]): Unit = write(source, 0, source.length)

  def write(source: Array[Byte], from: Int, count: Int): Unit = {
    ensure(count)
    Octets.copy(source, from, bytes, length, count)
    length += count
  }

  def writeByte(octet: Int): Unit = {
    ensure(1)
    bytes(length) = octet.toByte
    length += 1
  }

  /** Each character's low octet: for text known to be Latin-1. */
  def writeLatin1(text: String): Unit = {
    val n = text.length
    ensure(n)
    Latin1.encode(text, bytes, length)
    length += n
  }

  /** A field line, of text known to be well formed (RFC 9112 §5). */
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

  /** A number not below 0, in decimal. */
  def writeDecimal(number: Long): Unit = {
    ensure(20)
    var digits = 1
    var next   = 10L // the least number with a digit more
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

  /** A number not below 0, in hexadecimal, as chunk sizes are written. */
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
