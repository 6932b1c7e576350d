package needletail.http.http1

import java.nio.charset.StandardCharsets.ISO_8859_1

import needletail.testing.Suite

/** Response heads, whole, split at every byte and dripping in: what is read and what is refused. */
class ResponseParserSuite extends Suite {

  private def feed(p: ResponseParser, all: Array[Byte], until: Int, shift: Int, toHead: Boolean): Int = {
    val array = new Array[Byte](shift + until + 2)
    System.arraycopy(all, 0, array, shift, until)
    p.parse(array, shift, shift + until, toHead)
  }

  private def outcome(p: ResponseParser, n: Int): String =
    if (n == ResponseParser.More) "more"
    else if (n == ResponseParser.Bad) s"${p.error.status.code}: ${p.error.message}"
    else {
      val h    = p.head
      val body = if (h.chunked) "chunked" else if (h.untilClose) "until close" else h.contentLength.toString
      s"$n ${h.code} 1.${h.minor} $body ${if (h.keepAlive) "keep" else "close"} ${h.toHeaders.toList.mkString}"
    }

  /** The same outcome every way, or the test fails. */
  private def read(text: String, toHead: Boolean = false, maxHead: Int = 1000): String = {
    val all      = text.getBytes(ISO_8859_1)
    val parser   = new ResponseParser(maxHead, 5)
    val expected = outcome(parser, feed(parser, all, all.length, 3, toHead))
    for (split <- 1 until all.length) {
      parser.reset()
      val first = feed(parser, all, split, split % 5, toHead)
      val last  = if (first != ResponseParser.More) first else feed(parser, all, all.length, 7, toHead)
      assertEquals(outcome(parser, last), expected, s"split at $split")
    }
    parser.reset()
    var n       = 0
    var dripped = ResponseParser.More
    while (dripped == ResponseParser.More && n < all.length) {
      n += 1
      dripped = feed(parser, all, n, n % 3, toHead)
    }
    assertEquals(outcome(parser, dripped), expected, "byte by byte")
    expected
  }

  private def head(lines: String): String = lines.replace("\n", "\r\n") + "\r\n\r\n"

  private def refused(lines: String, message: String, code: Int = 400): Unit = {
    val said = read(head(lines))
    assert(said.startsWith(s"$code: ") && said.contains(message), said)
  }

  test("status lines: version, code, any reason or none") {
    assertEquals(read(head("HTTP/1.1 200 OK\nA: b")), "25 200 1.1 until close close (A,b)")
    assertEquals(read(head("HTTP/1.0 404 Not \u00e4 Found\nContent-Length: 0")).take(12), "47 404 1.0 0")
    assertEquals(read(head("HTTP/1.1 204 ")), "17 204 1.1 0 keep ")
    assertEquals(read(head("HTTP/1.1 204")), "16 204 1.1 0 keep ")
    for (code <- Seq(599, 600, 999)) // those from 600 on are for the client to treat as 5xx
      assertEquals(read(head(s"HTTP/1.1 $code x\nContent-Length: 0")).take(7), s"37 $code ")
  }

  test("what is no response is refused at its first wrong byte") {
    val parser = new ResponseParser(1000, 5)
    for (text <- List("X", "HTTP/2", "HTTP/1.2", "HTTP/1.1  ", "HTTP/1.1 2x", "\r\n", "ICY 200")) {
      parser.reset()
      val n = feed(parser, text.getBytes, text.length, 0, toHead = false)
      assertEquals(n, ResponseParser.Bad, text)
    }
    refused("HTTP/1.1 099 x", "not a status code")
    refused("HTTP/1.1 2000 x", "three digits")
    refused("HTTP/1.1 200 O\u0000K", "CRLF")
    refused("HTTP/1.1 200 O\rK", "CRLF")
    assert(read("HTTP/1.1 200 OK\n\r\n\r\n").startsWith("400: "))
  }

  test("framing by the steps of RFC 9112 section 6.3") {
    def framing(lines: String, toHead: Boolean = false) =
      read(head(lines), toHead).split(' ').drop(3).take(1).head
    assertEquals(framing("HTTP/1.1 200 OK\nContent-Length: 7"), "7")
    assertEquals(framing("HTTP/1.1 200 OK\nContent-Length: 7", toHead = true), "0")
    assertEquals(framing("HTTP/1.1 200 OK\nTransfer-Encoding: chunked", toHead = true), "0")
    for (code <- List(100, 103, 204, 304)) {
      assertEquals(framing(s"HTTP/1.1 $code x\nContent-Length: 7"), "0", s"$code")
      assertEquals(framing(s"HTTP/1.1 $code x\nTransfer-Encoding: chunked"), "0", s"$code")
    }
    assertEquals(framing("HTTP/1.1 200 OK\nTransfer-Encoding: , Chunked ,"), "chunked")
    assertEquals(framing("HTTP/1.1 205 x\nContent-Length: 0"), "0")
    refused("HTTP/1.1 200 OK\nContent-Length: 7\nTransfer-Encoding: chunked", "a response must not have both")
    refused("HTTP/1.0 200 OK\nTransfer-Encoding: chunked", "HTTP/1.0")
    refused(
      "HTTP/1.1 200 OK\nTransfer-Encoding: gzip",
      "the last transfer coding of a response must be chunked"
    )
    refused("HTTP/1.1 200 OK\nTransfer-Encoding: chunked, gzip", "must be chunked")
    refused("HTTP/1.1 200 OK\nTransfer-Encoding: gzip, chunked", "only supported transfer coding", code = 501)
    refused("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\nTransfer-Encoding: chunked", "twice")
    refused("HTTP/1.1 200 OK\nContent-Length: 7\nContent-Length: 7", "a response must not have two")
    for (bad <- List("", "+7", "-7", "7 7", "7,7", "0x7", "9223372036854775808"))
      refused(s"HTTP/1.1 200 OK\nContent-Length: $bad", "decimal")
  }

  test("persistence by RFC 9112 section 9.3") {
    def keeps(lines: String) = read(head(lines + "\nContent-Length: 0")).contains(" keep ")
    assert(keeps("HTTP/1.1 200 OK"))
    assert(!keeps("HTTP/1.1 200 OK\nConnection: close"))
    assert(!keeps("HTTP/1.1 200 OK\nConnection: x, Close"))
    assert(!keeps("HTTP/1.0 200 OK"))
    assert(keeps("HTTP/1.0 200 OK\nConnection: Keep-Alive"))
    assert(!keeps("HTTP/1.0 200 OK\nConnection: keep-alive\nConnection: close"))
  }

  test("limits: bytes of the head, field lines") {
    refused("HTTP/1.1 200 OK\nA: b\nA: b\nA: b\nA: b\nA: b\nA: b", "more than 5", code = 431)
    assert(read(head("HTTP/1.1 200 OK\nA: " + "x" * 100), maxHead = 100).startsWith("431: "))
    assert(read(head("HTTP/1.1 200 " + "x" * 100), maxHead = 100).startsWith("431: "))
    // at the limit, not at the byte behind it
    assert(read(head("HTTP/1.1 200 OK\nA: " + "x" * 100).take(100), maxHead = 100).startsWith("431: "))
    assertEquals(read(head("HTTP/1.1 200 OK\nA: " + "x" * 100).take(99), maxHead = 100), "more")
    val exact = head("HTTP/1.1 204 X\nA: " + "x" * 77)
    assertEquals(exact.length, 100)
    assert(read(exact, maxHead = 100).startsWith("100 204 "))
  }

  test("one parser reads answer after answer, and forgets each") {
    val parser = new ResponseParser(1000, 5)
    val first  = head("HTTP/1.1 200 OK\nContent-Length: 9\nConnection: close").getBytes
    val second = head("HTTP/1.1 204 X").getBytes
    assertEquals(feed(parser, first, first.length, 0, toHead = false), first.length)
    assertEquals(feed(parser, second, second.length, 0, toHead = false), second.length)
    assertEquals(outcome(parser, second.length), s"${second.length} 204 1.1 0 keep ")
  }
}
