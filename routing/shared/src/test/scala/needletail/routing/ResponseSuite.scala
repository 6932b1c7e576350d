package needletail.routing

import scala.concurrent.Future

import needletail.async.Async
import needletail.http.Reply
import needletail.testkit._

/** Answers: what `.ok` and the like make, and what a handler may return. */
class ResponseSuite extends needletail.testing.Suite {

  test("texts, bytes, streams and responses have a status by a word") {
    val text = "grüße".ok
    assertEquals(text.status, Status.Ok)
    assertEquals(text.headers.get("Content-Type"), Some("text/plain; charset=utf-8"))
    assertEquals(Array[Byte](1, 2).created.status, Status.Created)
    assertEquals(ByteStream.of(Array[Byte](1, 2)).accepted.status, Status.Accepted)
    assertEquals("x".ok.notFound.status, Status.NotFound)
    assertEquals("x".withStatus(Status.Conflict).status, Status.Conflict)
    assertEquals("x".withStatus(418).status.code, 418)
  }

  test("a handler that returns null has failed, and no other route answers in its place") {
    val routes = Routes(
      GET / "a" to (_ => null: Response),
      POST / "a" + Body[String] to (_ => null: Response),
      GET / arg[String] to (_ => "another".ok)
    )
    assertEquals(routes.test(Request.get("/a")).status, Status.InternalServerError)
    assertEquals(routes.test(Request.post("/a", "text")).status, Status.InternalServerError)
    assertEquals(routes.test(Request.get("/b")).text, "another")
  }

  test("each word has its status") {
    val responses = List(
      "x".ok,
      "x".created,
      "x".accepted,
      "x".badRequest,
      "x".unauthorized,
      "x".forbidden,
      "x".notFound,
      "x".conflict,
      "x".gone,
      "x".unprocessable,
      "x".tooManyRequests,
      "x".internalServerError,
      "x".serviceUnavailable
    )
    assertEquals(
      responses.map(_.status.code),
      List(200, 201, 202, 400, 401, 403, 404, 409, 410, 422, 429, 500, 503)
    )
  }

  test("a custom type becomes content") {
    implicit val content: Content[Point] = (status, p) => Response(status).text(s"${p.x};${p.y}")
    assertEquals((GET / "p" to Point(1, 2).ok).test(Request.get("/p")).text, "1;2")
  }

  test("a handler answers now or later, by Response, Async, Future, Reply or Async of a Reply") {
    val reply: Reply = "reply".ok
    val routes       = Routes(
      GET / "response" / arg[Int] to (i => s"response $i".ok),
      GET / "async" / arg[Int] to (i => Async.value(s"async $i".ok)),
      GET / "future" / arg[Int] to (i => Future.successful(s"future $i".ok)),
      GET / "reply" / arg[Int] to (_ => reply),
      GET / "reply-later" / arg[Int] to (_ => Async.value(reply)),
      GET / "twice-later" / arg[Int] to (_ => Async.value(new Reply.Later(Async.value("twice".ok)))),
      GET / "none" / "response" to "none".ok,
      GET / "none" / "async" to Async.value("none later".ok),
      GET / "none" / "reply-later" to Async.value(reply),
      GET / "none" / "future" to Future.successful("none future".ok),
      GET / "none" / "function" to (_ => "none function".ok)
    )
    def text(target: String) = routes.test(Request.get(target)).text
    assertEquals(text("/response/1"), "response 1")
    assertEquals(text("/async/1"), "async 1")
    assertEquals(text("/future/1"), "future 1")
    assertEquals(text("/reply/1"), "reply")
    assertEquals(text("/reply-later/1"), "reply")
    assertEquals(text("/twice-later/1"), "twice")
    assertEquals(text("/none/response"), "none")
    assertEquals(text("/none/async"), "none later")
    assertEquals(text("/none/reply-later"), "reply")
    assertEquals(text("/none/future"), "none future")
    assertEquals(text("/none/function"), "none function")
  }

  test("an answer without values is made anew for each request") {
    var n      = 0
    val routes = GET / "n" to { n += 1; n.toString.ok }
    assertEquals(Seq.fill(3)(routes.test(Request.get("/n")).text), Seq("1", "2", "3"))
  }
}
