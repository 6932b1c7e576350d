package needletail.routing.internal.table

import needletail.async.Async
import needletail.routing._
import needletail.testkit._

/** Routes that no request would reach are refused when they are made; those that some request reaches are not. */
class ReachableSuite extends needletail.testing.Suite {

  private def hidden(routes: Routes*): String =
    intercept[IllegalArgumentException](Routes(routes*)).getMessage

  private val user = Filter("user")(_ => Async.value(Right("ann")))

  test("a second route of the same method and path is refused, and both are named") {
    assertEquals(
      hidden(GET / "users" / arg[String]("id") to (_.ok), GET / "users" / arg[String]("name") to (_.ok)),
      "the route GET /users/{name} is never reached: GET /users/{id}, which is declared before it, has the same path and " +
        "matches all of its requests. Remove one of them, or declare the one that matches fewer requests first"
    )
    hidden(GET / "a" to "first".ok, GET / "b" to "other".ok, GET / "a" to "second".ok)
    hidden(Routes(GET / "a" to "first".ok) ++ (GET / "b" to "b".ok), Routes(GET / "a" to "second".ok))
    intercept[IllegalArgumentException]((GET / "a" to "first".ok) ++ (GET / "a" to "second".ok))
    hidden(GET to "first".ok, GET / "" to "second".ok)
  }

  test("also where the first one takes what the second one takes, and more") {
    hidden(GET / "a" / arg[String] to (_.ok), GET / "a" / arg[Int] to (n => s"$n".ok))
    hidden(GET / "a" / arg[Int] to (n => s"$n".ok), GET / "a" / arg[Int].map(_ + 1) to (n => s"$n".ok))
    hidden(GET / "a" to "any query".ok, GET / "a" + ?("page", arg[Int]) to (n => s"$n".ok))
    hidden(
      GET / "a" + ?("page", arg[Option[Int]]) to (n => s"$n".ok),
      GET / "a" + ?("page", arg[Int]) to (n => s"$n".ok)
    )
    hidden(
      GET / "a" + header("X-Version", arg[String]) to (_.ok),
      GET / "a" + header("x-version", "2") to "2".ok
    )
    hidden(ANY / "a" to "any".ok, POST / "a" to "post".ok)
    hidden(GET / !* to (_ => "captured".ok), GET / * to "rest".ok)
    hidden(POST / "a" + Body[String] to (_.ok), POST / "a" + Body[Parameters] to (_ => "form".ok))
    hidden(GET / "a" + user to (_.ok), GET / "a" to "without a user".ok)
    hidden(
      POST / "a" + Body[Array[Byte]].filter(_.nonEmpty) to (_.ok),
      POST / "a" + Body[String] to (_.ok)
    )
  }

  test("a part that two routes share demands the same of both") {
    val even = arg[Int].filter(_ % 2 == 0)
    hidden(GET / "a" / even to (n => s"$n".ok), GET / "a" / even to (n => s"again $n".ok))
    hidden(GET / "a" + ?("n", even) to (n => s"$n".ok), GET / "a" + ?("n", even) to (n => s"again $n".ok))
    intercept[IllegalArgumentException](("a" / even) subroutes (
      base => base + GET to (n => s"$n".ok),
      base => base + GET to (n => s"again $n".ok)
    ))
  }

  test("a route that may pass a request on hides none after it") {
    Routes(
      GET / "a" / arg[Int] to (n => s"$n".ok),
      GET / "a" / arg[Long] to (n => s"$n".ok),
      GET / "a" / arg[String].filter(_.nonEmpty) to (_.ok),
      GET / "a" / arg[String].filter(_.length < 9) to (_.ok),
      GET / "a" / arg[String] to (_.ok)
    )
    Routes(
      GET / "a" + ?("x", arg[Int]) to (n => s"$n".ok),
      GET / "a" + ?("x", arg[Option[Int]]) to (n => s"$n".ok),
      GET / "a" + ?("x", arg[List[Int]]) to (n => s"$n".ok),
      GET / "a" + ?("y", arg[Int]) to (n => s"$n".ok),
      GET / "a" + header("x", arg[Int]) to (n => s"$n".ok),
      GET / "a" + cookie("x", "1") to "1".ok,
      GET / "a" + cookie("x", "2") to "2".ok,
      GET / "a" + request.refine(r => if (r.path.isEmpty) Left("no".gone) else Right(r)) to (_ => "it".ok),
      GET / "a" to "else".ok
    )
    Routes(
      GET / "a" / arg[Int] / arg[String] to { case (n, s) => s"$n $s".ok },
      GET / "a" / arg[String] / arg[Int] to { case (s, n) => s"$s $n".ok }
    )
    Routes(
      POST / "a" + Body[Parameters] to (_ => "form".ok),
      POST / "a" + Body[String] to (_.ok),
      POST / "a" + Body[Array[Byte]] to (_.ok) // also what is coded
    )
  }

  test("other methods, HEAD among them, and other paths are reached") {
    val routes = Routes(
      GET / "a" to "get".ok,
      HEAD / "a" to "".ok.header("X-By", "head"),
      ANY / "a" to "any".ok,
      ANY / "b" to "any".ok,
      HEAD / "b" to "".ok.header("X-By", "head"),
      GET / * to "rest".ok,
      GET / arg[String] to (_.ok),
      GET / "a" / "" to "slash".ok
    )
    assertEquals(routes.test(Request.head("/b")).header("X-By"), Some("head"))
    assertEquals(routes.test(Request.post("/a", "")).text, "any")
  }

  test("wrapped, limited and joined routes are not taken for their own repetitions") {
    val routes = Routes(GET / "a" to "a".ok, GET / "b" to "b".ok)
    val all    = routes.limit(1).mapResponse((_, r) => r).withoutAdaptiveLimit ++ (GET / "c" to "c".ok)
    assertEquals(all.all.length, 3)
    hidden(all, GET / "c" to "again".ok)
  }

  test("many routes of one path that demand different things, wrapped again and again") {
    val all     = Routes((0 until 2000).map(i => POST / "rpc" + ?("method", s"m$i") to s"$i".ok)*)
    val wrapped = all.around((_, next) => next()).around((_, next) => next())
    assertEquals(wrapped.test(Request.post("/rpc?method=m1999", "")).text, "1999")
  }

  test("what refuses an empty list hides nothing that takes none") {
    val some   = arg[List[Int]].filter(_.nonEmpty)
    val routes =
      Routes(
        GET / "a" + ?("id", some) to (_ => "some".ok),
        GET / "a" + ?("id", some.optional) to (_ => "none".ok)
      )
    assertEquals(routes.test(Request.get("/a?id=1")).text, "some")
    assertEquals(routes.test(Request.get("/a")).text, "none")
  }
}
