package needletail.json

import java.nio.charset.StandardCharsets.UTF_8

/**
 * JSON that is being written, in UTF-8. More than `maxSize` bytes fail, by an exception that the program survives: only
 * this JSON is too long, while memory for it may be there.
 */
private[json] final class JsonOutput(indented: Boolean, maxSize: Int = JsonOutput.MaxSize) {
  private var buffer = new Array[Byte](JsonOutput.FirstSize)
  private var size   = 0
  private var level  = 0

  /** A copy of what has been written. */
  def toBytes: Array[Byte] = java.util.Arrays.copyOf(buffer, size)

  override def toString: String = new String(buffer, 0, size, UTF_8)

  /** As it is; ASCII only. */
  def raw(text: String): Unit = {
    reserve(text.length)
    var i = 0
    while (i < text.length) {
      buffer(size + i) = text.charAt(i).toByte
      i += 1
    }
    size += text.length
  }

  def name(text: String): Unit = {
    quoted(text)
    raw(if (indented) ": " else ":")
  }

  /** The elements, each of which is written by `each`, with commas between them. */
  def list[A](open: Char, values: Vector[A], close: Char)(each: A => Unit): Unit = {
    ascii(open)
    level += 1
    val elements = values.iterator
    var isFirst  = true
    while (elements.hasNext) {
      if (!isFirst) ascii(',')
      isFirst = false
      newLine()
      each(elements.next())
    }
    level -= 1
    if (!isFirst) newLine()
    ascii(close)
  }

  private def newLine(): Unit = if (indented) {
    ascii('\n')
    var i = 0
    while (i < level) {
      raw("  ")
      i += 1
    }
  }

  /**
   * A string (§7). Besides what the grammar requires, escapes U+2028 and U+2029, which end lines in older JavaScript,
   * `<`, so that JSON within a script element of a page cannot end it, and unpaired surrogates, which have no UTF-8.
   */
  def quoted(text: String): Unit = {
    val length = text.length
    reserve(length + 2)
    append('"')
    var i = 0
    while (i < length) {
      val c = text.charAt(i)
      if (isPlain(c)) {
        append(c)
        i += 1
      } else {
        reserve(JsonOutput.LongestEscape + length - i) // the rest, if it is plain, and the quotation mark
        if (isPair(text, i)) {
          pair(Character.toCodePoint(c, text.charAt(i + 1)))
          i += 2
        } else {
          special(c)
          i += 1
        }
      }
    }
    append('"')
  }

  /** ASCII that is not escaped. */
  private def isPlain(c: Char): Boolean = c >= ' ' && c < 0x7f && c != '"' && c != '\\' && c != '<'

  private def isPair(text: String, i: Int): Boolean =
    Character.isHighSurrogate(text.charAt(i)) && i + 1 < text.length && Character.isLowSurrogate(
      text.charAt(i + 1)
    )

  private def special(c: Char): Unit =
    if (c == '"' || c == '\\') {
      append('\\')
      append(c)
    } else if (c == '\n') escape('n')
    else if (c == '\t') escape('t')
    else if (c == '\r') escape('r')
    else if (c < 0x80 || c == 0x2028 || c == 0x2029 || Character.isSurrogate(c)) escaped(c)
    else if (c < 0x800) {
      append((0xc0 | c >> 6).toChar)
      append((0x80 | c & 0x3f).toChar)
    } else {
      append((0xe0 | c >> 12).toChar)
      append((0x80 | c >> 6 & 0x3f).toChar)
      append((0x80 | c & 0x3f).toChar)
    }

  private def pair(codePoint: Int): Unit = {
    append((0xf0 | codePoint >> 18).toChar)
    append((0x80 | codePoint >> 12 & 0x3f).toChar)
    append((0x80 | codePoint >> 6 & 0x3f).toChar)
    append((0x80 | codePoint & 0x3f).toChar)
  }

  private def escape(letter: Char): Unit = {
    append('\\')
    append(letter)
  }

  private def escaped(c: Char): Unit = {
    escape('u')
    var shift = 12
    while (shift >= 0) {
      append(Character.forDigit((c >> shift) & 15, 16))
      shift -= 4
    }
  }

  private def ascii(c: Char): Unit = {
    reserve(1)
    append(c)
  }

  /** A byte for which there is room. */
  private def append(byte: Char): Unit = {
    buffer(size) = byte.toByte
    size += 1
  }

  private def reserve(bytes: Int): Unit = {
    val least = size.toLong + bytes
    if (least > buffer.length) {
      if (least > maxSize) throw new IllegalStateException(s"JSON of more than $maxSize bytes")
      buffer = java.util.Arrays.copyOf(
        buffer,
        Math.min(Math.max(least, buffer.length * 2L), maxSize.toLong).toInt
      )
    }
  }
}

private[json] object JsonOutput {
  private final val FirstSize     = 256
  private final val LongestEscape = 6 // \u0000
  private final val MaxSize       = Int.MaxValue - 8
}
