package needletail.http

import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}

import needletail.http.text.{Ascii, ByteWriter, Grammar, Latin1, Utf8Text}
import needletail.testing.Suite

/** Text and bytes, which go several at a time: each length, each character at each place. */
class TextSuite extends Suite {
  private def text(length: Int): String = Array.tabulate(length)(i => ('!' + i % 90).toChar).mkString

  test("Latin-1 of every length, from and to any place") {
    for (length <- 0 to 40; at <- 0 to 9) {
      val expected = text(length)
      val rawBytes = Array.fill[Byte](60)(-1)
      Latin1.encode(expected, rawBytes, at)
      assertEquals(new String(rawBytes, at, length, ISO_8859_1), expected)
      assert(
        rawBytes.take(at).forall(_ == -1) && rawBytes.drop(at + length).forall(_ == -1),
        s"$length at $at"
      )
      assertEquals(Latin1.decode(rawBytes, at, at + length), expected)
    }
    val all = (0 to 255).map(_.toChar).mkString
    assertEquals(Latin1.decode(Array.tabulate(256)(_.toByte), 0, 256), all)
    val rawBytes = new Array[Byte](256)
    Latin1.encode(all, rawBytes, 0)
    assertEquals(rawBytes.toList, List.tabulate(256)(_.toByte))
  }

  test("what is not there is an error") {
    intercept[IndexOutOfBoundsException](Latin1.decode(new Array[Byte](20), 10, 30))
    intercept[IndexOutOfBoundsException](Latin1.encode(text(20), new Array[Byte](20), 1))
  }

  test("UTF-8 with a character that is not ASCII at each place") {
    for (length <- 0 to 40) assertEquals(Utf8Text.decode(text(length).getBytes(UTF_8)), text(length))
    for (
      length <- 1 to 40; at <- 0 until length; other <- List("\u0080", "\u00e9", "\u20ac", "\ud83d\ude00")
    ) {
      val mixed    = text(length).patch(at, other, 1)
      val rawBytes = mixed.getBytes(UTF_8)
      assertEquals(Utf8Text.encode(mixed).toList, rawBytes.toList)
      assertEquals(Utf8Text.decode(rawBytes), mixed)
    }
    for (at <- 0 until 20) {
      val rawBytes = text(20).getBytes(UTF_8)
      rawBytes(at) = -1
      assertEquals(Utf8Text.decode(rawBytes), new String(rawBytes, UTF_8), "malformed")
    }
  }

  test("decimal numbers") {
    val powers  = Iterator.iterate(1L)(_ * 10).take(19).toList
    val numbers = 0L :: Long.MaxValue :: powers.flatMap(p => List(p - 1, p, p + 1, 7 * (p / 8)))
    for (number <- numbers if number >= 0) {
      val w = new ByteWriter(1)
      w.writeDecimal(number)
      assertEquals(new String(w.bytes, 0, w.length, ISO_8859_1), number.toString)
    }
  }

  test("a writer grows to twice its size as far as arrays go") {
    assertEquals(ByteWriter.grown(10, 11, -1), 20)
    assertEquals(ByteWriter.grown(10, 25, -1), 25)
    assertEquals(ByteWriter.grown(10, 11, 15), 15)
    assertEquals(ByteWriter.grown(10, 16, 15), 20)
    val gigabyte = 1 << 30
    assertEquals(ByteWriter.grown(gigabyte, gigabyte + 1, -1), Int.MaxValue - 8)
    assertEquals(ByteWriter.grown(gigabyte, gigabyte + 1, gigabyte + 2L), gigabyte + 2)
    assertEquals(ByteWriter.grown(gigabyte, Int.MaxValue, -1), Int.MaxValue)
  }

  test("a writer refuses more than an array can have, and writes nothing of it") {
    def isRefused(what: => Unit): Boolean =
      try { what; false }
      catch { case _: OutOfMemoryError => true }
    for (most <- Seq(-1L, Long.MaxValue); n <- Seq(3, 20)) {
      val w = new ByteWriter(16)
      w.length = Int.MaxValue - 10 // as if so much had been written
      assert(isRefused(w.ensure(n, most)), (n, most))
      assert(isRefused { val _ = w.roomFor(n, most) }, (n, most))
      assertEquals(w.bytes.length, 16)
    }
  }

  test("names and values of header fields: each character") {
    for (c <- 0 to 300; at <- List(0, 5, 11)) {
      val name  = text(0) + "content-typ" + "e"
      val other = name.patch(at, c.toChar.toString, 1)
      val token = c < 128 && (Character.isLetterOrDigit(c) || "!#$%&'*+-.^_`|~".indexOf(c) >= 0)
      assertEquals(Grammar.isToken(other), token, c.toString)
      assertEquals(Grammar.isFieldValue(other), c == 9 || (c >= 32 && c <= 255 && c != 127), c.toString)
      val same = c < 128 && c.toChar.toLower == name.charAt(at)
      assertEquals(Ascii.same(other, name), same, c.toString)
      if (c < 256) assertEquals(Ascii.same(other.getBytes(ISO_8859_1), 0, 12, name), same, c.toString)
    }
    assert(!Grammar.isToken("") && Grammar.isFieldValue("") && Ascii.same("", ""))
  }

  test("the usual media types are rendered once, the others are as they were set") {
    for (
      value <-
        List(MediaType.Json, MediaType.Bytes, MediaType.Html, "text/plain", "a/b", "text/plain; x=\"y\"")
    ) {
      val headers = Response.ok.contentType(new String(value.toCharArray)).headers
      assertEquals(headers.toList, List("Content-Type" -> value))
      assertEquals(
        Response.ok.contentType(value).headers eq headers,
        value.length > 3 && !value.contains("x=")
      )
    }
    val before = Response.ok.header("X", "1").contentType("text/html").contentType(MediaType.Json)
    assertEquals(before.headers.toList, List("X" -> "1", "Content-Type" -> MediaType.Json))
    for (bad <- List("a/b\r\nX: y", "a/b\u0000", "a/\u0100"))
      intercept[IllegalArgumentException](Response.ok.contentType(bad))
  }
}
