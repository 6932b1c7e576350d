package needletail.json

import java.nio.charset.StandardCharsets.ISO_8859_1

import needletail.routing.internal.matching.Quote

/** Creates values for what a parser finds. */
private[json] trait JsonBuilder[A] {
  def nothing: A
  def boolean(value: Boolean): A
  def string(value: String): A
  def number(text: String): A
  def arr(values: Vector[A]): A
  def obj(members: Vector[(String, A)]): A
}

/** Parses one value in UTF-8 by the grammar of RFC 8259, within limits. To be used once. */
private[json] final class JsonParser[A](bytes: Array[Byte], limits: JsonLimits, build: JsonBuilder[A]) {
  import JsonParser._

  private var at     = 0
  private var values = 0

  def parse(): Either[JsonError, A] =
    try {
      if (bytes.length > limits.maxBytes) {
        at = limits.maxBytes
        fail(s"more than ${limits.maxBytes} bytes")
      }
      if (bytes.length >= 3 && bytes(0) == 0xef.toByte && bytes(1) == 0xbb.toByte && bytes(2) == 0xbf.toByte)
        fail("unexpected byte order mark")
      spaces()
      val result = value(limits.maxDepth)
      spaces()
      if (at < bytes.length) fail("unexpected data after the end")
      Right(result)
    } catch {
      case e: Malformed => Left(JsonError(e.getMessage, FieldPath.at(bytes, at, enclosing = false), at))
    }

  /** The value that begins here; spaces before it have been skipped. */
  private def value(depth: Int): A = {
    values += 1
    if (values > limits.maxValues) fail(s"more than ${limits.maxValues} values")
    peek match {
      case '{' => obj(deeper(depth))
      case '[' => arr(deeper(depth))
      case '"' => build.string(string())
      case 't' => literal("true", build.boolean(true))
      case 'f' => literal("false", build.boolean(false))
      case 'n' => literal("null", build.nothing)
      case _   => number()
    }
  }

  private def deeper(depth: Int): Int = {
    if (depth == 0) fail(s"nested deeper than ${limits.maxDepth}")
    depth - 1
  }

  private def arr(depth: Int): A = {
    at += 1
    spaces()
    if (skip(']')) build.arr(Vector.empty)
    else {
      val found = Vector.newBuilder[A]
      var more  = true
      while (more) {
        found += value(depth)
        spaces()
        more = continues(']')
      }
      build.arr(found.result())
    }
  }

  private def obj(depth: Int): A = {
    val from = at
    at += 1
    spaces()
    if (skip('}')) build.obj(Vector.empty)
    else {
      val found = Vector.newBuilder[(String, A)]
      var more  = true
      while (more) {
        if (peek != '"') fail("expected a name in quotes")
        val name = string()
        spaces()
        if (!skip(':')) fail("expected ':'")
        spaces()
        found += ((name, value(depth)))
        spaces()
        more = continues('}')
      }
      build.obj(unique(found.result(), from, depth))
    }
  }

  private def unique(members: Vector[(String, A)], from: Int, depth: Int): Vector[(String, A)] =
    UniqueNames.duplicate(members) match {
      case None       => members
      case Some(name) =>
        if (limits.duplicates == DuplicateNames.Last) UniqueNames.last(members)
        else {
          toSecond(name, from, depth)
          fail(s"duplicate member '${Quote(name)}'")
        }
    }

  /**
   * Goes back to the second member of that name in the object that begins at `from`, by reading it once more: places of
   * members are not kept, as hardly any document needs them.
   */
  private def toSecond(name: String, from: Int, depth: Int): Unit = {
    values = 0 // fewer than before: it is only a part
    at = from + 1
    var left = 2
    while (left > 0) {
      spaces()
      val place = at
      if (string() == name) left -= 1
      if (left == 0) at = place
      else {
        spaces()
        skip(':')
        spaces()
        value(depth)
        spaces()
        skip(',')
      }
    }
  }

  /** After an element: true after a comma, and false after `close`. */
  private def continues(close: Char): Boolean =
    if (skip(',')) {
      spaces()
      true
    } else if (skip(close)) false
    else fail(s"expected ',' or '$close'")

  /** The string that begins here. Most are ASCII without escapes, and are copied as they are. */
  private def string(): String = {
    val from = at + 1
    var i    = from
    while (i < bytes.length && isPlain(bytes(i))) i += 1
    if (i < bytes.length && bytes(i) == '"') {
      at = i + 1
      new String(bytes, from, i - from, ISO_8859_1)
    } else {
      val out = new java.lang.StringBuilder(i - from + 16)
      out.append(new String(bytes, from, i - from, ISO_8859_1))
      at = i
      rest(out)
      out.toString
    }
  }

  private def rest(out: java.lang.StringBuilder): Unit = {
    var open = true
    while (open) {
      if (at == bytes.length) fail("unterminated string")
      val b = bytes(at)
      if (b == '"') {
        at += 1
        open = false
      } else if (b == '\\') escape(out)
      else if (b < 0) utf8(out)
      else if (b < ' ') fail("control character in a string")
      else {
        out.append(b.toChar)
        at += 1
      }
    }
  }

  /** An escape (§7). A surrogate must be one of a pair, as others have no UTF-8 (§8.2 leaves them to the parser). */
  private def escape(out: java.lang.StringBuilder): Unit = {
    val from = at
    at += 1
    peek match {
      case 'b'                    => out.append('\b')
      case 'f'                    => out.append('\f')
      case 'n'                    => out.append('\n')
      case 'r'                    => out.append('\r')
      case 't'                    => out.append('\t')
      case c @ ('"' | '\\' | '/') => out.append(c.toChar)
      case 'u'                    =>
        val c = hex(at + 1)
        at += 4
        if (Character.isSurrogate(c)) {
          val second = if (has(at + 1, '\\') && has(at + 2, 'u')) hex(at + 3) else ' '
          if (!Character.isHighSurrogate(c) || !Character.isLowSurrogate(second)) {
            at = from
            fail("unpaired surrogate")
          }
          out.append(c).append(second)
          at += 6
        } else out.append(c)
      case _ =>
        at = from
        fail("unknown escape")
    }
    at += 1
  }

  private def hex(from: Int): Char = {
    var c = 0
    var i = from
    while (i < from + 4) {
      val digit = if (i < bytes.length && bytes(i) > 0) Character.digit(bytes(i).toChar, 16) else -1
      if (digit < 0) {
        at = Math.min(i, bytes.length)
        fail("expected four hexadecimal digits")
      }
      c = c << 4 | digit
      i += 1
    }
    c.toChar
  }

  /** A character of two to four bytes, by the table of well-formed sequences (Unicode, table 3-7). */
  private def utf8(out: java.lang.StringBuilder): Unit = {
    val b    = bytes(at) & 0xff
    val more = if (b >= 0xc2 && b <= 0xdf) 1
    else if (b >= 0xe0 && b <= 0xef) 2 else if (b >= 0xf0 && b <= 0xf4) 3 else 0
    if (more == 0 || at + more >= bytes.length) fail("ill-formed UTF-8")
    val second = bytes(at + 1) & 0xff
    val low    = if (b == 0xe0) 0xa0 else if (b == 0xf0) 0x90 else 0x80
    val high   = if (b == 0xed) 0x9f else if (b == 0xf4) 0x8f else 0xbf
    if (second < low || second > high) fail("ill-formed UTF-8")
    var point = (b & (0x3f >> more)) << 6 | second & 0x3f
    var i     = 2
    while (i <= more) {
      val next = bytes(at + i) & 0xff
      if ((next & 0xc0) != 0x80) fail("ill-formed UTF-8")
      point = point << 6 | next & 0x3f
      i += 1
    }
    out.appendCodePoint(point)
    at += more + 1
  }

  /** By the grammar (§6): no leading zeros, digits on both sides of a point. */
  private def number(): A = {
    val from = at
    val sign = skip('-')
    if (!skip('0')) digits(if (sign) "a digit" else "a value")
    if (skip('.')) digits("a digit")
    if (skip('e') || skip('E')) {
      if (!skip('+')) skip('-')
      digits("a digit")
    }
    if (at - from > limits.maxNumberLength) {
      at = from
      fail(s"a number of more than ${limits.maxNumberLength} characters")
    }
    build.number(new String(bytes, from, at - from, ISO_8859_1))
  }

  private def digits(expected: String): Unit = {
    val from = at
    while (at < bytes.length && bytes(at) >= '0' && bytes(at) <= '9') at += 1
    if (at == from) fail(s"expected $expected")
  }

  private def literal(word: String, value: A): A = {
    var i = 0
    while (i < word.length && has(at + i, word.charAt(i))) i += 1
    if (i < word.length) fail("expected a value")
    at += i
    value
  }

  private def spaces(): Unit =
    while (at < bytes.length && isSpace(bytes(at))) at += 1

  private def skip(c: Char): Boolean = {
    val is = has(at, c)
    if (is) at += 1
    is
  }

  private def has(i: Int, c: Char): Boolean = i < bytes.length && bytes(i) == c
  private def peek: Int                     = if (at < bytes.length) bytes(at).toInt else -1

  private def fail(message: String): Nothing =
    throw new Malformed(if (at >= bytes.length && message.startsWith("expected"))
      s"$message instead of the end"
    else message)
}

private object JsonParser {
  private def isPlain(b: Byte): Boolean = b >= ' ' && b != '"' && b != '\\'
  private def isSpace(b: Byte): Boolean = b == ' ' || b == '\n' || b == '\r' || b == '\t'

  /** Ends the parsing; caught in `parse` alone. */
  private final class Malformed(message: String) extends RuntimeException(message, null, false, false)
}
