package needletail.routing

import needletail.async.Async
import needletail.testkit._

class SubroutesSuite extends needletail.testing.Suite {

  private def shown(routes: Routes, request: Request): String = {
    val reply = routes.test(request)
    if (reply.status == Status.Ok) reply.text else s"${reply.status.code} ${reply.text}"
  }

  test("routes below a common path") {
    val routes = "orders" subroutes { orders =>
      Routes(
        orders + GET to "list".ok,
        orders + POST to "add".ok,
        orders + GET / arg[Int] to (id => s"order $id".ok),
        orders / arg[Int] + DELETE to (id => s"deleted $id".ok)
      )
    }
    assertEquals(shown(routes, Request.get("/orders")), "list")
    assertEquals(shown(routes, Request.post("/orders", "")), "add")
    assertEquals(shown(routes, Request.get("/orders/3")), "order 3")
    assertEquals(shown(routes, Request.delete("/orders/3")), "deleted 3")
    assertEquals(shown(routes, Request.get("/orders/x")), "400 expected Integer in path segment, got 'x'")
    assertEquals(shown(routes, Request.get("/order/3")), "404 not found")
  }

  test("several functions of one route each do as well") {
    val routes = "orders".subroutes(
      orders => orders + GET to "list".ok,
      orders => orders + POST to "add".ok
    )
    assertEquals(shown(routes, Request.get("/orders")), "list")
    assertEquals(shown(routes, Request.post("/orders", "")), "add")
  }

  test("the common part is parsed once, however many siblings are tried") {
    var parsed = 0
    val user   = arg[Int].map { i => parsed += 1; i }
    val routes = ("users" / user) subroutes { base =>
      Routes(
        base + GET + ?("a", arg[Int]) to { case (user, a) => s"$user a $a".ok },
        base + GET + ?("b", arg[Int]) to { case (user, b) => s"$user b $b".ok },
        base + GET + ?("c", arg[Int]) to { case (user, c) => s"$user c $c".ok },
        base + GET / "x" to (user => s"$user x".ok),
        base + GET / arg[String] to { case (user, s) => s"$user $s".ok }
      )
    }
    assertEquals(shown(routes, Request.get("/users/7?c=3")), "7 c 3")
    assertEquals(parsed, 1)
    assertEquals(shown(routes, Request.get("/users/7/y")), "7 y")
    assertEquals(parsed, 2)
    assertEquals(shown(routes, Request.get("/users/7?d=3")), "400 missing query parameter 'a'")
    assertEquals(parsed, 3)
  }

  test("a fault of the common part is found once too") {
    var parsed = 0
    val user   = arg[String].filter { _ => parsed += 1; false }
    val routes = ("users" / user) subroutes { base =>
      Routes(base + GET + ?("b", arg[Int]) to { case (u, b) => s"$u $b".ok }, base + GET to (u => u.ok))
    }
    assertEquals(shown(routes, Request.get("/users/me")), "400 path segment must not be 'me'")
    assertEquals(parsed, 1)
  }

  test("nested, with values of each level, and a path that goes on behind a shared one") {
    val routes = ("shops" / arg[String]) subroutes { shop =>
      Routes(
        shop + GET to (s => s"shop $s".ok),
        (shop / "orders" / arg[Int]) subroutes { order =>
          Routes(
            order + GET to { case (s, o) => s"$s order $o".ok },
            order + GET / "items" / arg[Int] to { case (s, o, i) => s"$s order $o item $i".ok }
          )
        }
      )
    }
    assertEquals(shown(routes, Request.get("/shops/tea")), "shop tea")
    assertEquals(shown(routes, Request.get("/shops/tea/orders/1")), "tea order 1")
    assertEquals(shown(routes, Request.get("/shops/tea/orders/1/items/2")), "tea order 1 item 2")
    assertEquals(
      shown(routes, Request.get("/shops/tea/orders/1/items/x")),
      "400 expected Integer in path segment, got 'x'"
    )
  }

  test("what is shared may be more than a path: parameters, filters") {
    var checks     = 0
    val authorised = Filter("token") { request =>
      checks += 1
      Async.value(request.header("Authorization").toRight("who are you?".unauthorized))
    }
    val routes = (GET / "admin" + ?("tenant", arg[Int]) + authorised) subroutes { admin =>
      Routes(
        admin + ?("x", arg[Int]) to { case (tenant, user, x) => s"$tenant $user x $x".ok },
        admin to { case (tenant, user) => s"$tenant $user".ok }
      )
    }
    val request = Request.get("/admin?tenant=3").withHeader("Authorization", "ann")
    assertEquals(shown(routes, request), "3 ann")
    assertEquals(checks, 1)
    assertEquals(shown(routes, Request.get("/admin?tenant=3")), "401 who are you?")
    assertEquals(shown(routes, Request.get("/admin")), "400 missing query parameter 'tenant'")
    assertEquals(checks, 2)
  }

  test("a subroute that forgets the common part is refused when it is made") {
    val error = intercept[IllegalArgumentException]("orders" subroutes { _ =>
      Routes(GET / "list" to "list".ok)
    })
    assert(error.getMessage.contains("GET /list"), error.getMessage)
  }

  test("routes are made of routes") {
    val a      = Routes(GET / "a" to "a".ok)
    val b      = GET / "b" to "b".ok
    val routes = Routes(a, b) ++ (GET / "c" to "c".ok)
    assertEquals(Seq("/a", "/b", "/c").map(target => shown(routes, Request.get(target))), Seq("a", "b", "c"))
  }
}
