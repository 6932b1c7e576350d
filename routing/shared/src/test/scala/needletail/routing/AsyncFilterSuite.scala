package needletail.routing

import scala.concurrent.duration._

import needletail.async.Async
import needletail.http.Attachment
import needletail.testkit._

/** Filters that take their time, and run only when everything else has matched. */
class AsyncFilterSuite extends needletail.testing.Suite {

  private def shown(reply: TestReply): String =
    if (reply.status == Status.Ok) reply.text else s"${reply.status.code} ${reply.text}"

  private final class Users {
    var asked = 0

    /** Knows Ann, after ten milliseconds. */
    val authorised: Part[String] = Filter("user") { request =>
      asked += 1
      Async.sleep(10.millis).map { _ =>
        if (request.header("Authorization").contains("ann")) Right("Ann")
        else Left("who are you?".unauthorized)
      }
    }
  }

  private def as(user: String, request: Request) = request.withHeader("Authorization", user)

  test("a filter's value goes into the tuple, its Left is the answer") {
    val users  = new Users
    val routes = GET / "a" / arg[Int] + users.authorised to { case (i, user) => s"$i $user".ok }
    assertEquals(shown(routes.test(as("ann", Request.get("/a/1")))), "1 Ann")
    assertEquals(shown(routes.test(as("bob", Request.get("/a/1")))), "401 who are you?")
    assertEquals(users.asked, 2)
  }

  test("nothing is asked before everything synchronous has matched, wherever the filter stands") {
    val users  = new Users
    val routes = GET / "a" + users.authorised + ?("q", arg[Int]) + header("X", arg[Int]) to {
      case (user, q, x) =>
        s"$user $q $x".ok
    }
    assertEquals(shown(routes.test(Request.get("/a"))), "400 missing query parameter 'q'")
    assertEquals(shown(routes.test(Request.get("/a?q=1"))), "400 missing header 'X'")
    assertEquals(shown(routes.test(Request.get("/b?q=1"))), "404 not found")
    assertEquals(users.asked, 0)
    assertEquals(shown(routes.test(as("ann", Request.get("/a?q=1").withHeader("X", "2")))), "Ann 1 2")
    assertEquals(users.asked, 1)
  }

  test("a route that matched is kept to: a filter that refuses does not lead to a sibling") {
    val users  = new Users
    val routes = Routes(
      GET / "a" + ?("as", "user") + users.authorised to (user => user.ok),
      GET / "a" to "anyone".ok
    )
    assertEquals(shown(routes.test(as("bob", Request.get("/a?as=user")))), "401 who are you?")
    assertEquals(shown(routes.test(as("bob", Request.get("/a")))), "anyone")
  }

  test("filters run in their order, the body is read last") {
    var order                                 = List.empty[String]
    def filter(name: String, answer: Boolean) = Filter[Unit](name) { _ =>
      order = order :+ name
      Async.sleep(1.milli).map(_ => if (answer) Right(()) else Left(s"$name refuses".forbidden))
    }
    val body = BodyReader.of[String]("text") { request =>
      order = order :+ "body"
      request.text
    }
    val routes = Routes(
      POST / "a" + Body(body) + filter("one", true) + filter("two", true) to (text => text.ok),
      POST / "b" + Body(body) + filter("one", true) + filter("two", false) + filter("three", true) to (text =>
        text.ok
      )
    )
    assertEquals(shown(routes.test(Request.post("/a", "text"))), "text")
    assertEquals(order, List("one", "two", "body"))
    order = Nil
    assertEquals(shown(routes.test(Request.post("/b", "text"))), "403 two refuses")
    assertEquals(order, List("one", "two"))
  }

  test("one filter in several places is asked once, and has its value in each") {
    val users  = new Users
    val routes = GET / "a" + users.authorised + users.authorised to { case (one, two) => s"$one $two".ok }
    assertEquals(shown(routes.test(as("ann", Request.get("/a")))), "Ann Ann")
    assertEquals(users.asked, 1)
  }

  test("what is there already is answered at once, without a detour through Async") {
    val known  = Filter("known")(_ => Async.value(Right(7)))
    val routes = GET / "a" + known to (n => n.toString.ok)
    assert(routes(Request.get("/a")).isInstanceOf[Response])
  }

  test("what a filter fails with is the answer, or goes up to the server") {
    val refusing = Filter[Int]("refusing")(_ => Async.fail(HttpError(Status.TooManyRequests, "slow down")))
    val later    =
      Filter[Int]("later")(_ => Async.sleep(1.milli).flatMap(_ => Async.fail(HttpError(Status.Gone, "gone"))))
    val broken = Filter[Int]("broken")(_ => Async.fail(new IllegalStateException("inside")))
    val routes = Routes(
      GET / "refusing" + refusing to (n => n.toString.ok),
      GET / "later" + later to (n => n.toString.ok),
      GET / "broken" + broken to (n => n.toString.ok)
    )
    assertEquals(shown(routes.test(Request.get("/refusing"))), "429 slow down")
    assertEquals(shown(routes.test(Request.get("/later"))), "410 gone")
    val reply = routes.test(Request.get("/broken"))
    assertEquals(reply.status, Status.InternalServerError)
    assertEquals(reply.failure.map(_.getMessage), Some("inside"))
  }

  test("a filter's value may be mapped, filtered and gathered with others") {
    val users   = new Users
    val account = arg[Int] >> ((i: Int) => s"#$i")
    val both    =
      GET / "a" / account + users.authorised >> ((account: String, user: String) => s"$user $account")
    val length = users.authorised >> ((user: String) => user.length)
    val routes = Routes(
      both.filter(_ != "Ann #0", "{VALUE} is not yours") to (s => s.ok),
      GET / "length" + length to (n => n.toString.ok)
    )
    assertEquals(shown(routes.test(as("ann", Request.get("/a/1")))), "Ann #1")
    assertEquals(shown(routes.test(as("ann", Request.get("/a/0")))), "400 Ann #0 is not yours")
    assertEquals(shown(routes.test(as("ann", Request.get("/length")))), "3")
  }

  test("when the client goes, what its filter waits for is cancelled") {
    var cancelled = false
    val waiting   = Filter[Int]("waiting") { _ =>
      val promise = new needletail.async.AsyncPromise[Either[Response, Int]]
      promise.onCancel(() => cancelled = true)
      promise
    }
    val reply = (GET / "a" + waiting to (n => n.toString.ok)).test(Request.get("/a"))
    reply.advance(1.minute)
    assert(!reply.isAnswered)
    assert(!cancelled)
    reply.cancel()
    assert(cancelled)
  }

  test("values of the connection") {
    val counter = new Attachment[Array[Int]](Array(0))
    val routes  = GET / "count" + attachment(counter).map { c => c(0) += 1; c(0) } to (n => n.toString.ok)
    val first   = Request.get("/count")
    val other   = Request.get("/count")
    val loop    = new ManualLoop
    assertEquals(Seq(first, first, other, first).map(routes.test(_, loop).text), Seq("1", "2", "1", "3"))
  }
}
