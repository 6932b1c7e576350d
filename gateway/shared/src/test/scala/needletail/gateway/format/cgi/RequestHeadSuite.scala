package needletail.gateway.format.cgi

import needletail.gateway.Records
import needletail.http.text.ByteWriter
import needletail.testing.Suite

/** A request's head out of its variables, and what of them is refused: it goes through the parser afterwards. */
class RequestHeadSuite extends Suite {
  private val minimum = Seq("REQUEST_METHOD" -> "GET", "REQUEST_URI" -> "/", "HTTP_HOST" -> "a")

  private def write(pairs: Seq[(String, String)], hasBody: Boolean = false): Either[String, String] = {
    val w       = new ByteWriter(64)
    val problem = new RequestHead(null, isScript = false).write(w, Variables.of(pairs), hasBody)
    if (problem == null) Right(Records.text(w)) else Left(problem.message)
  }

  test("header fields by their names with hyphens, the content's from their own variables") {
    assertEquals(
      write(
        minimum ++ Seq(
          "HTTP_X_FORWARDED_FOR" -> "192.0.2.1",
          "CONTENT_TYPE"         -> "text/plain",
          "CONTENT_LENGTH"       -> "12",
          "HTTP_EMPTY"           -> "",
          "SERVER_SOFTWARE"      -> "x"
        )
      ),
      Right(
        "GET / HTTP/1.1\r\nhost: a\r\nx-forwarded-for: 192.0.2.1\r\ncontent-type: text/plain\r\n" +
          "content-length: 12\r\n\r\n"
      )
    )
  }

  test("fields of the client's connection to the server in front are left out") {
    val left = List(
      "CONNECTION",
      "KEEP_ALIVE",
      "TRANSFER_ENCODING",
      "CONTENT_LENGTH",
      "EXPECT",
      "UPGRADE",
      "CONTENT_TYPE"
    )
    assertEquals(
      write(minimum ++ left.map(name => s"HTTP_$name" -> "chunked")),
      Right("GET / HTTP/1.1\r\nhost: a\r\n\r\n")
    )
  }

  test("content of unknown length is in chunks for the parser") {
    assertEquals(
      write(minimum, hasBody = true),
      Right("GET / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n")
    )
    assertEquals(
      write(minimum :+ ("CONTENT_LENGTH" -> "0"), hasBody = true),
      Right("GET / HTTP/1.1\r\nhost: a\r\n\r\n")
    )
  }

  test("the version is the client's, and an HTTP/1.1 request without a host has the server's") {
    val hostless                             = minimum.filter(_._1 != "HTTP_HOST")
    def text(name: String, protocol: String) =
      write(hostless ++ Seq("SERVER_NAME" -> name, "SERVER_PROTOCOL" -> protocol))
    assertEquals(text("shop.test", "HTTP/1.1"), Right("GET / HTTP/1.1\r\nhost: shop.test\r\n\r\n"))
    assertEquals(text("shop.test", "HTTP/2.0"), Right("GET / HTTP/1.1\r\nhost: shop.test\r\n\r\n"))
    assertEquals(text("shop.test", "HTTP/1.0"), Right("GET / HTTP/1.0\r\n\r\n"))
    assertEquals(
      write(minimum ++ Seq("HTTP_HOST" -> "", "SERVER_NAME" -> "shop.test")), // empty is as good as missing
      Right("GET / HTTP/1.1\r\nhost: shop.test\r\n\r\n")
    )
    assertEquals(text("~^(.*)$", "HTTP/1.1"), Right("GET / HTTP/1.1\r\nhost: \r\n\r\n"))
  }

  test("of variables that came twice the last one counts; two lengths that differ are none") {
    assertEquals(
      write(
        minimum ++ Seq(
          "HTTP_X_REAL_IP" -> "1",
          "CONTENT_TYPE"   -> "a/b",
          "CONTENT_LENGTH" -> "3",
          "HTTP_X_REAL_IP" -> "2",
          "HTTP_HOST"      -> "b",
          "CONTENT_TYPE"   -> "c/d",
          "CONTENT_LENGTH" -> "3"
        )
      ),
      Right("GET / HTTP/1.1\r\nx-real-ip: 2\r\nhost: b\r\ncontent-type: c/d\r\ncontent-length: 3\r\n\r\n")
    )
    for (lengths <- List(List("3", "4"), List("", "3"), List("3", ""), List("3", "4", "3")))
      assertEquals(
        write(minimum ++ lengths.map("CONTENT_LENGTH" -> _)),
        Left("CONTENT_LENGTH must be a number"),
        lengths
      )
  }

  test("what says that the client used TLS") {
    def isSecure(pairs: (String, String)*) = new GatewayRequest(Variables.of(pairs), "").isSecure
    for (value <- List("on", "ON", "1", "true")) assert(isSecure("HTTPS" -> value), value)
    for (value <- List("off", "OFF", "Off", "0", "")) assert(!isSecure("HTTPS" -> value), value)
    assert(!isSecure() && !isSecure("REQUEST_SCHEME" -> "http"))
    assert(isSecure("REQUEST_SCHEME" -> "https") && isSecure("HTTPS" -> "", "REQUEST_SCHEME" -> "https"))
    assert(!isSecure("HTTPS" -> "off", "REQUEST_SCHEME" -> "https"))
  }

  test("addresses, as HTTP would name them") {
    def remote(pairs: (String, String)*) = new GatewayRequest(Variables.of(pairs), "").remoteAddress
    assertEquals(remote("REMOTE_ADDR" -> "192.0.2.1", "REMOTE_PORT" -> "99"), "192.0.2.1:99")
    assertEquals(remote("REMOTE_ADDR" -> "2001:db8::1", "REMOTE_PORT" -> "99"), "[2001:db8::1]:99")
    assertEquals(remote("REMOTE_ADDR" -> "[2001:db8::1]"), "[2001:db8::1]:0")
    // as of a web server that listens on [::] for both
    assertEquals(remote("REMOTE_ADDR" -> "::ffff:192.0.2.1", "REMOTE_PORT" -> "99"), "192.0.2.1:99")
    assertEquals(remote("REMOTE_ADDR" -> "fe80::1%eth0", "REMOTE_PORT" -> "99"), "[fe80::1%eth0]:99")
    assertEquals(remote("REMOTE_ADDR" -> "a.example", "REMOTE_PORT" -> "x"), "a.example:0")
    assertEquals(remote("REMOTE_PORT" -> "99"), "")
    assertEquals(remote("REMOTE_ADDR" -> "unix:"), "unix:")
  }

  test("what would end a line, an element or the head before its time is refused") {
    for (value <- List("a\r\nX: y", "a\nb", "a\rb", "\u007f"))
      assertEquals(
        write(minimum :+ ("HTTP_X" -> value)),
        Left("HTTP_X contains a character that is not allowed in a header value")
      )
    for (name <- List("HTTP_A B", "HTTP_A:", "HTTP_", "HTTP_A\r\n"))
      assertEquals(write(minimum :+ (name -> "x")), Left("a header name must be a token"), name)
    for (method <- List("", "GET /", "GET\r\n", "G\u0001"))
      assertEquals(
        write(("REQUEST_METHOD" -> method) +: minimum.tail),
        Left("REQUEST_METHOD must be a token")
      )
    for (uri <- List("/a b", "/a\r\nX: y", "/\u0001", "/\t"))
      assertEquals(
        write(minimum :+ ("REQUEST_URI" -> uri)),
        Left("the request target contains a byte that must be percent-encoded")
      )
    assertEquals(
      write(minimum :+ ("QUERY_STRING" -> "a HTTP/1.1\r\nX: y")),
      Left("the request target contains a byte that must be percent-encoded")
    )
    for (length <- List("-1", "+1", "1 ", "0x10", "1,1", "9" * 30))
      assertEquals(write(minimum :+ ("CONTENT_LENGTH" -> length)), Left("CONTENT_LENGTH must be a number"))
  }
}

/** CVE-2016-5385: a Proxy header would be the environment's HTTP_PROXY, which programs take their proxy from. */
class HttpoxySuite extends Suite {
  test("a Proxy header never reaches a handler") {
    val w     = new ByteWriter(64)
    val pairs = Seq(
      "REQUEST_METHOD" -> "GET",
      "HTTP_HOST"      -> "a",
      "HTTP_PROXY"     -> "evil.test:80",
      "HTTP_PrOXY"     -> "evil.test:80",
      "HTTP_PROXY_X"   -> "1"
    )
    val problem = new RequestHead(null, isScript = true).write(w, Variables.of(pairs), hasBody = false)
    assertEquals(problem, null)
    assertEquals(Records.text(w), "GET / HTTP/1.1\r\nhost: a\r\nproxy-x: 1\r\n\r\n")
  }

  test("what the server in front says of the body counts, however a field about it is written") {
    val w     = new ByteWriter(64)
    val pairs = Seq(
      "REQUEST_METHOD"         -> "POST",
      "CONTENT_LENGTH"         -> "5",
      "HTTP_HOST"              -> "a",
      "HTTP_Content-Length"    -> "7",
      "HTTP_transfer_Encoding" -> "chunked"
    )
    assertEquals(new RequestHead(null, isScript = true).write(w, Variables.of(pairs), hasBody = true), null)
    assertEquals(Records.text(w), "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\n")
  }
}
