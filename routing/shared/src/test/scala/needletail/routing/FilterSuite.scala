package needletail.routing

import needletail.testkit._

/** What may be made of any part: `filter`, `map`, `recover`, `optional`, `>>`, and names. */
class FilterSuite extends needletail.testing.Suite {

  private def text(routes: Routes, target: String): String = {
    val reply = routes.test(Request.get(target))
    if (reply.status == Status.Ok) reply.text else s"${reply.status.code} ${reply.text}"
  }

  test("a custom message, with the name of the value or of its place") {
    val unnamed = arg[Int].filter(_ > 0, "{NAME} must be positive, not {VALUE}")
    val named   = unnamed.named("age")
    val routes  = Routes(
      GET / "path" / unnamed to (_ => "good".ok),
      GET / "named" / named to (_ => "good".ok),
      GET / "query" + ?("page", unnamed) to (_ => "good".ok),
      GET / "named-query" + ?("page", named) to (_ => "good".ok)
    )
    assertEquals(text(routes, "/path/-1"), "400 path segment must be positive, not -1")
    assertEquals(text(routes, "/named/-1"), "400 age must be positive, not -1")
    assertEquals(text(routes, "/query?page=-1"), "400 page must be positive, not -1")
    assertEquals(text(routes, "/named-query?page=-1"), "400 age must be positive, not -1")
  }

  test("filters in a row: each counts, the first that refuses is told") {
    val even   = arg[Int].filter(_ > 0, "not positive").filter(_ % 2 == 0, "not even")
    val routes = GET / even to (_ => "good".ok)
    assertEquals(text(routes, "/2"), "good")
    assertEquals(text(routes, "/3"), "400 not even")
    assertEquals(text(routes, "/-3"), "400 not positive")
  }

  test("a segment that is refined: a value, or a response unless another route matches") {
    def find(id: Long)     = if (id < 10) Right(s"item $id") else Left("no such item".notFound)
    val item: Path[String] = arg[Long].refine(find)
    val routes             = Routes(
      GET / "items" / item / "parts" / arg[Int] to { case (item, part) => s"part $part of $item".ok },
      "items" / item subroutes { item =>
        Routes(item + GET to (item => item.ok), item + DELETE to (item => s"deleted $item".ok))
      },
      GET / "items" / "eleven" to "another route".ok,
      GET / "other" / arg[Long].refine(find) to (item => item.ok),
      GET / "other" / "x" to "x".ok,
      (GET / "pairs" / arg[Int] / arg[Int]).refine { case (a, b) =>
        if (a < b) Right(b - a) else Left("not in order".badRequest)
      } to (difference => difference.toString.ok)
    )
    assertEquals(text(routes, "/items/7/parts/2"), "part 2 of item 7")
    assertEquals(text(routes, "/items/12/parts/2"), "404 no such item")
    assertEquals(text(routes, "/items/7"), "item 7")
    assertEquals(routes.test(Request.delete("/items/7")).text, "deleted item 7")
    assertEquals(text(routes, "/items/12"), "404 no such item")
    assertEquals(text(routes, "/items/eleven"), "another route")
    assertEquals(text(routes, "/other/x"), "x")
    assertEquals(text(routes, "/other/12"), "404 no such item")
    assert(text(routes, "/other/y").startsWith("400 expected Long"), text(routes, "/other/y"))
    assertEquals(text(routes, "/pairs/3/5"), "2")
    assertEquals(text(routes, "/pairs/5/3"), "400 not in order")
  }

  test("a filter sees the mapped value, its message the text") {
    val routes =
      GET / arg[String].map(_.length).filter(_ < 4, "'{VALUE}' is too long") to (n => n.toString.ok)
    assertEquals(text(routes, "/abc"), "3")
    assertEquals(text(routes, "/abcd"), "400 'abcd' is too long")
  }

  test("a filter on several values at once") {
    val range = (?("from", arg[Int]) + ?("to", arg[Int])).filter(
      { case (a, b) => a <= b },
      "{NAME} must rise, not be {VALUE}"
    )
    val routes = GET / "a" + range to { case (a, b) => s"$a to $b".ok }
    assertEquals(text(routes, "/a?from=1&to=2"), "1 to 2")
    assertEquals(text(routes, "/a?from=3&to=2"), "400 from, to must rise, not be 3, 2")
  }

  test("a filter that refuses lets a sibling match") {
    val routes = Routes(
      GET / arg[Int].filter(_ < 100) to (i => s"small $i".ok),
      GET / arg[Int] to (i => s"large $i".ok)
    )
    assertEquals(text(routes, "/7"), "small 7")
    assertEquals(text(routes, "/700"), "large 700")
  }

  test("recover has the message of what it takes the place of") {
    val routes = GET / "a" + ?(
      "n",
      arg[Int].filter(_ > 0, "not positive").map(_.toString).recover(m => s"<$m>").default("none")
    ) to (s => s.ok)
    assertEquals(text(routes, "/a?n=1"), "1")
    assertEquals(text(routes, "/a?n=0"), "<not positive>")
    assertEquals(text(routes, "/a?n=x"), "<expected Integer in query parameter 'n', got 'x'>")
    assertEquals(text(routes, "/a"), "none")
  }

  test("a part that yields nothing leaves the values as they are") {
    val nothing = ?("v", "1")
    val routes  = GET / "a" + nothing + ?("n", arg[Int]) + nothing to (n => n.toString.ok)
    assertEquals(text(routes, "/a?v=1&n=2"), "2")
  }

  test("parts of different kinds become one case class") {
    case class Search(shop: String, query: String, page: Int)
    val search = GET / arg[String] + ?("q", arg[String]) + ?("page", arg[Int].default(1)) >> Search.apply
    val routes = Routes(search to (s => s.toString.ok))
    assertEquals(text(routes, "/tea?q=green"), "Search(tea,green,1)")
  }
}
