package needletail.routing

import scala.concurrent.duration._

import needletail.async.Async
import needletail.http.{ByteStream, Reply}
import needletail.testkit._

class BodySuite extends needletail.testing.Suite {

  private def shown(reply: TestReply): String =
    if (reply.status == Status.Ok) reply.text else s"${reply.status.code} ${reply.text}"

  private def form(target: String, text: String): Request =
    Request.post(target, text).withHeader("Content-Type", "application/x-www-form-urlencoded")

  test("as text, in the charset of its type, else UTF-8") {
    val routes = POST / "a" + Body[String] to (text => s"<$text>".ok)
    assertEquals(shown(routes.test(Request.post("/a", "grüße"))), "<grüße>")
    assertEquals(shown(routes.test(Request.post("/a", ""))), "<>")
    val latin1 = Request
      .post("/a", needletail.http.MessageBody.of(Array('g'.toByte, 0xfc.toByte)))
      .withHeader("Content-Type", "text/plain; charset=iso-8859-1")
    assertEquals(shown(routes.test(latin1)), "<gü>")
  }

  test("as bytes") {
    val routes = POST / "a" + Body[Array[Byte]] to (bytes => bytes.map(b => (b + 1).toByte).ok)
    val reply  = routes.test(Request.post("/a", "ABC"))
    assertEquals(reply.text, "BCD")
    assertEquals(reply.header("Content-Type"), Some("application/octet-stream"))
  }

  test("as a form") {
    val routes = POST / "a" + Body[Parameters] to (form => form.toList.mkString.ok)
    assertEquals(shown(routes.test(form("/a", "x=1&y=a+b%26&x=2&z"))), "(x,1)(y,a b&)(x,2)(z,)")
    assertEquals(routes.test(form("/a", "x=%GG")).status, Status.BadRequest)
    val other = routes.test(Request.post("/a", "x=1").withHeader("Content-Type", "text/plain"))
    assertEquals(shown(other), "415 expected a form body, got 'text/plain'")
  }

  test("as a stream, read only when the handler asks") {
    var asked  = 0
    val source = new ByteStream {
      def next(): Async[Option[Array[Byte]]] = {
        asked += 1
        Async.value(if (asked > 3) None else Some(Array.fill(asked)('x'.toByte)))
      }
      def cancel(): Unit = ()
    }
    val routes = POST / "a" + Body[ByteStream] to (stream => stream.ok)
    val reply  = routes.test(Request.post("/a", needletail.http.MessageBody.streamed(source, -1)))
    assertEquals(reply.status, Status.Ok)
    assertEquals(asked, 0)
    assertEquals(reply.pieces.next(), Some("x"))
    assertEquals(asked, 1)
    assertEquals(reply.pieces.next(), Some("xx"))
    assertEquals(reply.pieces.next(), Some("xxx"))
    assertEquals(reply.pieces.next(), None)
  }

  test("as a type with a reader of its own") {
    implicit val reader: BodyReader[Point] = BodyReader.text.map { text =>
      val comma = text.indexOf(',')
      Point(text.take(comma).toInt, text.drop(comma + 1).toInt)
    }
    val routes = POST / "a" + Body[Point] to (p => p.toString.ok)
    assertEquals(shown(routes.test(Request.post("/a", "3,4"))), "Point(3,4)")
  }

  test("a body that came with its head is answered at once, one that comes later when it is there") {
    val routes = POST / "a" + Body[String] to (text => text.ok)
    assert(routes(Request.post("/a", "here")).isInstanceOf[Response])
    val source = new ByteStream {
      private val pieces                     = Iterator("la", "ter")
      def next(): Async[Option[Array[Byte]]] =
        Async.sleep(1.second).map(_ => pieces.nextOption().map(_.getBytes))
      def cancel(): Unit = ()
    }
    val reply = routes.test(Request.post("/a", needletail.http.MessageBody.streamed(source, 5)))
    reply.advance(2900.millis)
    assert(!reply.isAnswered)
    reply.advance(100.millis)
    assert(reply.isAnswered)
    assertEquals(reply.text, "later")
  }

  test("a body is read only after a match, and before no filter") {
    var read   = false
    val source = new ByteStream {
      def next(): Async[Option[Array[Byte]]] = {
        read = true
        Async.value(None)
      }
      def cancel(): Unit = ()
    }
    val nobody = Filter[Unit]("nobody")(_ => Async.value(Left("go away".forbidden)))
    val routes = Routes(
      POST / "a" / arg[Int] + Body[String] to { case (i, s) => s"$i $s".ok },
      POST / "b" + Body[String] + ?("q", arg[Int]) to { case (s, q) => s"$s $q".ok },
      POST / "c" + Body[String] + nobody to (s => s.ok)
    )
    def reply(target: String) =
      routes.test(Request.post(target, needletail.http.MessageBody.streamed(source, 5)))
    assertEquals(shown(reply("/a/x")), "400 expected Integer in path segment, got 'x'")
    assertEquals(shown(reply("/b")), "400 missing query parameter 'q'")
    assertEquals(shown(reply("/c")), "403 go away")
    assert(!read)
    assertEquals(shown(reply("/a/1")), "1 ")
    assert(read)
  }

  test("siblings may take bodies of different types") {
    val routes = Routes(
      POST / "a" + Body[Parameters] to (form => s"form ${form.toList.size}".ok),
      POST / "a" + Body[String] to (text => s"text $text".ok)
    )
    assertEquals(shown(routes.test(form("/a", "x=1"))), "form 1")
    assertEquals(
      shown(routes.test(Request.post("/a", "x=1").withHeader("Content-Type", "text/plain"))),
      "text x=1"
    )
  }

  test(
    "a body with a Content-Encoding is refused by what would read it as plain, and given to what takes bytes"
  ) {
    val routes = Routes(
      POST / "text" + Body[String] to (text => text.ok),
      POST / "form" + Body[Parameters] to (form => form.toList.mkString.ok),
      POST / "own" + Body(BodyReader.text.map(_.length)) to (length => s"$length".ok),
      POST / "request" + request to (request => request.text.map(_.ok)),
      POST / "bytes" + Body[Array[Byte]] to (bytes => s"${bytes.length} bytes".ok),
      POST / "stream" + Body[ByteStream] to (stream => stream.ok)
    )
    def reply(target: String, codings: String*) =
      routes.test(codings.foldLeft(Request.post(target, "x=1"))(_.withHeader("Content-Encoding", _)))
    for (target <- Seq("/text", "/form", "/own", "/request")) {
      val refused = reply(target, "gzip")
      assertEquals(shown(refused), "415 expected a body without Content-Encoding, got 'gzip'", target)
      assertEquals(refused.header("Accept-Encoding"), Some("identity"), target)
      assertEquals(reply(target, "identity, x-unknown").status, Status.UnsupportedMedia, target)
      assertEquals(reply(target, "identity", "br").status, Status.UnsupportedMedia, target)
      assertEquals(reply(target, "Identity").status, Status.Ok, target)
    }
    assertEquals(shown(reply("/bytes", "gzip")), "3 bytes")
    assertEquals(shown(reply("/stream", "gzip")), "x=1")
  }

  test("routes of the same path may read coded and plain bodies") {
    val coded =
      BodyReader.of[String]("coded", readsCoded = true)(r => Async.value(s"${r.header("Content-Encoding")}"))
    val routes = Routes(POST / "a" + Body[String] to (_.ok), POST / "a" + Body(coded) to (_.ok))
    assertEquals(shown(routes.test(Request.post("/a", "x"))), "x")
    assertEquals(
      shown(routes.test(Request.post("/a", "x").withHeader("Content-Encoding", "gzip"))),
      "Some(gzip)"
    )
  }

  test("a 415 for a media type names the one that would have been read, where it is known") {
    val routes = Routes(POST / "a" + Body[Parameters] to (_ => "form".ok))
    val other  = routes.test(Request.post("/a", "x=1").withHeader("Content-Type", "text/plain"))
    assertEquals(other.header("Accept"), Some("application/x-www-form-urlencoded"))
    val own     = BodyReader.of[String]("CSV", _ == "text/csv")(_.text)
    val unknown = (POST / "a" + Body(own) to (_.ok)).test(
      Request.post("/a", "x").withHeader("Content-Type", "text/plain")
    )
    assertEquals((unknown.status, unknown.header("Accept")), (Status.UnsupportedMedia, None))
  }

  test("a filter or map on a body runs once, when it has come; values before it are read once") {
    var reads  = 0
    val routes =
      POST / "a" / arg[Int].map { i => reads += 1; i } + ?("q", arg[Int].map { q => reads += 1; q }) +
        Body[String].map(_.length).filter(_ > 2, "{NAME} is too short") to { case (i, q, length) =>
          s"$i $q $length".ok
        }
    assertEquals(shown(routes.test(Request.post("/a/1?q=2", "abc"))), "1 2 3")
    assertEquals(reads, 2)
    assertEquals(shown(routes.test(Request.post("/a/1?q=2", "ab"))), "400 body is too short")
  }

  test("a body larger than allowed: what its reader fails with is the answer") {
    val small  = BodyReader.of[Array[Byte]]("bytes")(_.body.bytes(4))
    val routes = POST / "a" + Body[Array[Byte]](small) to (bytes => bytes.ok)
    assertEquals(routes.test(Request.post("/a", "12345")).status, Status.ContentTooLarge)
    assertEquals(routes.test(Request.post("/a", "1234")).text, "1234")
  }

  test("a route that would read the body twice is refused when it is made") {
    intercept[IllegalArgumentException](POST / "a" + Body[String] + Body[Parameters] to { case (s, f) =>
      s"$s $f".ok
    })
  }

  test("the request itself, for what has no part of its own") {
    val routes       = GET / "a" / arg[Int] + request to { case (i, request) => s"$i ${request.target}".ok }
    val reply: Reply = routes(Request.get("/a/1?x"))
    assert(reply.isInstanceOf[Response])
    assertEquals(shown(routes.test(Request.get("/a/1?x"))), "1 /a/1?x")
  }
}
