package needletail.http.http1

import needletail.http.WireSuite

class FramingSuite extends WireSuite {
  private def post(lines: String*) = head("POST / HTTP/1.1", ("Host: a" +: lines)*)

  test("no field: no content, whatever the method") {
    assertEquals((request(post()).contentLength, request(post()).chunked), (0L, false))
    assertEquals((request(get()).contentLength, request(get()).chunked), (0L, false))
  }

  test("Content-Length: one number in digits") {
    List("0" -> 0L, "1" -> 1L, "00012" -> 12L, "9223372036854775807" -> Long.MaxValue).foreach {
      case (text, n) =>
        assertEquals(request(post(s"Content-Length: $text")).contentLength, n)
        assertEquals(request(get(s"cOnTeNt-LeNgTh:\t$text ")).contentLength, n)
    }
    List(
      "",
      "-1",
      "+1",
      "1.0",
      "1e3",
      "0x10",
      "1 2",
      "1,1",
      "1, 2",
      ",1",
      "1,",
      "a",
      "1a",
      "\"1\"",
      "1;a=b",
      "9223372036854775808",
      "9223372036854775810",
      "99999999999999999999",
      "18446744073709551617", // 2^64 + 1
      "92233720368547758080", // 0 in a Long that has overflowed
      "\u00b2"
    ).foreach(v => refused(400, post(s"Content-Length: $v")))
  }

  test("Transfer-Encoding: chunked, alone and last") {
    List("chunked", "CHUNKED", "Chunked", " chunked\t", "chunked,", ", ,chunked", ",,chunked , ").foreach {
      v =>
        val r = request(post(s"Transfer-Encoding: $v"))
        assertEquals((r.chunked, r.contentLength), (true, -1L))
    }
    assert(request(post("Transfer-Encoding:", "tRANSFER-eNCODING: chunked")).chunked)
    List(
      "",
      ",",
      "gzip",
      "identity",
      "chunked, gzip",
      "chunked, identity",
      "chunked, chunked",
      "chunked;a=b",
      "chunked ; a",
      "gzip, chunked;q=1",
      "xchunked",
      "chunkedx",
      "chunke",
      "c",
      "\"chunked\"",
      "chunked chunked",
      "gzip chunked",
      "chunked\u000b",
      "a;b=\"x,chunked\"",
      "=chunked",
      "(chunked)"
    ).foreach(v => refused(400, post(s"Transfer-Encoding: $v")))
    refused(400, post("Transfer-Encoding: chunked", "Transfer-Encoding: chunked"))
    refused(400, post("Transfer-Encoding: chunked", "Transfer-Encoding: gzip"))
  }

  test("a coding that is not known, before a final chunked: 501") {
    List("gzip, chunked", "identity,chunked", "a;b=c, chunked", "a ; b=\"c\" ,chunked").foreach(v =>
      refused(501, post(s"Transfer-Encoding: $v"))
    )
    refused(501, post("Transfer-Encoding: gzip", "Transfer-Encoding: chunked"))
  }

  test("Connection: HTTP/1.1 persists unless closed, HTTP/1.0 only when asked to") {
    def keeps(version: String, lines: String*) =
      request(head(s"GET / HTTP/$version", ("Host: a" +: lines)*)).keepAlive
    assertEquals(keeps("1.1"), true)
    assertEquals(keeps("1.0"), false)
    List(
      "close",
      "Close",
      "CLOSE",
      "a, close",
      "close, a",
      "a,,close ,b",
      "keep-alive, close",
      "close,keep-alive"
    ).foreach { v =>
      assertEquals(keeps("1.1", s"Connection: $v"), false, clue(v))
      assertEquals(keeps("1.0", s"Connection: $v"), false, clue(v))
    }
    List("", "closed", "clos", "xclose", "close;a", "\"close\"", "upgrade").foreach(v =>
      assertEquals(keeps("1.1", s"Connection: $v"), true, clue(v))
    )
    List("keep-alive", "Keep-Alive", "a, KEEP-ALIVE").foreach(v =>
      assertEquals(keeps("1.0", s"cONNECTION: $v"), true, clue(v))
    )
    List("", "keep-alives", "keepalive", "a").foreach(v =>
      assertEquals(keeps("1.0", s"Connection: $v"), false, clue(v))
    )
    assertEquals(keeps("1.1", "Connection: a", "Connection: close"), false)
    assertEquals(keeps("1.1", "Connections: close", "X-Connection: close", "Connectio: close"), true)
  }

  test("Expect: 100-continue where content follows, ignored in HTTP/1.0, anything else 417") {
    val five = "Content-Length: 5"
    assertEquals(request(post(five, "Expect: 100-continue")).expectContinue, true)
    assertEquals(request(post(five, "expect: 100-Continue,")).expectContinue, true)
    assertEquals(request(post("Transfer-Encoding: chunked", "Expect: 100-CONTINUE")).expectContinue, true)
    assertEquals(request(post("Expect: 100-continue")).expectContinue, false)
    assertEquals(request(post(five)).expectContinue, false)
    assertEquals(request(post(five, "Expect:")).expectContinue, false)
    assertEquals(request(head("POST / HTTP/1.0", five, "Expect: 100-continue")).expectContinue, false)
    assertEquals(request(head("POST / HTTP/1.0", five, "Expect: tea")).expectContinue, false)
    List("tea", "100-continue, tea", "100-continue;a=b", "100", "101-continue").foreach(v =>
      refused(417, post(five, s"Expect: $v"))
    )
  }
}
