package needletail.http

/** Heads that one reader may end elsewhere than another: all of them are refused, and the connection with them. */
class RequestSmugglingSuite extends WireSuite {
  private def post(lines: String*) = head("POST / HTTP/1.1", ("Host: a" +: lines)*)

  test("both Content-Length and Transfer-Encoding, in any order and case") {
    refused(400, post("Content-Length: 4", "Transfer-Encoding: chunked"))
    refused(400, post("Transfer-Encoding: chunked", "Content-Length: 4"))
    refused(400, post("content-length: 0", "TRANSFER-ENCODING: chunked"))
    refused(400, post("Content-Length: 4", "Transfer-Encoding:"))
    refused(400, post("Content-Length:", "Transfer-Encoding: gzip"))
  }

  test("Content-Length twice, differing or not") {
    refused(400, post("Content-Length: 4", "Content-Length: 5"))
    refused(400, post("Content-Length: 4", "content-length: 4"))
    refused(400, post("Content-Length: 4", "X: y", "Content-Length:"))
  }

  test("a coding in HTTP/1.0") {
    refused(400, head("POST / HTTP/1.0", "Transfer-Encoding: chunked"))
    refused(400, head("POST / HTTP/1.0", "Host: a", "Connection: keep-alive", "Transfer-Encoding: chunked"))
  }

  test("codings that are nearly chunked") {
    List(
      "xchunked",
      "chunked\u0000",
      "chunked;",
      "chun ked",
      "'chunked'",
      "chunked-x",
      "\u000bchunked",
      "chunk",
      "cow"
    ).foreach { v =>
      refused(400, post(s"Transfer-Encoding: $v"))
      refused(400, post(s"Transfer-Encoding: chunked, $v"))
    }
  }

  test("fields hidden by white space, line ends and folds") {
    List(
      "Transfer-Encoding : chunked",
      "Transfer-Encoding\t: chunked",
      " Transfer-Encoding: chunked",
      "\tTransfer-Encoding: chunked",
      "X: y\nTransfer-Encoding: chunked",
      "X: y\rTransfer-Encoding: chunked",
      "X: y\r\n\tTransfer-Encoding: chunked",
      "Transfer-Encoding:\r\n chunked",
      "Transfer-Encoding\r\n: chunked",
      "Transfer-Encoding: chunked\n",
      "\u0000Transfer-Encoding: chunked",
      "Transfer\u00adEncoding: chunked",
      "Content-Length : 4",
      "Content-Length\u0000: 4",
      "Content-Length: 4\n",
      "Content-Length:\r\n 4",
      "Content-Length: 4\r\n 5",
      "Content-Length: \u000b4",
      "Content-Length: 4\u000c"
    ).foreach(l => refused(400, post(l)))
  }

  test("names are compared whole, so neighbours of the framing fields frame nothing") {
    List(
      "Content-Lengt: 4",
      "Content-Lengths: 4",
      "Content_Length: 4",
      "Transfer-Encodin: chunked",
      "Transfer_Encoding: chunked",
      "X-Content-Length: 4"
    ).foreach { l =>
      val r = request(post(l))
      assertEquals((r.contentLength, r.chunked), (0L, false))
    }
  }

  test("a request line smuggled into a target or a value") {
    refused(400, "GET / HTTP/1.1\r\nHost: a\r\nX: y\rGET /admin HTTP/1.1\r\n\r\n")
    refused(400, "GET /\nGET /admin HTTP/1.1\r\nHost: a\r\n\r\n")
    refused(400, "GET / HTTP/1.1 HTTP/1.1\r\nHost: a\r\n\r\n")
    refused(400, "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n")
  }
}
