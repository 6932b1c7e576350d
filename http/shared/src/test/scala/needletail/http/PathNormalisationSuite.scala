package needletail.http

import needletail.http.http1.{HeadLimits, HeadParser}

class PathNormalisationSuite extends WireSuite {
  private def path(target: String) = request(head(s"GET $target HTTP/1.1", "Host: a")).path

  test("paths and what they become") {
    List(
      "/"                         -> "/",
      "/a/b"                      -> "/a/b",
      "/a/b/"                     -> "/a/b/",
      "//"                        -> "//",
      "//a///b"                   -> "//a///b",
      "/index.html"               -> "/index.html",
      "/a.b/c..d/e."              -> "/a.b/c..d/e.",
      "/.a/..b/...c"              -> "/.a/..b/...c",
      "/..."                      -> "/...",
      "/."                        -> "/",
      "/./"                       -> "/",
      "/.."                       -> "/",
      "/../"                      -> "/",
      "/../../.."                 -> "/",
      "/../a"                     -> "/a",
      "/a/."                      -> "/a/",
      "/a/./b"                    -> "/a/b",
      "/a/.."                     -> "/",
      "/a/../b"                   -> "/b",
      "/a/b/../c"                 -> "/a/c",
      "/a/b/../../c"              -> "/c",
      "/a/b/../../../../c"        -> "/c",
      "/a//b/../c"                -> "/a//c",
      "/a/..//b"                  -> "//b",
      "//a/.."                    -> "//",
      "/a/b/c/./../../g"          -> "/a/g",
      "/%2e"                      -> "/",
      "/%2e%2e/a"                 -> "/a",
      "/a/.%2E/b"                 -> "/b",
      "/a/%2e./b"                 -> "/b",
      "/a/%2E%2e/%2e%2e/b"        -> "/b",
      "/%61%7A%41%5a%30%2D%5f%7e" -> "/azAZ0-_~",
      "/a%2fb"                    -> "/a%2Fb",
      "/a%2F.%2Fb%2f...%2f..c"    -> "/a%2F.%2Fb%2F...%2F..c",
      "/a%2fb/./c/../d"           -> "/a%2Fb/d",
      "/%20%c3%a9"                -> "/%20%C3%A9",
      "/%25%32%65"                -> "/%252e",
      "/%252e%252e/a"             -> "/%252e%252e/a",
      "/%5c..%5c"                 -> "/%5C..%5C",
      "/a;b=c/d"                  -> "/a;b=c/d",
      "/..;/a"                    -> "/..;/a",
      "/%3f%23"                   -> "/%3F%23"
    ).foreach { case (target, expected) => assertEquals(path(target), expected, clue(target)) }
  }

  test("a path that servers which merge or decode slashes first resolve to another one is refused") {
    List(
      "/a//../b",
      "//..",
      "//../a",
      "/a//%2e%2e/b",
      "/a//.%2E/b",
      "/a//./../b",
      "/a/.//../b",
      "/a//b/../../c",
      "/a/b//..",
      "/a/..%2fb",
      "/a/%2e%2e%2fb",
      "/a%2F..",
      "/a%2F%2e%2E/b",
      "/a%2F..%2Fb",
      "/a%2Fb%2F..%2F..%2Fc/d",
      "/a/x%2fy/../b",
      "/a/%2f/../b",
      "/a/%2F/b/../../c"
    ).foreach { target =>
      for (form <- List(target, s"http://a$target", s"$target?b"))
        refused(400, head(s"GET $form HTTP/1.1", "Host: a"))
    }
    assertEquals(path("/a?b//../c%2F.."), "/a") // a query is no path
  }

  test("a path in normal form stays where it came in") {
    val parser = new HeadParser(HeadLimits())
    List("/", "/a/b.c/d..e?x=%2e/../y", "/a:b@c;d=e").foreach { target =>
      val text = Wire.bytes(head(s"GET $target HTTP/1.1", "Host: a"))
      assertEquals(parser.parse(text, 0, text.length), text.length)
      assert(parser.head.rewrittenPath == null, clue(target))
      assertEquals(parser.head.pathEscaped, false)
    }
  }

  test("the head says whether a percent sign is left") {
    val parser                  = new HeadParser(HeadLimits())
    def escaped(target: String) = {
      val text = Wire.bytes(head(s"GET $target HTTP/1.1", "Host: a"))
      parser.parse(text, 0, text.length)
      parser.head.pathEscaped
    }
    assertEquals(escaped("/%41"), false)
    assertEquals(escaped("/%2f"), true)
    assertEquals(escaped("/%20/.."), false)
    assertEquals(escaped("/%2f"), true)
    assertEquals(escaped("/a"), false)
  }
}
