package needletail.routing

import needletail.async.Async
import needletail.routing.internal.description.ParameterDescription
import needletail.testkit._

class DescribeSuite extends needletail.testing.Suite {
  private val authorised = Filter("bearer token")(_ => Async.value(Right("Ann")))

  private val routes = Routes(
    GET / "users" / arg[Long]("id") / "files" / !* to { case (id, rest) =>
      s"$id $rest".ok
    } doc "A user's file.",
    GET / "search" + ?("query", arg[String]) + ?("page", arg[Option[Int]]) + ?("tag", arg[List[String]]) + ?(
      "v",
      "2"
    ) to {
      case (query, page, tags) => s"$query $page $tags".ok
    },
    POST / "orders" + header(
      "X-Id",
      arg[Int]
    ) + cookie("session", arg[String]).default("") + authorised + Body[Parameters] to {
      case (id, session, user, form) => s"$id $session $user $form".ok
    },
    ANY / "any" / arg[Colour] to (colour => colour.name.ok)
  )

  test("a table of method, path, parameters and documentation") {
    val search =
      "query: String (query), page: Integer (query, optional), tag: list of String (query, optional), v: '2' (query)"
    val order = "X-Id: Integer (header), session: String (cookie, optional), filter: bearer token, body: form"
    val rows  = List(
      List("method", "path", "parameters", "documentation"),
      List("GET", "/users/{id}/files/*", "id: Long (path)", "A user's file."),
      List("GET", "/search", search, ""),
      List("POST", "/orders", order, ""),
      List("any", "/any/{Colour}", "Colour: Colour (path)", "")
    )
    val widths = List(6, 19, search.length, 13)
    val table  =
      rows.map(_.zip(widths).map { case (cell, width) => cell.padTo(width, ' ') }.mkString("  ").replaceAll(
        " +$",
        ""
      ))
    assertEquals(routes.describe.toString.linesIterator.toList, table)
  }

  test("as values") {
    val user = routes.describe.routes.head
    assertEquals(user.method, Some(Method.GET))
    assertEquals(user.path, "/users/{id}/files/*")
    assertEquals(user.parameters, List(ParameterDescription("id", "path", "Long", required = true)))
    assertEquals(user.doc, "A user's file.")
  }

  test("in Markdown") {
    val lines = Routes(routes.all.head).describe.markdown.linesIterator.toList
    assertEquals(
      lines,
      List(
        "| method | path | parameters | documentation |",
        "|---|---|---|---|",
        "| GET | /users/{id}/files/* | id: Long (path) | A user's file. |"
      )
    )
  }

  test("a route shows what it is for") {
    assertEquals(
      routes.all.map(_.toString),
      List("GET /users/{id}/files/*", "GET /search", "POST /orders", "* /any/{Colour}")
    )
    assertEquals((GET to "root".ok).toString, "GET /")
  }

  test("a route whose place another has taken is left out, and one that some requests reach is not") {
    def shown(routes: Route*) = Routes(routes*).describe.routes.map(_.doc)
    val mounted               = ((ANY / "app") to "mount".ok).yielding.doc("mount")
    assertEquals(shown(mounted), List("mount"))
    assertEquals(shown((ANY / "app" to "own".ok).doc("own"), mounted), List("own"))
    assertEquals(shown((GET / "app" to "own".ok).doc("own"), mounted), List("own", "mount"))
    val page = RoutesPage(Routes((ANY / "app" to "own".ok).doc("own"), mounted), on = true)
    assertEquals("""data-path="/app"""".r.findAllIn(page.test(Request.get("/routes")).text).size, 1)
  }

  test("the documented route still works") {
    assertEquals(routes.test(Request.get("/users/7/files/a")).text, "7 List(a)")
  }
}
