package needletail.http

import needletail.http.http1.{HeadLimits, HeadParser}

class HostSuite extends WireSuite {

  test("hosts that are taken") {
    List(
      "example.com",
      "EXAMPLE.com",
      "a",
      "a.b.",
      "localhost:8080",
      "a:",
      "a:0",
      "a:65535",
      "127.0.0.1",
      "127.0.0.1:80",
      "[::1]",
      "[::1]:80",
      "[::]",
      "[2001:db8::7]",
      "[1:2:3:4:5:6:7:8]",
      "[1:2:3:4:5:6:7::]",
      "[::2:3:4:5:6:7:8]",
      "[::ffff:192.0.2.1]",
      "[1:2:3:4:5:6:192.0.2.1]",
      "[v1.a:b]",
      "xn--bcher-kva.example",
      "a_b",
      "a%20b",
      "!$&'()*+,;=",
      "~"
    ).foreach(h => assertEquals(request(head("GET / HTTP/1.1", s"Host: $h")).authority, h))
    assertEquals(request(head("GET / HTTP/1.1", "Host:")).authority, "")
    assertEquals(request(head("GET / HTTP/1.1", "hOsT: \t a \t")).authority, "a")
  }

  test("hosts that are refused") {
    List(
      ":80",
      "a b",
      "a/b",
      "a?b",
      "a#b",
      "u@a",
      "a:b",
      "a:80:80",
      "a:-1",
      "a:+1",
      "a:65536",
      "a:99999999999",
      "http://a",
      "a,b:1:2",
      "[",
      "]",
      "[]",
      "[::1",
      "::1",
      "[::1]a",
      "[::1]:a",
      "[:::1]",
      "[1::2::3]",
      "[12345::]",
      "[1:2:3:4:5:6:7]",
      "[1:2:3:4:5:6:7:8:9]",
      "[1:2:3:4:5:6:7:8::]",
      "[1:]",
      "[:1]",
      "[::1.2.3]",
      "[::1.2.3.4.5]",
      "[::256.1.1.1]",
      "[::01.1.1.1]",
      "[1:2:3:4:5:6:7:1.2.3.4]",
      "[::g]",
      "[v.a]",
      "[v1.]",
      "[v1]",
      "[vg.a]",
      "[fe80::1%25eth0]",
      "a%",
      "a%2",
      "a%zz",
      "a%00",
      "a\u00e9",
      "a\"",
      "a<",
      "a\\",
      "a^",
      "a|b",
      "{a}"
    ).foreach(h => refused(400, head("GET / HTTP/1.1", s"Host: $h")))
  }

  test("Host must be there once in HTTP/1.1, at most once in HTTP/1.0") {
    refused(400, head("GET / HTTP/1.1"))
    refused(400, head("GET / HTTP/1.1", "Hos: a", "Hostt: a", "X-Host: a"))
    refused(400, head("GET / HTTP/1.1", "Host: a", "Host: a"))
    refused(400, head("GET / HTTP/1.1", "Host: a", "X: b", "HOST: c"))
    refused(400, head("GET / HTTP/1.0", "Host: a", "Host: a"))
    refused(400, head("GET / HTTP/1.0", "Host: a b"))
    assertEquals(request(head("GET / HTTP/1.0")).authority, "")
  }

  test("a parser that has just read one Host is no less strict with the next") {
    val hosts = List(
      "example.com",
      "example.com",
      "example.co/",
      "example.con",
      "a",
      "a",
      "b",
      "a ",
      "a b",
      "",
      "/",
      "a",
      "example.com:80",
      "example.com:8x",
      "12345678",
      "1234567/",
      "12345678/",
      "123456789012345",
      "12345678901234/",
      "123456/89012345",
      "123456789012345",
      "x" * 64,
      "x" * 63 + "/",
      "x" * 65,
      "x" * 64 + "/"
    )
    val parser = new HeadParser(HeadLimits())
    hosts.foreach { h =>
      val text  = Wire.bytes(head("GET / HTTP/1.1", s"Host: $h"))
      val alone = new HeadParser(HeadLimits()).parse(text, 0, text.length)
      parser.reset()
      assertEquals(parser.parse(text, 0, text.length), alone, clue(h))
      if (alone > 0)
        assertEquals(parser.head.text(parser.head.authorityFrom, parser.head.authorityUntil), h.trim)
    }
    val twice = Wire.bytes(head("GET / HTTP/1.1", "Host: a", "Host: a"))
    parser.reset()
    assertEquals(parser.parse(twice, 0, twice.length), HeadParser.Bad)
  }
}
