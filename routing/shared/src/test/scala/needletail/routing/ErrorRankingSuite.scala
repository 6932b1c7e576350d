package needletail.routing

import needletail.testkit._

/** Which answer a request gets that no route matches. */
class ErrorRankingSuite extends needletail.testing.Suite {

  private def shown(routes: Routes, request: Request): String = {
    val reply = routes.test(request)
    s"${reply.status.code} ${reply.text}${reply.header("Allow").fold("")(allow => s" [$allow]")}"
  }
  private def get(target: String)                  = Request.get(target)
  private def throwing(error: Throwable): Response = throw error

  test("404 where no path matches") {
    val routes = Routes(GET / "a" to "a".ok)
    assertEquals(shown(routes, get("/b")), "404 not found")
    assertEquals(shown(routes, Request.post("/b", "")), "404 not found")
  }

  test("405 with Allow where only the method does not match: HEAD comes with GET, OPTIONS always") {
    val routes = Routes(POST / "a" to "post".ok, GET / "a" to "get".ok, PUT / "b" to "put".ok)
    assertEquals(shown(routes, Request.delete("/a")), "405 method not allowed [GET, HEAD, OPTIONS, POST]")
    assertEquals(shown(routes, get("/b")), "405 method not allowed [OPTIONS, PUT]")
    assertEquals(shown(routes, Request.head("/b")), "405  [OPTIONS, PUT]")
  }

  test("Allow lists the methods of all routes whose shape the path has") {
    val routes =
      Routes(GET / "a" / arg[Int] to (_ => "int".ok), PUT / "a" / "b" to "b".ok, PATCH / * to "rest".ok)
    assertEquals(
      shown(routes, Request.delete("/a/b")),
      "405 method not allowed [GET, HEAD, OPTIONS, PUT, PATCH]"
    )
  }

  test("a sibling that matches wins over a 400 of another, whatever their order") {
    val withPage = GET / "a" + ?("page", arg[Int]) to (page => s"page $page".ok)
    val plain    = GET / "a" + ?("plain", arg[Boolean].optional) to (_ => "plain".ok)
    assertEquals(shown(Routes(withPage, plain), get("/a?page=x")), "200 plain")
    assertEquals(shown(Routes(plain, withPage), get("/a?page=x")), "200 plain")
    assertEquals(shown(Routes(withPage, plain), get("/a?page=1")), "200 page 1")
    assertEquals(shown(Routes(plain, withPage), get("/a?plain=x&page=1")), "200 page 1")
    val literal = Routes(
      GET / "users" / "me" + ?("token", arg[Int]) to (_ => "me".ok),
      GET / "users" / arg[String] to (s => s.ok)
    )
    assertEquals(shown(literal, get("/users/me")), "200 me")
  }

  test("400 goes before 405, and 405 before 404") {
    val routes = Routes(
      POST / "a" / "b" to "post".ok,
      GET / "a" / arg[Int] to (i => i.toString.ok)
    )
    assertEquals(shown(routes, get("/a/b")), "400 expected Integer in path segment, got 'b'")
    assertEquals(shown(routes, Request.put("/a/b", "")), "405 method not allowed [GET, HEAD, OPTIONS, POST]")
    assertEquals(shown(routes, get("/a/b/c")), "404 not found")
  }

  test("a route for another method is not looked into: no 400 of it") {
    val routes = Routes(GET / "a" / arg[Int] to (i => i.toString.ok))
    assertEquals(shown(routes, Request.post("/a/x", "")), "405 method not allowed [GET, HEAD, OPTIONS]")
  }

  test("of several faults one past the path is told, else the first declared") {
    val routes = Routes(
      GET / "a" / arg[Int] to (i => i.toString.ok),
      GET / "a" / arg[Boolean] to (b => b.toString.ok),
      GET / "a" / arg[String] + ?("q", arg[Int]) to { case (s, q) => s"$s $q".ok }
    )
    assertEquals(shown(routes, get("/a/x")), "400 missing query parameter 'q'")
    assertEquals(
      shown(Routes(routes.all.take(2)*), get("/a/x")),
      "400 expected Integer in path segment, got 'x'"
    )
  }

  test("HEAD is answered as GET, the content left to the server to leave off; a HEAD route goes first") {
    val routes = Routes(
      GET / "a" to "content".ok.header("X-By", "get"),
      GET / "b" to "content".ok.header("X-By", "get"),
      HEAD / "b" to "".ok.header("X-By", "head")
    )
    val reply = routes.test(Request.head("/a"))
    assertEquals(reply.status, Status.Ok)
    assertEquals(reply.header("X-By"), Some("get"))
    assertEquals(reply.text, "")
    assertEquals(reply.response.body.length, 7L)
    assertEquals(routes.test(Request.head("/b")).header("X-By"), Some("head"))
    val any = Routes(GET / "a" to "".ok.header("X-By", "get"), ANY / "a" to "".ok.header("X-By", "any"))
    assertEquals(any.test(Request.head("/a")).header("X-By"), Some("get"))
  }

  test("OPTIONS is answered from the routes, unless one declares it") {
    val routes = Routes(
      GET / "a" / arg[Int] to (i => i.toString.ok),
      PUT / "a" / "b" to "b".ok,
      OPTIONS / "c" to "mine".ok
    )
    assertEquals(shown(routes, Request.options("/a/1")), "204  [GET, HEAD, OPTIONS]")
    assertEquals(shown(routes, Request.options("/a/b")), "204  [GET, HEAD, OPTIONS, PUT]")
    assertEquals(shown(routes, Request.options("/c")), "200 mine")
    assertEquals(shown(routes, Request.options("/d")), "404 not found")
  }

  test("501 for a method that neither the registry nor any route knows") {
    val routes = Routes(GET / "a" to "a".ok, method("BREW") / "pot" to "tea".ok)
    assertEquals(shown(routes, Request(Method("SPLIT"), "/a")), "501 method not implemented")
    assertEquals(shown(routes, Request(Method("SPLIT"), "/nowhere")), "501 method not implemented")
    assertEquals(shown(routes, Request(Method("get"), "/a")), "501 method not implemented")
    assertEquals(shown(routes, Request(Method("BREW"), "/a")), "405 method not allowed [GET, HEAD, OPTIONS]")
    assertEquals(
      shown(routes, Request(Method("PROPFIND"), "/a")),
      "405 method not allowed [GET, HEAD, OPTIONS]"
    )
    assertEquals(shown(routes, Request(Method("PROPFIND"), "/nowhere")), "404 not found")
    assertEquals(shown(routes, Request(Method("BREW"), "/pot")), "200 tea")
    assertEquals(shown(routes, Request(Method("TRACE"), "/a")), "405 method not allowed [GET, HEAD, OPTIONS]")
  }

  test("CONNECT names no path: no route is for it") {
    val routes = Routes(ANY / "any" to "any".ok, ANY / * to "all".ok)
    assertEquals(shown(routes, Request(Method.CONNECT, "example.com:443")), "501 method not implemented")
  }

  test("error replies are text/plain") {
    val routes = Routes(GET / "a" / arg[Int] to (i => i.toString.ok))
    Seq(get("/b"), get("/a/x"), Request.post("/a/1", ""), Request(Method("SPLIT"), "/a")).foreach { request =>
      assertEquals(
        routes.test(request).header("Content-Type"),
        Some("text/plain; charset=utf-8"),
        request.toString
      )
    }
  }

  test("HttpError of a handler is its answer, anything else goes up to the server") {
    val routes = Routes(
      GET / "teapot" to (_ => throwing(HttpError(Status(418), "short and stout"))),
      GET / "broken" to (_ => throwing(new IllegalStateException("inside")))
    )
    assertEquals(shown(routes, get("/teapot")), "418 short and stout")
    val broken = routes.test(get("/broken"))
    assertEquals(broken.status, Status.InternalServerError)
    assert(!broken.text.contains("inside"))
    assertEquals(broken.failure.map(_.getMessage), Some("inside"))
    intercept[IllegalStateException](routes(get("/broken")))
  }
}
