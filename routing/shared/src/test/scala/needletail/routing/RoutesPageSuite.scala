package needletail.routing

import needletail.testing.Suite
import needletail.testkit._

/** The page that lists routes and tries them. */
class RoutesPageSuite extends Suite {
  private val routes = Routes(
    (GET / "users" / arg[Long]("id") + ?(
      "page",
      arg[Option[Int]]
    ) to { case (_, _) => "a user".ok }).doc("One user"),
    POST / "users" + header("X-Token", arg[String]) + Body[String] to { case (_, _) => "added".created },
    GET / "files" / * to "a file".ok,
    ANY / "anything" to "it".ok
  )

  private def page(of: Routes): String = RoutesPage(of, on = true).test(Request.get("/routes")).text

  test("it is off unless it is asked for") {
    assertEquals(RoutesPage(routes, on = false).test(Request.get("/routes")).status, Status.NotFound)
    if (!sys.env.contains("NEEDLETAIL_ROUTES"))
      assertEquals(RoutesPage(routes).test(Request.get("/routes")).status, Status.NotFound)
  }

  test("routes with one at its path are an error that says how to have it elsewhere") {
    val own = GET / "routes" to "buses".ok
    val e   = intercept[IllegalArgumentException](RoutesPage(own, on = true))
    assert(e.getMessage.endsWith("""for a page of routes elsewhere: RoutesPage(routes, path = "…")"""), e)
    assertEquals(RoutesPage(own, on = true, path = "all").test(Request.get("/routes")).text, "buses")
  }

  test("it lists the routes with their documentation and a field for each parameter") {
    val text = page(routes)
    assert(text.contains("<b>GET</b> /users/{id}") && text.contains("<p>One user</p>"), text)
    assert(text.contains("""data-in="path" data-name="id" required"""), text)
    assert(text.contains("""data-in="query" data-name="page">"""), text)
    assert(text.contains("""data-in="header" data-name="X-Token" required"""), text)
    assert(text.contains("""data-in="body""""), text)
    assert(text.contains("""data-in="rest""""), text)
    assert(text.contains("<b>any method</b> /anything"), text)
    assert(!text.contains("/script.js</h2>"), "itself is not in it")
  }

  test("a form is sent as one, and a filter's route has a field for credentials") {
    val user = Filter("bearer token")(_ => needletail.async.Async.value(Right("ann")))
    val text = page(Routes(
      POST / "login" + Body[Parameters] to (_ => "".ok),
      GET / "add" / arg[Int] to (_ => "".ok)
    ))
    assert(text.contains("""data-in="body" data-type="application/x-www-form-urlencoded""""), text)
    assert(
      text.contains("<label>Integer (path) "),
      "a segment without a name is called by its type once: " + text
    )
    assert(!text.contains("Authorization"), text)
    val guarded = page(Routes(POST / "notes" + user + Body[String] to { case (_, _) => "".ok }))
    assert(guarded.contains("requires: bearer token"), guarded)
    assert(guarded.contains("""data-in="header" data-name="Authorization">"""), guarded)
    assert(guarded.contains("""data-in="body" data-type="">"""), guarded)
  }

  test("the routes themselves answer as without it, and the page can be elsewhere") {
    val added = RoutesPage(routes, on = true, path = "debug/routes")
    assertEquals(added.test(Request.get("/users/7")).text, "a user")
    assertEquals(added.test(Request.get("/routes")).status, Status.NotFound)
    val text = added.test(Request.get("/debug/routes")).text
    assert(text.contains("""src="/debug/routes/script.js""""), text)
    val script = added.test(Request.get("/debug/routes/script.js"))
    assertEquals(script.header("Content-Type"), Some("text/javascript; charset=utf-8"))
    assert(script.text.contains("fetch(") && !script.text.contains("innerHTML"), script.text)
  }

  test("texts of routes are escaped wherever they are") {
    val bad  = "<script>alert(1)</script>\"'&"
    val evil = Routes(
      (GET / arg[Int](bad) + ?(bad, arg[Option[Int]]) to { case (_, _) => "".ok }).doc(bad),
      GET / "x" + Filter(bad)(_ => needletail.async.Async.value(Right(()))) to "".ok,
      GET / bad to "".ok,
      GET / "y" + cookie(bad, "z") to "".ok,
      GET / "z" + ?("v", bad) to "".ok
    )
    val text = page(evil)
    assertEquals("<script".r.findAllIn(text).length, 1, text)
    assert(!text.contains("alert(1)</script>") && !text.contains("\"'&"), text)
    assert(text.contains("<p>&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;</p>"), text)
  }

  test("the browser is told to run and to fetch nothing from elsewhere") {
    val reply  = RoutesPage(routes, on = true).test(Request.get("/routes"))
    val policy = reply.header("Content-Security-Policy").getOrElse("")
    assert(
      policy.startsWith("default-src 'none'; script-src 'self';") && !policy.contains("script-src 'unsafe"),
      policy
    )
    assertEquals(reply.header("X-Content-Type-Options"), Some("nosniff"))
    assert(!"(src|href)=\"(https?:)?//".r.findFirstIn(reply.text).isDefined, reply.text)
  }
}
