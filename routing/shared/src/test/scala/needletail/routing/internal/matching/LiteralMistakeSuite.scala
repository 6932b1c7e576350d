package needletail.routing.internal.matching

import needletail.routing._
import needletail.testkit._

/** Literals of paths that no request would match, or that were meant to be more than a text. */
class LiteralMistakeSuite extends needletail.testing.Suite {

  private def refused(path: => Any): String = intercept[IllegalArgumentException](path).getMessage

  test("a placeholder in a literal is refused, and the message has the path as it is written here") {
    val said = refused(GET / "documents/{id}")
    assertEquals(
      said,
      "the path literal \"documents/{id}\" has a brace. What is captured stands outside of the quotes: \"documents\" / " +
        "arg[String](\"id\"). For a segment with exactly this text write segment(\"{id}\")"
    )
    assert(refused("{id}" / "x").contains("quotes: arg[String](\"id\")"))
    assert(refused("x{y}" subroutes (base => base + GET to "it".ok)).contains("quotes: arg[String]."))
    assert(refused(GET / arg[Int] / "a}").contains("has a brace"))
  }

  test("a query in a literal is refused, and the message has the parameter") {
    val said = refused(GET / "shop/search?q=x&page=1")
    assertEquals(
      said,
      "the path literal \"shop/search?q=x&page=1\" has a question mark. A query parameter is no part of the path: " +
        "\"shop/search\" + ?(\"q\", arg[String]). For a segment with exactly this text write segment(\"search?q=x&page=1\")"
    )
    assert(refused(GET / "what?").contains("\"what\" + ?(\"name\", arg[String])"))
  }

  test("segments that are resolved before a route is looked for are refused") {
    for (path <- Seq[() => Any](() => GET / "a/../b", () => GET / ".", () => GET / segment("..")))
      assert(refused(path()).contains("is resolved before a route is looked for"))
  }

  test("an empty segment is refused unless it is the last, or is written as a segment") {
    for (
      route <- Seq[() => Any](
        () => GET / "" / "x" to "it".ok,
        () => GET / "a//b" to "it".ok,
        () => "" / "x" + GET to "it".ok,
        () => GET / "" / * to "it".ok
      )
    ) assert(refused(route()).contains("has an empty segment before its end"))
    val routes = Routes(
      GET / "a/" to "with a slash at the end".ok,
      GET / "" to "root".ok,
      GET / segment("") / "x" to "two slashes".ok
    )
    assertEquals(routes.test(Request.get("/a/")).text, "with a slash at the end")
    assertEquals(routes.test(Request.get("/")).text, "root")
    assertEquals(routes.test(Request.get("//x")).text, "two slashes")
  }

  test("a segment of exactly a text has any characters") {
    val routes = Routes(
      GET / "a" / segment("{id}") to "braces".ok,
      GET / "a" / segment("b/c?d") to "slash".ok,
      GET / "a" / "b" / "c?d".takeWhile(_ != '?') to "two segments".ok
    )
    assertEquals(routes.test(Request.get("/a/%7Bid%7D")).text, "braces")
    assertEquals(routes.test(Request.get("/a/b%2Fc%3Fd")).text, "slash")
    assertEquals(routes.test(Request.get("/a/b/c")).text, "two segments")
    assertEquals(routes.describe.routes.map(_.path), List("/a/{id}", "/a/b%2Fc?d", "/a/b/c"))
  }

  test("every character that a path may have, and what has to be encoded there, is allowed") {
    // RFC 3986 §3.3, pchar; then what a path has percent-encoded only
    val texts =
      "-._~!$&'()*+,;=:@".map(_.toString) ++ Seq("*", ":id", "100%", "a%20b", "c#", "a b", "grüße", "a\\b")
    for (text <- texts) {
      val encoded = needletail.http.message.PercentCoding.encode(text)
      if (text != ".") assertEquals((GET / text to "it".ok).test(Request.get(s"/$encoded")).text, "it", text)
    }
    assertEquals((GET / ":id" to "it".ok).test(Request.get("/:id")).text, "it")
  }
}
