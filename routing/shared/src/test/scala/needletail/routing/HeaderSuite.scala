package needletail.routing

import needletail.testkit._

class HeaderSuite extends needletail.testing.Suite {

  private def text(routes: Routes, headers: (String, String)*): String = {
    val reply = routes.test(Request(Method.GET, "/a", Headers(headers*)))
    if (reply.status == Status.Ok) reply.text else s"${reply.status.code} ${reply.text}"
  }

  test("a header, its name compared without case and whole") {
    val routes = GET / "a" + header("X-Id", arg[Int]) to (id => id.toString.ok)
    assertEquals(text(routes, "x-id" -> "7"), "7")
    assertEquals(text(routes, "X-Identity" -> "8", "X-ID" -> "7"), "7")
    assertEquals(text(routes, "X-I" -> "8"), "400 missing header 'X-Id'")
    assertEquals(text(routes, "X-Id" -> "x"), "400 expected Integer in header 'X-Id', got 'x'")
  }

  test("optional, with default, literal") {
    val optional = GET / "a" + header("X-Id", arg[Option[Int]]) to (id => id.toString.ok)
    assertEquals(text(optional), "None")
    assertEquals(text(optional, "X-Id" -> "7"), "Some(7)")
    val default = GET / "a" + header("X-Id", arg[Int].default(1)) to (id => id.toString.ok)
    assertEquals(text(default), "1")
    val literal = GET / "a" + header("Upgrade", "h2c") to "it".ok
    assertEquals(text(literal, "Upgrade" -> "h2c"), "it")
    assertEquals(text(literal, "Upgrade" -> "other"), "400 expected 'h2c' in header 'Upgrade', got 'other'")
  }

  test("a list has the members of all lines") {
    val routes = GET / "a" + header("X-Tag", arg[List[String]]) to (tags => tags.mkString("|").ok)
    assertEquals(text(routes, "X-Tag" -> "a, b", "Other" -> "x", "x-tag" -> "\"c, d\", ,e"), "a|b|\"c, d\"|e")
    assertEquals(text(routes), "")
  }

  test("a name that no header has is refused when the route is written") {
    val error = intercept[IllegalArgumentException](GET / "a" + header("X Id:", arg[Int]))
    assertEquals(
      error.getMessage,
      "no request has a header with the name 'X Id:', which is no token: ' ' at position 2 is not allowed in one"
    )
    intercept[IllegalArgumentException](GET / "a" + header("", "x"))
  }

  test("a filter with a message") {
    val routes =
      GET / "a" + header("X-Id", arg[Int].filter(_ > 0, "{NAME} must be positive")) to (id => id.toString.ok)
    assertEquals(text(routes, "X-Id" -> "0"), "400 X-Id must be positive")
  }
}
