package needletail.routing

import scala.annotation.nowarn
import scala.collection.mutable
import scala.concurrent.duration._

import needletail.async.Async
import needletail.testkit._

/** The two routes of the README that this project grew from, but for tuple patterns where it has `HNil`. */
class SeedRoutesSuite extends needletail.testing.Suite {

  val route = GET / "foo" / arg[Int] / arg[String] to { case (i, s) => s"Got an int $i and a string $s".ok }

  case class Foo(i: Int, s: String)

  /** A store that takes its time. */
  object foodb {
    val foos                         = mutable.Map(1 -> Foo(1, "one"))
    def get(id: Int): Async[Foo]     = Async.sleep(5.millis).map(_ => foos(id))
    def create(foo: Foo): Async[Foo] = Async.sleep(5.millis).map { _ => foos(foo.i) = foo; foo }
  }

  @nowarn("msg=companion|apply") // a companion as a function, as the README writes it
  val routes = "foo" subroutes { base =>
    Routes(
      base + GET / arg[Int] to { id => foodb.get(id).map(f => s"got $f".ok) },
      base + PUT / (arg[Int].filter(_ > 0) / arg[String] >> Foo) to { foo =>
        foodb.create(foo).map(f => s"created $f".created)
      }
    )
  }

  test("GET /foo/3/hello finds its int and its string") {
    val reply = route.test(Request.get("/foo/3/hello"))
    assertEquals(reply.status, Status.Ok)
    assertEquals(reply.text, "Got an int 3 and a string hello")
  }

  test("GET /foo/hello/3 is told what was expected where") {
    val reply = route.test(Request.get("/foo/hello/3"))
    assertEquals(reply.status, Status.BadRequest)
    assertEquals(reply.text, "expected Integer in path segment, got 'hello'")
  }

  test("subroutes answer later, from what they fetched or made") {
    val got = routes.test(Request.get("/foo/1"))
    assert(!got.isAnswered)
    assertEquals(got.text, "got Foo(1,one)")
    val created = routes.test(Request.put("/foo/4/four", ""))
    assertEquals(created.status, Status.Created)
    assertEquals(created.text, "created Foo(4,four)")
    assertEquals(routes.test(Request.get("/foo/4")).text, "got Foo(4,four)")
  }

  test("a filter inside a subroute is not ignored") {
    val reply = routes.test(Request.put("/foo/-4/four", ""))
    assertEquals(reply.status, Status.BadRequest)
    assertEquals(reply.text, "path segment must not be '-4'")
  }

  test("/foo does not match /foobar") {
    assertEquals(route.test(Request.get("/foobar/3/hello")).status, Status.NotFound)
    assertEquals(routes.test(Request.get("/foobar/1")).status, Status.NotFound)
  }
}
