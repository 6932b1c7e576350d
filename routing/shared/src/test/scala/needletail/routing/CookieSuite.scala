package needletail.routing

import needletail.testkit._

class CookieSuite extends needletail.testing.Suite {

  private def text(routes: Routes, cookies: String*): String = {
    val reply = routes.test(Request(Method.GET, "/a", Headers(cookies.map("Cookie" -> _)*)))
    if (reply.status == Status.Ok) reply.text else s"${reply.status.code} ${reply.text}"
  }

  test("a cookie among others, its name compared with case") {
    val routes = GET / "a" + cookie("session", arg[String]) to (s => s.ok)
    assertEquals(text(routes, "session=abc"), "abc")
    assertEquals(text(routes, "a=1; session=\"abc\"; b=2"), "abc")
    assertEquals(text(routes, "a=1", "session=a=b"), "a=b")
    assertEquals(text(routes, "Session=abc; sessions=x"), "400 missing cookie 'session'")
    assertEquals(text(routes), "400 missing cookie 'session'")
  }

  test("typed, optional, with default, literal, many") {
    val typed = GET / "a" + cookie("n", arg[Int]) to (n => n.toString.ok)
    assertEquals(text(typed, "n=x"), "400 expected Integer in cookie 'n', got 'x'")
    val optional = GET / "a" + cookie("n", arg[Option[Int]]) to (n => n.toString.ok)
    assertEquals(text(optional), "None")
    assertEquals(text(optional, "n=1"), "Some(1)")
    val default = GET / "a" + cookie("n", arg[Int]).default(5) to (n => n.toString.ok)
    assertEquals(text(default), "5")
    val literal = GET / "a" + cookie("beta", "yes") to "beta".ok
    assertEquals(text(literal, "beta=yes"), "beta")
    val many = GET / "a" + cookie("n", arg[List[Int]]) to (ns => ns.sum.toString.ok)
    assertEquals(text(many, "n=1; n=2", "n=3"), "6")
  }

  test("a reply sets cookies") {
    val routes = POST / "login" to "welcome".ok.cookie(Cookie("session", "abc"))
    assertEquals(
      routes.test(Request.post("/login", "")).header("Set-Cookie"),
      Some("session=abc; HttpOnly; SameSite=Lax")
    )
  }
}
