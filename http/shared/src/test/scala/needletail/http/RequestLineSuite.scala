package needletail.http

import needletail.http.http1.{HeadLimits, HeadParser}

class RequestLineSuite extends WireSuite {
  private def line(text: String) = head(text, "Host: a")

  test("methods: any token, compared with case") {
    List(
      "GET",
      "HEAD",
      "OPTIONS",
      "TRACE",
      "PUT",
      "DELETE",
      "POST",
      "PATCH",
      "PROPFIND",
      "get",
      "G",
      "!#$%&'*+-.^_`|~"
    ).foreach { m =>
      assertEquals(request(line(s"$m / HTTP/1.1")).method, m)
    }
    val parser = new HeadParser(HeadLimits())
    Method.known.filter(_ ne Method.CONNECT).foreach { m =>
      val text = Wire.bytes(line(s"$m / HTTP/1.1"))
      parser.parse(text, 0, text.length)
      assert(parser.head.method eq m)
    }
  }

  test("malformed request lines") {
    List(
      "no target"               -> "GET HTTP/1.1",
      "nothing but a method"    -> "GET",
      "two spaces"              -> "GET  / HTTP/1.1",
      "two spaces at the end"   -> "GET /  HTTP/1.1",
      "space at the end"        -> "GET / HTTP/1.1 ",
      "tab for space"           -> "GET\t/ HTTP/1.1",
      "tab before the version"  -> "GET /\tHTTP/1.1",
      "space at the beginning"  -> " GET / HTTP/1.1",
      "no version"              -> "GET /",
      "a method that is none"   -> "G(T / HTTP/1.1",
      "a colon after it"        -> "GET: / HTTP/1.1",
      "lower case"              -> "GET / http/1.1",
      "no minor"                -> "GET / HTTP/1",
      "two digits of minor"     -> "GET / HTTP/1.10",
      "two digits of major"     -> "GET / HTTP/11.1",
      "another protocol"        -> "GET / HTTQ/1.1",
      "a comma"                 -> "GET / HTTP/1,1",
      "letters"                 -> "GET / HTTP/a.b",
      "a sign"                  -> "GET / HTTP/+1.1",
      "a fragment"              -> "GET /#a HTTP/1.1",
      "a fragment in the query" -> "GET /?a#b HTTP/1.1",
      "a relative path"         -> "GET a HTTP/1.1",
      "a query alone"           -> "GET ?a HTTP/1.1"
    ).foreach { case (_, text) => refused(400, line(text)) }
    refused(400, "GET / HTTP/1.1\n")
    refused(400, "GET / HTTP/1.1\r\r\n")
    // another byte for the LF, with a head behind it that is in order
    for (version <- List("HTTP/1.1", "HTTP/1.0"); byte <- List("X", "\r", " "))
      refused(400, s"GET / $version\r${byte}Host: a\r\n\r\n")
    refused(400, "GET /\r / HTTP/1.1\r\n")
  }

  test("versions") {
    assertEquals(request(line("GET / HTTP/1.0")).minor, 0)
    assertEquals(request(line("GET / HTTP/1.1")).minor, 1)
    assertEquals(request(line("GET / HTTP/1.2")).minor, 1)
    assertEquals(request(line("GET / HTTP/1.9")).minor, 1)
    List("0.9", "2.0", "3.0", "9.9").foreach(v => refused(505, line(s"GET / HTTP/$v")))
    refused(505, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
  }

  test("bytes that a target must not hold raw") {
    ((0 to 0x20) ++ (0x7f to 0xff) ++ "\"<>\\^`{|}[]".map(_.toInt)).filter(_ != ' ').foreach { c =>
      refused(400, line(s"GET /${c.toChar} HTTP/1.1"))
      refused(400, line(s"GET /?${c.toChar} HTTP/1.1"))
      refused(400, line(s"GET http://a/${c.toChar} HTTP/1.1"))
    }
  }

  test("what browsers send raw is let through where that is set") {
    val relaxed = HeadLimits(relaxedTarget = true)
    "|{}^`[]\"<>\\".foreach { c =>
      assertEquals(request(line(s"GET /$c HTTP/1.1"), relaxed).path, s"/$c")
      assertEquals(request(line(s"GET /?$c HTTP/1.1"), relaxed).query, c.toString)
      assertEquals(request(line(s"GET http://a/$c HTTP/1.1"), relaxed).path, s"/$c")
    }
    refused(400, line("GET /# HTTP/1.1"), relaxed)
    refused(400, line("GET /\u00e9 HTTP/1.1"), relaxed)
    refused(400, line("GET http://a[/ HTTP/1.1"), relaxed)
  }

  test("every byte RFC 3986 allows in paths and queries") {
    val path = "/azAZ09-._~!$&'()*+,;=:@//"
    assertEquals(request(line(s"GET $path?/?$path HTTP/1.1")).path, path)
    assertEquals(request(line(s"GET $path?/?$path HTTP/1.1")).query, s"/?$path")
  }

  test("escapes must have two hexadecimal digits and must not be NUL") {
    List("%", "%4", "%4g", "%g4", "%%41", "% 41", "%00", "a%00b", "%+1").foreach { e =>
      refused(400, line(s"GET /$e HTTP/1.1"))
      refused(400, line(s"GET /?$e HTTP/1.1"))
      refused(400, line(s"GET http://a/$e HTTP/1.1"))
    }
  }

  test("origin-form: path and query") {
    def parts(target: String) = {
      val r = request(line(s"GET $target HTTP/1.1"))
      (r.path, r.query)
    }
    assertEquals(parts("/"), ("/", null))
    assertEquals(parts("/?"), ("/", ""))
    assertEquals(parts("/a?b?c"), ("/a", "b?c"))
    assertEquals(parts("//a"), ("//a", null))
    assertEquals(parts("/a?%41=%2f"), ("/a", "%41=%2f")) // queries stay as they were sent
  }

  test("absolute-form: its authority is the request's, whatever Host says") {
    val r = request(line("GET http://example.com:81/p?q HTTP/1.1"))
    assertEquals((r.authority, r.path, r.query), ("example.com:81", "/p", "q"))
    assertEquals(request(line("GET HTTP://example.com HTTP/1.1")).path, "/")
    assertEquals(request(line("GET hTTp://example.com?q HTTP/1.1")).query, "q")
    assertEquals(request(line("GET http://[::1]:80/ HTTP/1.1")).authority, "[::1]:80")
    assertEquals(request(line("GET http://a/b/%2e%2e/%63 HTTP/1.1")).path, "/c")
    refused(400, head("GET http://example.com/ HTTP/1.1"))
    refused(400, head("GET http://example.com/ HTTP/1.1", "Host: a b"))
  }

  test("absolute-form: refused") {
    List(
      "http:///a",
      "http://",
      "http://:80/",
      "http://u@a/",
      "http://u:p@a/",
      "http://a:b/",
      "http://a:99999/",
      "http:/a",
      "http:a",
      "http://[::1/",
      "http://a[b]/",
      "ftp://a/",
      "urn:a",
      "mailto:a@b",
      "a:80",
      "httpx://a/",
      "http://a\\b/"
    ).foreach(t => refused(400, line(s"GET $t HTTP/1.1")))
    List("https://a/", "HTTPS://a", "https://a:443/b?c").foreach(t => refused(421, line(s"GET $t HTTP/1.1")))
    refused(400, line("GET https:///a HTTP/1.1"))
  }

  test("absolute-form: https is accepted on a connection with TLS") {
    val parser = new HeadParser(HeadLimits())
    parser.secure = true
    val text = Wire.bytes(line("GET https://a/b HTTP/1.1"))
    assertEquals(parser.parse(text, 0, text.length), text.length)
  }

  test("authority-form: for CONNECT, which has no other") {
    val r = request(line("CONNECT example.com:443 HTTP/1.1"))
    assertEquals((r.authority, r.path, r.query), ("example.com:443", "", null))
    List("/", "*", "a", "a:", ":80", "http://a/", "a:b", "u@a:80", "a:70000", "a:80/").foreach { t =>
      refused(400, line(s"CONNECT $t HTTP/1.1"))
    }
    refused(400, line("GET example.com:443 HTTP/1.1"))
  }

  test("asterisk-form: for OPTIONS") {
    assertEquals(request(line("OPTIONS * HTTP/1.1")).path, "")
    assertEquals(request(line("OPTIONS / HTTP/1.1")).path, "/")
    assertEquals(request(line("OPTIONS http://a HTTP/1.1")).path, "") // RFC 9112 §3.2.4
    assertEquals(request(line("OPTIONS http://a?q HTTP/1.1")).path, "/")
    refused(400, line("GET * HTTP/1.1"))
    refused(400, line("OPTIONS ** HTTP/1.1"))
    refused(400, line("OPTIONS *?a HTTP/1.1"))
  }
}
