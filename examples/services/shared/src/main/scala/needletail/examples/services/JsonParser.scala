package needletail.examples.services

/** Parses one JSON value (RFC 8259), strictly and to a bounded depth. */
private[services] final class JsonParser(text: String) {
  import JsonParser.Malformed

  private var at = 0

  def parse(): Either[String, Json] =
    try {
      val result = value(JsonParser.MaxDepth)
      spaces()
      if (at < text.length) fail("nothing more")
      Right(result)
    } catch { case e: Malformed => Left(e.getMessage) }

  private def value(depth: Int): Json = {
    spaces()
    if (depth == 0) throw new Malformed(s"values nested deeper than ${JsonParser.MaxDepth}")
    if (at == text.length) fail("a value")
    text.charAt(at) match {
      case '{' => members(depth)
      case '[' => Json.Arr(list(']')(value(depth - 1))*)
      case '"' => Json.Str(string())
      case 't' => literal("true", Json.Bool(true))
      case 'f' => literal("false", Json.Bool(false))
      case 'n' => literal("null", Json.Null)
      case _   => number()
    }
  }

  private def members(depth: Int): Json =
    Json.Obj(list('}') {
      spaces()
      val name = string()
      spaces()
      expect(':')
      (name, value(depth - 1))
    }*)

  /** The elements, separated by commas, between the bracket that is next and its closing one. */
  private def list[A](close: Char)(each: => A): Vector[A] = {
    at += 1
    spaces()
    val found = Vector.newBuilder[A]
    if (!skip(close)) {
      found += each
      spaces()
      while (skip(',')) {
        found += each
        spaces()
      }
      expect(close)
    }
    found.result()
  }

  private def string(): String = {
    expect('"')
    val out = new java.lang.StringBuilder
    while (at < text.length && text.charAt(at) != '"') {
      val c = text.charAt(at)
      if (c < ' ') fail("no control character")
      at += 1
      out.append(if (c == '\\') escape() else c)
    }
    expect('"')
    out.toString
  }

  private def escape(): Char = {
    if (at == text.length) fail("an escape")
    at += 1
    text.charAt(at - 1) match {
      case 'b'                    => '\b'
      case 'f'                    => '\f'
      case 'n'                    => '\n'
      case 'r'                    => '\r'
      case 't'                    => '\t'
      case c @ ('"' | '\\' | '/') => c
      case 'u'                    =>
        val digits = text.slice(at, at + 4)
        if (digits.length < 4 || !digits.forall(c => Character.digit(c, 16) >= 0 && c < 128))
          fail("four hexadecimal digits")
        at += 4
        Integer.parseInt(digits, 16).toChar
      case _ => fail("an escape")
    }
  }

  /** By the grammar (§6): no leading zeros, digits on both sides of a point. */
  private def number(): Json = {
    val from = at
    skip('-')
    if (!skip('0')) digits()
    if (skip('.')) digits()
    if (skip('e') || skip('E')) {
      if (!skip('+')) skip('-')
      digits()
    }
    Json.Num(text.substring(from, at))
  }

  private def digits(): Unit = {
    val from = at
    while (at < text.length && text.charAt(at) >= '0' && text.charAt(at) <= '9') at += 1
    if (at == from) fail("a value")
  }

  private def literal(word: String, value: Json): Json =
    if (text.startsWith(word, at)) {
      at += word.length
      value
    } else fail("a value")

  private def spaces(): Unit =
    while (at < text.length && " \t\r\n".indexOf(text.charAt(at).toInt) >= 0) at += 1

  private def skip(c: Char): Boolean = {
    val is = at < text.length && text.charAt(at) == c
    if (is) at += 1
    is
  }

  private def expect(c: Char): Unit = if (!skip(c)) fail(s"'$c'")

  private def fail(expected: String): Nothing = throw new Malformed(s"expected $expected at character $at")
}

private object JsonParser {
  private final val MaxDepth = 32

  private final class Malformed(message: String) extends RuntimeException(message, null, false, false)
}
