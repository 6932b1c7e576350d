package needletail.http.http1

import needletail.http.{Outcome, Wire, WireSuite}

class HeadParserSuite extends WireSuite {

  test("a whole head, field by field") {
    val text =
      "POST /a/b?c=d HTTP/1.1\r\nHost: example.com:8080\r\nX-Empty:\r\nX-Padded: \t two words \t\r\n" +
        "Content-Length: 12\r\n\r\n"
    assertEquals(
      request(text),
      Outcome.Read(
        "POST",
        "/a/b?c=d",
        "/a/b",
        "c=d",
        "example.com:8080",
        1,
        List(
          "Host"           -> "example.com:8080",
          "X-Empty"        -> "",
          "X-Padded"       -> "two words",
          "Content-Length" -> "12"
        ),
        12,
        chunked = false,
        keepAlive = true,
        expectContinue = false,
        text.length
      )
    )
  }

  test("nothing is read beyond the head") {
    val parser = new HeadParser(HeadLimits())
    val text   = Wire.bytes(get() + "\u0000\u0001garbage")
    assertEquals(parser.parse(text, 0, text.length), get().length)
  }

  test("a few empty lines before the request line are passed over, and count as its bytes") {
    assertEquals(request("\r\n\r\n" + get()).length, get().length + 4)
    refused(400, "\r\n" * 5 + get())
    refused(400, "\n" + get())
    refused(400, "\r" + get())
    refused(400, " \r\n" + get())
  }

  test("started says whether a request is under way") {
    val parser = new HeadParser(HeadLimits())
    val text   = Wire.bytes("\r\n" + get())
    assertEquals(parser.started, false)
    parser.parse(text, 0, 2)
    assertEquals(parser.started, false)
    parser.parse(text, 0, 3)
    assertEquals(parser.started, true)
    parser.parse(text, 0, text.length)
    assertEquals(parser.started, false)
  }

  test("each head is another generation") {
    val parser = new HeadParser(HeadLimits())
    val text   = Wire.bytes(get())
    parser.parse(text, 0, 5)
    val first = parser.head.generation
    parser.parse(text, 0, text.length)
    assertEquals(parser.head.generation, first)
    parser.parse(text, 0, text.length)
    assertEquals(parser.head.generation, first + 1)
  }

  test("a refusal stands until reset") {
    val parser = new HeadParser(HeadLimits())
    val wrong  = Wire.bytes("GET\r\n")
    val right  = Wire.bytes(get())
    assertEquals(parser.parse(wrong, 0, wrong.length), HeadParser.Bad)
    assertEquals(parser.parse(right, 0, right.length), HeadParser.Bad)
    parser.reset()
    assertEquals(parser.parse(right, 0, right.length), right.length)
  }

  test("what is wrong is found at the byte that is wrong") {
    val early = List(
      "\u0016"                      -> 400, // a TLS greeting
      "GET /\u0000"                 -> 400,
      "GET / HTTP/3"                -> 0,
      "GET / HTTP/3.0\r\n"          -> 505,
      "GET / HTTP/1.1\r\nA B"       -> 400,
      "GET / HTTP/1.1\r\nA: \u0001" -> 400,
      "GET / HTTP/1.1\r\n "         -> 400
    )
    early.foreach { case (text, status) =>
      assertEquals(
        Wire.read(text),
        if (status == 0) Outcome.More else Outcome.Refused(status): Outcome,
        clue(Wire.show(text))
      )
    }
  }

  test("a long head that drips in is read once, not again with every byte") {
    val text   = Wire.bytes(get(("X: " + "v" * 30000)))
    val parser = new HeadParser(HeadLimits())
    var n      = 0
    var answer = 0
    while (answer == 0) {
      n += 1
      answer = parser.parse(text, 0, n)
    }
    assertEquals(answer, text.length)
  }

  test("field lines are read strictly") {
    List(
      "bare LF"                     -> "GET / HTTP/1.1\nHost: a\n\n",
      "bare LF after a field"       -> "GET / HTTP/1.1\r\nHost: a\n\r\n",
      "bare LF at the end"          -> "GET / HTTP/1.1\r\nHost: a\r\n\n",
      "bare CR in a value"          -> get("X: a\rb"),
      "bare CR before CRLF"         -> get("X: a\r"),
      "CR in a name"                -> get("X\r: a"),
      "NUL in a value"              -> get("X: a\u0000b"),
      "DEL in a value"              -> get("X: a\u007fb"),
      "another control in a value"  -> get("X: a\u000bb"),
      "NUL in a name"               -> get("X\u0000: a"),
      "obs-text in a name"          -> get("X\u00e9: a"),
      "space before the colon"      -> get("X : a"),
      "tab before the colon"        -> get("X\t: a"),
      "space in a name"             -> get("X Y: a"),
      "no colon"                    -> get("X"),
      "an empty name"               -> get(": a"),
      "a folded line"               -> get("X: a", " b"),
      "a folded line, by tab"       -> get("X: a", "\tb"),
      "space before the first line" -> head("GET / HTTP/1.1", " Host: a"),
      "a line of space"             -> get(" "),
      "a name in quotes"            -> get("\"X\": a"),
      "brackets in a name"          -> get("X[]: a")
    ).foreach { case (_, text) => refused(400, text) }
  }

  test("values may hold tabs, obs-text and every visible character") {
    val visible                                      = (0x21 to 0x7e).map(_.toChar).mkString
    assertEquals(request(get("X: a\tb")).fields.last, "X"                                      -> "a\tb")
    assertEquals(request(get("X: \u0080\u00ff")).fields.last, "X"                              -> "\u0080\u00ff")
    assertEquals(request(get(s"X: $visible")).fields.last, "X"                                 -> visible)
    assertEquals(request(get("!#$%&'*+-.^_`|~09azAZ: 1")).fields.last, "!#$%&'*+-.^_`|~09azAZ" -> "1")
    assertEquals(request(get("X:a")).fields.last, "X"                                          -> "a")
    assertEquals(request(get("X: \t ")).fields.last, "X"                                       -> "")
  }

  test("limits hold while a line is still coming") {
    val limits = HeadLimits(maxTarget = 20, maxHead = 120, maxHeaders = 3, maxMethod = 8)
    assertEquals(request(head(s"GET /${"a" * 19} HTTP/1.1", "Host: a"), limits).target.length, 20)
    List(
      414 -> head(s"GET /${"a" * 20} HTTP/1.1", "Host: a"),
      414 -> s"GET /${"a" * 20}",
      414 -> s"GET /?${"a" * 19}",
      414 -> s"GET /aaaaaaaaaaaaaaaaaa%41",
      414 -> s"GET http://a/${"a" * 20}",
      501 -> s"${"M" * 9}",
      431 -> get(s"X: ${"v" * 200}"),
      431 -> s"GET / HTTP/1.1\r\nX: ${"v" * 120}",
      431 -> s"GET / HTTP/1.1\r\n${"n" * 120}",
      431 -> get("A: 1", "B: 2", "C: 3"),
      431 -> "GET / HTTP/1.1\r\nA: 1\r\nB: 2\r\nC: 3\r\nD:"
    ).foreach { case (status, text) => refused(status, text, limits) }
    assertEquals(request(get("A: 1", "B: 2"), limits).fields.length, 3)
    assertEquals(request(head("MMMMMMMM / HTTP/1.1", "Host: a"), limits).method, "M" * 8)
    assertEquals(Wire.read("M" * 8, limits), Outcome.More: Outcome)
  }

  test("a head of just the limit's length is read, one byte more is not") {
    val text = get("X: " + "v" * 100)
    assertEquals(request(text, HeadLimits(maxHead = text.length)).length, text.length)
    refused(431, text, HeadLimits(maxHead = text.length - 1))
    // nor is one more byte waited for
    refused(431, text.dropRight(1), HeadLimits(maxHead = text.length - 1))
    assertEquals(Wire.read(text.dropRight(1), HeadLimits(maxHead = text.length)), Outcome.More: Outcome)
  }

  test("a hundred lines are read") {
    val lines = (2 to 100).map(i => s"X-$i: $i")
    assertEquals(request(get(lines*)).fields.length, 100)
    refused(431, get((lines :+ "X-101: 1")*))
  }
}
