package needletail.routing

import needletail.routing.internal.matching.FormPairs
import needletail.testkit._

class QuerySuite extends needletail.testing.Suite {

  private def text(routes: Routes, target: String): String = {
    val reply = routes.test(Request.get(target))
    if (reply.status == Status.Ok) reply.text else s"${reply.status.code} ${reply.text}"
  }

  test("one parameter, wherever it stands") {
    val routes = GET / "a" + ?("page", arg[Int]) to (page => page.toString.ok)
    assertEquals(text(routes, "/a?page=3"), "3")
    assertEquals(text(routes, "/a?x=1&page=3&y"), "3")
    assertEquals(text(routes, "/a?pages=1&page=3"), "3")
    assertEquals(text(routes, "/a?page=3&page=4"), "3")
  }

  test("a parameter that is missing or malformed is named") {
    val routes = GET / "a" + ?("page", arg[Int]) to (page => page.toString.ok)
    assertEquals(text(routes, "/a"), "400 missing query parameter 'page'")
    assertEquals(text(routes, "/a?"), "400 missing query parameter 'page'")
    assertEquals(text(routes, "/a?Page=1"), "400 missing query parameter 'page'")
    assertEquals(text(routes, "/a?page=x"), "400 expected Integer in query parameter 'page', got 'x'")
    assertEquals(text(routes, "/a?page="), "400 expected Integer in query parameter 'page', got ''")
    assertEquals(text(routes, "/a?page"), "400 expected Integer in query parameter 'page', got ''")
  }

  test("names and values are decoded as a form's") {
    val routes = GET / "a" + ?("größe x", arg[String]) to (s => s.ok)
    assertEquals(text(routes, "/a?gr%C3%B6%C3%9Fe+x=1+2%2B3%26"), "1 2+3&")
    assertEquals(text(routes, "/a?gr%c3%b6%c3%9fe%20x=a=b"), "a=b")
    assertEquals(
      text(routes, "/a?gr%C3%B6%C3%9Fe+x=%FF"),
      "400 query parameter 'größe x' is not valid percent-encoded UTF-8"
    )
  }

  test("a malformed name is no parameter's, not even that of one which is written like it") {
    val name = "%f".getBytes("US-ASCII")
    Seq("%f", "%f=1", "a=1&%f", "%", "%2").foreach { query =>
      val bytes = query.getBytes("US-ASCII")
      assertEquals(FormPairs.find(bytes, 0, bytes.length, name), null, query)
      assertEquals(FormPairs.findAll(bytes, 0, bytes.length, name), Nil, query)
    }
    val escaped = "%25f=1".getBytes("US-ASCII")
    assertEquals(FormPairs.find(escaped, 0, escaped.length, name), "1")
  }

  test("optional: None where it is absent, refused where it is malformed") {
    Seq(
      GET / "a" + ?("page", arg[Option[Int]]) to (page => page.toString.ok),
      GET / "a" + ?("page", arg[Int].optional) to (page => page.toString.ok),
      GET / "a" + ?("page", arg[Int]).optional to (page => page.toString.ok)
    ).foreach { routes =>
      assertEquals(text(routes, "/a"), "None")
      assertEquals(text(routes, "/a?page=3"), "Some(3)")
      assertEquals(text(routes, "/a?page=x"), "400 expected Integer in query parameter 'page', got 'x'")
    }
  }

  test("with a default") {
    Seq(
      GET / "a" + ?("page", arg[Int].default(1)) to (page => page.toString.ok),
      GET / "a" + ?("page", arg[Int]).default(1) to (page => page.toString.ok)
    ).foreach { routes =>
      assertEquals(text(routes, "/a"), "1")
      assertEquals(text(routes, "/a?page=3"), "3")
      assertEquals(text(routes, "/a?page=x"), "400 expected Integer in query parameter 'page', got 'x'")
    }
  }

  test("many: each in order, none is an empty list, one that is malformed refuses all") {
    val routes = GET / "a" + ?("id", arg[List[Int]]) to (ids => ids.mkString(",").ok)
    assertEquals(text(routes, "/a?id=3&x=9&id=1&id=2"), "3,1,2")
    assertEquals(text(routes, "/a"), "")
    assertEquals(text(routes, "/a?id=3&id=x"), "400 expected Integer in query parameter 'id', got 'x'")
    val some = GET / "a" + ?("id", arg[Int].list.filter(_.nonEmpty, "at least one {NAME}")) to (ids =>
      ids.sum.toString.ok
    )
    assertEquals(text(some, "/a"), "400 at least one id")
    assertEquals(text(some, "/a?id=1&id=2"), "3")
  }

  test("one certain value") {
    val routes = Routes(
      GET / "a" + ?("version", "2") to "two".ok,
      GET / "a" + ?("version", "1") to "one".ok
    )
    assertEquals(text(routes, "/a?version=1"), "one")
    assertEquals(text(routes, "/a?version=2"), "two")
    assertEquals(text(routes, "/a?version=3"), "400 expected '2' in query parameter 'version', got '3'")
    assertEquals(text(routes, "/a"), "400 missing query parameter 'version'")
  }

  test("a filter inside a parameter is not ignored, nor is one on it") {
    val positive = arg[Int].filter(_ > 0, "{NAME} must be positive, not {VALUE}")
    Seq(
      GET / "a" + ?("page", positive) to (page => page.toString.ok),
      GET / "a" + ?("page", positive.default(1)) to (page => page.toString.ok),
      GET / "a" + ?("page", positive.list) to (pages => pages.mkString.ok),
      GET / "a" + ?("page", positive.optional) to (page => page.mkString.ok),
      GET / "a" + ?("page", arg[Int]).filter(_ > 0, "{NAME} must be positive, not {VALUE}") to (page =>
        page.toString.ok
      )
    ).foreach { routes =>
      assertEquals(text(routes, "/a?page=3"), "3")
      assertEquals(text(routes, "/a?page=0"), "400 page must be positive, not 0")
    }
  }

  test("map and recover") {
    val routes = GET / "a" + ?("page", arg[Int].map(_ * 10)).recover(_ => 0) to (page => page.toString.ok)
    assertEquals(text(routes, "/a?page=3"), "30")
    assertEquals(text(routes, "/a?page=x"), "0")
    assertEquals(text(routes, "/a"), "0")
  }

  test("several become a case class") {
    val point  = ?("x", arg[Int]) + ?("y", arg[Int]) >> Point.apply
    val routes = GET / "a" + point to (p => p.toString.ok)
    assertEquals(text(routes, "/a?y=2&x=1"), "Point(1,2)")
  }

  test("what a client sends is quoted safely: cut short, without controls") {
    val routes = GET / "a" + ?("page", arg[Int]) to (page => page.toString.ok)
    assertEquals(
      text(routes, "/a?page=" + "9" * 1000),
      "400 expected Integer in query parameter 'page', got '" + "9" * 64 + "…'"
    )
    assertEquals(
      text(routes, "/a?page=a%0D%0Ab%1B%5B2J%E2%80%AEc%E2%80%A8"),
      "400 expected Integer in query parameter 'page', got 'a\ufffd\ufffdb\ufffd[2J\ufffdc\ufffd'"
    )
    val reply = routes.test(Request.get("/a?page=%3Cscript%3E"))
    assertEquals(reply.header("Content-Type"), Some("text/plain; charset=utf-8"))
    assertEquals(reply.text, "expected Integer in query parameter 'page', got '<script>'")
  }

  test("a client's text is not taken for a placeholder") {
    val routes = GET / "a" + ?("page", arg[String].filter(_ => false, "{VALUE} {NAME}")) to (page => page.ok)
    assertEquals(text(routes, "/a?page=%7BNAME%7D%7BVALUE%7D"), "400 {NAME}{VALUE} page")
  }

  test("nothing between two ampersands is no parameter without a name") {
    val routes = GET / "a" + ?("", arg[String]) to (s => s.ok)
    assertEquals(text(routes, "/a?x=1&&=y"), "y")
    assertEquals(text(routes, "/a?&&"), "400 missing query parameter ''")
  }
}
