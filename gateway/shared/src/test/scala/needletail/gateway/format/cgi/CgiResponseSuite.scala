package needletail.gateway.format.cgi

import needletail.gateway.Records
import needletail.http.{Headers, Response, Status}
import needletail.testing.Suite

class CgiResponseSuite extends Suite {
  import Records.*

  private def parsed(text: String, parser: CgiResponseParser = new CgiResponseParser()): CgiResponseParser = {
    val bytes = latin1("##" + text + "content")
    val n     = parser.parse(bytes, 2, bytes.length)
    assertEquals(n, text.length, parser.error)
    parser
  }

  private def refused(text: String, parser: CgiResponseParser = new CgiResponseParser()): String = {
    val bytes = latin1(text)
    assertEquals(parser.parse(bytes, 0, bytes.length), CgiResponseParser.Bad, text)
    parser.error
  }

  test("Status is written always, and Content-Length where it is known") {
    def written(response: Response) =
      new String(Records.written(CgiResponse.write(_, response)), "ISO-8859-1")
    assertEquals(
      written(Response.ok("hello").header("X-One", "1")),
      "Status: 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nX-One: 1\r\nContent-Length: 5\r\n\r\n"
    )
    assertEquals(written(Response(Status.NoContent)), "Status: 204 No Content\r\n\r\n")
    assertEquals(
      written(Response(Status(299)).stream(needletail.http.ByteStream.of(latin1("x")))),
      "Status: 299\r\n\r\n"
    )
  }

  test("a header of a handler's that is called Status does not become another status") {
    val text = new String(
      Records.written(CgiResponse.write(
        _,
        Response(Status.NoContent).header("status", "500 Evil").header("X", "y")
      )),
      "ISO-8859-1"
    )
    assertEquals(text, "Status: 204 No Content\r\nX: y\r\n\r\n")
  }

  test("what is written is read") {
    val response = Response(Status.NotFound).text("no such order").header("X-One", "1")
    val head     = parsed(new String(written(CgiResponse.write(_, response)), "ISO-8859-1"))
    assertEquals(head.status, 404)
    assertEquals(head.headers, response.headers.add("Content-Length", "13"))
  }

  test("lines end in LF or CRLF, and mixed") {
    for (text <- List("A: 1\nB: 2\n\n", "A: 1\r\nB: 2\r\n\r\n", "A:1\r\nB: \t2 \n\r\n")) {
      val head = parsed(text)
      assertEquals(head.headers, Headers("A" -> "1", "B" -> "2"))
      assertEquals((head.status, head.hasStatus), (200, false))
    }
  }

  test("a part of a head, of whatever length, needs more, and comes out the same") {
    val text   = "Status: 201 Created\r\nContent-Type: text/plain\nX: y\r\n\r\n"
    val parser = new CgiResponseParser()
    for (n <- 0 until text.length)
      assertEquals(parser.parse(latin1(text), 0, n), CgiResponseParser.More, s"$n bytes")
    assertEquals(parsed(text, parser).status, 201)
    assertEquals(parser.headers, Headers("Content-Type" -> "text/plain", "X" -> "y"))
  }

  test("a head that arrives byte by byte takes linear time") {
    for (text <- List("A: " + "x" * 2000000, "A: " + "x\nA: " * 90 + "x" * 2000000)) {
      val parser = new CgiResponseParser(maxHead = 4000000)
      val bytes  = latin1(text + "\n\n")
      var n      = 0
      while (parser.parse(bytes, 0, n) == CgiResponseParser.More) n += 1
      assertEquals(n, bytes.length)
      assertEquals(parser.headers.size, text.count(_ == '\n') + 1)
    }
  }

  test("Location alone is a redirect: a local one where it is a path") {
    val local = parsed("Location: /other?x=1\n\n")
    assertEquals((local.status, local.localRedirect), (302, "/other?x=1"))
    for (text <- List("Location: http://a/\n\n", "Location: //a/\n\n", "Location: /b\nSet-Cookie: a=b\n\n")) {
      val away = parsed(text)
      assertEquals((away.status, away.localRedirect), (302, null), text)
    }
    val created = parsed("Status: 201\nLocation: /orders/1\n\n")
    assertEquals((created.status, created.localRedirect), (201, null))
  }

  test("what is no head is refused and named") {
    assertEquals(refused("hello world\n\n"), "a header line of the response has no name and colon")
    assertEquals(refused("\nhello"), "the response has no header line")
    assertEquals(refused("Na me: x\n\n"), "a header line of the response has no name and colon")
    assertEquals(refused("A: x\u0000y\n\n"), "a header value of the response contains a control character")
    assertEquals(refused("A: x\ry\n\n"), "a header value of the response contains a control character")
    for (status <- List("", "abc", "20", "2000", "100", "600", "200OK", "+20"))
      assertEquals(
        refused(s"Status: $status\n\n"),
        "the response's Status is not a final status code",
        status
      )
    assertEquals(
      refused("Status: 200\nStatus: 404\n\n"),
      "the response's Status is not a final status code"
    )
  }

  test("a head beyond its bounds is refused") {
    val parser = new CgiResponseParser(maxHead = 20, maxFields = 2)
    assertEquals(
      refused("A: 0123456789 0123456789\n\n", parser),
      "the response's head is longer than 20 bytes"
    )
    assertEquals(refused("A: 1\nB: 2\nC: 3\n\n", parser), "more than 2 header lines")
  }
}
