package needletail.http.message

import needletail.http.{Cookie, Response}

class HeadersSuite extends needletail.testing.Suite {
  private def refused(make: => Any): Unit = {
    intercept[IllegalArgumentException](make)
    ()
  }

  test("names are compared whole and without case, order is kept") {
    val h = Headers("Accept" -> "a", "X-Y" -> "1", "ACCEPT" -> "b")
    assertEquals(h.get("accept"), Some("a"))
    assertEquals(h.getAll("aCCept"), List("a", "b"))
    assertEquals(h.get("Accep"), None)
    assertEquals(h.get("Accept-"), None)
    assertEquals(h.size, 3)
    assertEquals(h.set("accept", "c").toList, List("X-Y" -> "1", "accept" -> "c"))
    assertEquals(h.remove("ACCEPT").toList, List("X-Y" -> "1"))
    assertEquals((h ++ Headers("Z" -> "2")).toList.last, "Z" -> "2")
    assertEquals(h, Headers("accept" -> "a", "x-y" -> "1", "Accept" -> "b"))
    assert(h != Headers("accept" -> "b", "x-y" -> "1", "Accept" -> "a"))
  }

  test("lists: split at commas outside quotes, empty members dropped") {
    val h = Headers("A" -> "a, b ,,c", "B" -> "z", "a" -> "\"x,\\\"y\", d")
    assertEquals(h.list("A"), List("a", "b", "c", "\"x,\\\"y\"", "d"))
    assertEquals(h.list("C"), Nil)
  }

  test("a value that would split or garble a message is refused when it is set") {
    List(
      "a\r\nSet-Cookie: b",
      "a\nb",
      "a\rb",
      "\r\n",
      "a\u0000b",
      "a\u007f",
      "\u0001",
      "\u2028",
      "\u010d\u010a",
      "\uff0d"
    ).foreach { v =>
      refused(Headers("X" -> v))
      refused(Headers.empty.add("X", v))
      refused(Headers.empty.set("X", v))
      refused(Response.ok.header("X", v))
      refused(Response.ok.setHeader("X", v))
      refused(Response.ok.contentType(v))
    }
  }

  test("a name that is no token is refused") {
    List("", " ", "a b", "a:", "a\r\n", "a\u0000", "\u00e9", "a(b)", "a\t", "Content-Length ").foreach { n =>
      refused(Headers(n -> "v"))
      refused(Response.ok.header(n, "v"))
    }
  }

  test("what is refused is named, with its place, and a value is not told, as it may be secret") {
    def said(it: => Any): String = intercept[IllegalArgumentException](it).getMessage
    assertEquals(
      said(Headers("X Id" -> "v")),
      "the header name 'X Id' is no token (RFC 9110 §5.6.2): ' ' at position 2 is not allowed in one"
    )
    assertEquals(said(Headers("" -> "v")), "the header name '' is no token (RFC 9110 §5.6.2): it is empty")
    assert(said(Headers("a\r\nSet-Cookie:" -> "v")).contains("'a\\u000d\\u000aSet-Cookie:'"))
    assert(said(Headers("\u00e9" * 100 -> "v")).contains("\\u00e9…'"))
    val secret = said(Headers("Authorization" -> "Bearer secret\n"))
    assert(
      secret.startsWith("the value of header 'Authorization' has a character that is not allowed") &&
        secret.endsWith(": '\\u000a' at position 14") && !secret.contains("secret"),
      secret
    )
    assert(said(Cookie("a b", "v")).startsWith("the cookie name 'a b' is no token"))
  }

  test("what frames a response can't be set as a header") {
    List("Content-Length", "content-length", "Transfer-Encoding", "CONNECTION").foreach { n =>
      refused(Response.ok.header(n, "1"))
      refused(Response.ok.setHeader(n, "1"))
      refused(Response.ok.withHeaders(Headers(n -> "1")))
    }
  }

  test("values may be empty, and hold tabs and Latin-1") {
    assertEquals(Headers("X" -> "", "Y" -> "a\t\u00e9\u00ff").get("y"), Some("a\t\u00e9\u00ff"))
  }
}
