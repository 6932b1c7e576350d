package needletail.routing

import scala.annotation.nowarn

import needletail.testkit._

/** `![A]` as Scala 2 has it; in Scala 3, whose grammar does not allow it, `arg[A]` stands for the same. */
class BangSuite extends needletail.testing.Suite {
  case class Foo(i: Int, s: String)

  private def search(query: String, page: Option[Int]): String = s"$query on page ${page.getOrElse(1)}"

  private val positive = ![Long]("id").filter(_ > 0, "{NAME} must be positive")

  @nowarn("cat=scala3-migration") // >> Foo, as Scala 2 without -Xsource:3 takes it
  private val routes = Routes(
    GET / "foo" / ![Int] / ![String] to { case (i, s) => s"Got an int $i and a string $s".ok },
    PUT / "foo" / (![Int].filter(_ > 0) / ![String] >> Foo) to { foo => s"created $foo".created },
    GET / "search" + ?("query", ![String]) + ?("page", ![Option[Int]]) to { case (query, page) =>
      search(query, page).ok
    },
    GET / "orders" / positive to (id => s"order $id".ok),
    GET / "files" / !* to (segments => segments.mkString(" > ").ok)
  )

  test("the lines of the documentation, as written there") {
    assertEquals(routes.test(Request.get("/foo/3/hello")).text, "Got an int 3 and a string hello")
    assertEquals(
      routes.test(Request.get("/foo/hello/3")).text,
      "expected Integer in path segment, got 'hello'"
    )
    assertEquals(routes.test(Request.put("/foo/4/four", "")).text, "created Foo(4,four)")
    assertEquals(routes.test(Request.get("/search?query=tea")).text, "tea on page 1")
    assertEquals(routes.test(Request.get("/search?page=2&query=tea")).text, "tea on page 2")
    assertEquals(routes.test(Request.get("/orders/7")).text, "order 7")
    assertEquals(routes.test(Request.get("/orders/0")).text, "id must be positive")
    assertEquals(routes.test(Request.get("/files/a/b%2Fc")).text, "a > b/c")
  }
}
