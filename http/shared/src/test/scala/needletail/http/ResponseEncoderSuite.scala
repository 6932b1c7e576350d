package needletail.http

import needletail.http.message.{Headers, HttpError}
import needletail.http.text.ByteWriter

class ResponseEncoderSuite extends needletail.testing.Suite {
  private val common = ResponseEncoder.common("Date: now\r\n")

  private def head(response: Response, minor: Int = 1, keepAlive: Boolean = true): String = {
    val w = new ByteWriter(1)
    w.writeLatin1("before")
    ResponseEncoder.head(w, response, common, minor, keepAlive)
    new String(w.bytes, 6, w.length - 6, "ISO-8859-1")
  }

  test("a fixed response") {
    assertEquals(
      head(Response.ok("hello")),
      "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 5\r\n\r\n"
    )
    assertEquals(
      head(Response(Status.NotFound)),
      "HTTP/1.1 404 Not Found\r\nDate: now\r\nContent-Length: 0\r\n\r\n"
    )
    assertEquals(head(Response(Status(299))), "HTTP/1.1 299 \r\nDate: now\r\nContent-Length: 0\r\n\r\n")
  }

  test("a response has one Content-Type, however it is set") {
    for (name <- Seq("Content-Type", "content-type")) {
      val response = Response.ok("a,b").header(name, "text/csv").header("X", "1").header("X", "2")
      assertEquals(response.headers.getAll("Content-Type"), List("text/csv"))
      assertEquals(response.headers.getAll("X"), List("1", "2"))
      val more = Response.ok("a,b").header("X", "1").withHeaders(Headers(name -> "text/csv", "X" -> "2"))
      assertEquals(more.headers.getAll("Content-Type"), List("text/csv"))
      assertEquals(more.headers.getAll("X"), List("1", "2"))
    }
  }

  test("responses that share their headers are the same every time") {
    val template = Response.ok.contentType("a/b").header("Date", "never").header("X", "y")
    for (text <- Seq("", "1", "22", "333"))
      assertEquals(
        head(template.text(text)),
        s"HTTP/1.1 200 OK\r\nDate: now\r\nContent-Type: a/b\r\nX: y\r\nContent-Length: ${text.length}\r\n\r\n"
      )
    assert(template.headers.rendered != null)
  }

  test("text of any length, with what is not ASCII at any place, becomes UTF-8") {
    for {
      length <- 0 to 17
      at     <- 0 until Math.max(1, length)
      c      <- Seq("b", "\u007f", "\u0080", "\u0100", "\u0141", "\u20ac", "\ud83d\ude00")
    } {
      val text = ("a" * length).patch(at, c, 1)
      assertEquals(Response.ok(text).content.toSeq, text.getBytes("UTF-8").toSeq)
    }
  }

  test("text counts in bytes of UTF-8") {
    assert(head(Response.ok("\u00e9\u20ac")).contains("\r\nContent-Length: 5\r\n"))
  }

  test("a response sent again and again is the same every time") {
    val response = Response.ok("hello").header("X", "y")
    val first    = head(response)
    (1 to 3).foreach(_ => assertEquals(head(response), first))
    assert(response.rendered != null)
    assertEquals(
      head(response, minor = 0, keepAlive = false),
      first.replace("Date: now\r\n", "Date: now\r\nConnection: close\r\n")
    )
    assertEquals(head(response.header("Z", "1")), first.replace("X: y\r\n", "X: y\r\nZ: 1\r\n"))
  }

  test("the connection is spoken of where the version's default is another") {
    assert(!head(Response.ok).contains("Connection"))
    assert(head(Response.ok, keepAlive = false).contains("\r\nConnection: close\r\n"))
    assert(head(Response.ok, minor = 0).contains("\r\nConnection: keep-alive\r\n"))
    assert(head(Response.ok, minor = 0, keepAlive = false).contains("\r\nConnection: close\r\n"))
  }

  test("what was rendered goes out with its content where that is short") {
    def sent(response: Response, minor: Int = 1, keepAlive: Boolean = true): (Int, String) = {
      val w = new ByteWriter(1)
      val n = ResponseEncoder.whole(w, response, common, minor, keepAlive)
      (n, new String(w.bytes, 0, w.length, "ISO-8859-1"))
    }
    val most = ResponseEncoder.ShortContent
    for (length <- Seq(0, 5, most - 1, most, most + 1, 10 * most)) {
      val response = Response.ok("x" * length)
      assertEquals(sent(response), (-1, ""), "not rendered yet")
      val first = head(response)
      assertEquals(sent(response), (-1, ""))
      head(response)
      assertEquals(
        sent(response),
        if (length <= most) (length, first + "x" * length) else (-1, ""),
        clue(length)
      )
      if (length <= most) assertEquals(sent(response, 0)._2, head(response, 0) + "x" * length)
      assertEquals(head(response), first)
    }
    val none  = Response(Status.NoContent).text("not sent")
    val first = head(none)
    head(none)
    assertEquals(sent(none), (0, first))
    val refusal = Response(Status.ServiceUnavailable).header("Retry-After", "1").text("no").close
    (1 to 2).foreach(_ => head(refusal, keepAlive = false))
    assertEquals(sent(refusal, keepAlive = false), (2, head(refusal, keepAlive = false) + "no"))
    assert(sent(refusal)._2.startsWith("HTTP/1.1 503 Service Unavailable\r\nDate: now\r\nRetry-After: 1\r\n"))
  }

  test("streams: chunked to HTTP/1.1, until the end to 1.0, by length where it is known") {
    def stream = Response.ok.stream(ByteStream.of(Array[Byte](1)))
    assertEquals(head(stream), "HTTP/1.1 200 OK\r\nDate: now\r\nTransfer-Encoding: chunked\r\n\r\n")
    assertEquals(
      head(stream, minor = 0, keepAlive = false),
      "HTTP/1.1 200 OK\r\nDate: now\r\nConnection: close\r\n\r\n"
    )
    assertEquals(
      head(Response.ok.stream(ByteStream.of(Array[Byte](1)), 9876543210L)),
      "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 9876543210\r\n\r\n"
    )
    assertEquals(ResponseEncoder.framing(stream, 1), ResponseEncoder.Chunked)
    assertEquals(ResponseEncoder.framing(stream, 0), ResponseEncoder.UntilClose)
    assertEquals(ResponseEncoder.framing(stream.withStatus(Status.NoContent), 1), ResponseEncoder.Fixed)
  }

  test("statuses without content have no length, 205 has one of zero") {
    assertEquals(head(Response(Status.NoContent)), "HTTP/1.1 204 No Content\r\nDate: now\r\n\r\n")
    assertEquals(
      head(Response(Status.NotModified).text("x").header("ETag", "\"a\"")).contains("Content-Length"),
      false
    )
    assertEquals(
      head(Response(Status.NoContent).stream(ByteStream.of(Array[Byte](1)))).contains("Transfer-Encoding"),
      false
    )
    assertEquals(head(Response(Status.ResetContent).text("x")).contains("\r\nContent-Length: 0\r\n"), true)
  }

  test("a Date set by a handler does not become a second one") {
    assertEquals(
      head(Response.ok.header("date", "then")).split("\r\n").count(_.toLowerCase.startsWith("date")),
      1
    )
  }

  test("numbers") {
    List(0L, 9L, 10L, 99L, 100L, 1234567890L, Long.MaxValue).foreach { n =>
      val w = new ByteWriter(1)
      w.writeDecimal(n)
      assertEquals(new String(w.bytes, 0, w.length, "ISO-8859-1"), n.toString)
    }
    List(0, 1, 9, 10, 15, 16, 255, 256, 4095, 65536, Int.MaxValue).foreach { n =>
      val w = new ByteWriter(1)
      ResponseEncoder.chunkHead(w, n)
      assertEquals(new String(w.bytes, 0, w.length, "ISO-8859-1"), n.toHexString + "\r\n")
    }
  }

  test("an informational status can't be a response, nor can one that is invalid") {
    for (code <- Seq(600, 999)) {
      intercept[IllegalArgumentException](Response(Status(code)))
      intercept[IllegalArgumentException](Response.ok.withStatus(Status(code)))
      assertEquals(Response.of(HttpError(Status(code), "x")).status, Status.InternalServerError)
    }
    intercept[IllegalArgumentException](Response(Status.Continue))
    intercept[IllegalArgumentException](Response.ok.withStatus(Status.EarlyHints))
    intercept[IllegalArgumentException](Status(99))
    intercept[IllegalArgumentException](Status(1000))
  }
}
