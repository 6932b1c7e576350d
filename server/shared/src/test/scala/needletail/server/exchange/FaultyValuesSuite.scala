package needletail.server.exchange

import needletail.server.session.FakeWire

import scala.concurrent.duration._

import needletail.async.{Async, AsyncPromise}
import needletail.http._
import needletail.testing.Suite

/** Invalid values of handlers and their streams affect their own request only. */
class FaultyValuesSuite extends Suite {

  private final class Failure(error: => HttpError) extends RuntimeException("a failure") with Answerable {
    def asHttpError: HttpError = error
  }

  private def pieces(all: Async[Option[Array[Byte]]]*): ByteStream = new ByteStream {
    private val left = all.iterator

    def next(): Async[Option[Array[Byte]]] = if (left.hasNext) left.next() else Async.value(None)
    def cancel(): Unit                     = ()
  }

  private def piece(text: String): Async[Option[Array[Byte]]] = Async.value(Some(text.getBytes))

  private val nothing: Async[Option[Array[Byte]]] = Async.value(Some(new Array[Byte](0)))

  private def streamed(all: Async[Option[Array[Byte]]]*): Reply = Response.ok.stream(pieces(all: _*))

  private val handler: Handler = request =>
    request.path match {
      case "/ok"         => Response.ok("fine")
      case "/throws"     => throw new Failure(throw new IllegalStateException("not now"))
      case "/null"       => throw new Failure(null)
      case "/no-text"    => throw new HttpError(Status.Conflict, null)
      case "/later"      => new Reply.Later(Async.fail(new Failure(null)))
      case "/closes"     => throw HttpError(Status.Conflict, "no", Headers("Connection" -> "close"))
      case "/framed"     => Async.fail(HttpError(Status.Conflict, "no", Headers("Content-Length" -> "7")))
      case "/early"      => throw HttpError(Status.Continue, "no")
      case "/no-headers" => throw HttpError(Status.Conflict, "no", null)
      case "/typed" => throw HttpError(Status.Conflict, "{}", Headers("Content-Type" -> "application/json"))
      case "/null-now"    => Response.ok.stream(nullStream, 3)
      case "/empty"       => streamed(nothing, piece("one"), nothing, nothing, piece("two"), nothing)
      case "/fixed"       => Response.ok.stream(pieces(nothing, piece("one"), nothing), 3)
      case "/never"       => new Reply.Later(new AsyncPromise[Response])
      case "/null-later"  => new Reply.Later(null)
      case "/endless"     => Response.ok.stream(pieces(piece("on"), piece("e"), new AsyncPromise), 3)
      case "/null-piece"  => streamed(Async.value(Some(null)))
      case "/null-option" => streamed(Async.value(null))
      case "/fixed-null"  => Response.ok.stream(pieces(Async.value(null)), 3)
    }

  private def nullStream: ByteStream = new ByteStream {
    def next(): Async[Option[Array[Byte]]] = null
    def cancel(): Unit                     = ()
  }

  private def get(paths: String*): String =
    paths.map(path => s"GET $path HTTP/1.1\r\nHost: a\r\n\r\n").mkString

  private def statuses(paths: String*): List[Int] = {
    val wire = new FakeWire(handler)
    wire.send(get(paths: _*))
    assert(!wire.isAborted, paths)
    wire.statuses
  }

  test("a failure that cannot say what to answer is a 500, and the answers before and after it are there") {
    for (path <- Seq("/throws", "/null", "/later", "/null-later"))
      assertEquals(statuses("/ok", path, "/ok"), List(200, 500, 200), path)
    assertEquals(statuses("/ok", "/no-text", "/ok"), List(200, 409, 200))
    assertEquals(statuses("/ok", "/no-headers", "/ok"), List(200, 500, 200))
  }

  test(
    "an error with what the server sets itself, or a status that is not final, is a response all the same"
  ) {
    assertEquals(statuses("/ok", "/closes", "/ok"), List(200, 409))
    assertEquals(statuses("/ok", "/framed", "/ok"), List(200, 409, 200))
    assertEquals(statuses("/ok", "/early", "/ok"), List(200, 500, 200))
    val framed = new FakeWire(handler).send(get("/framed")).output
    assert(framed.endsWith("\r\n\r\nno") && framed.contains("\r\nContent-Length: 2\r\n"), framed)
  }

  test("an error's content has one type") {
    val output = new FakeWire(handler).send(get("/typed")).output
    val types  = output.linesIterator.filter(_.startsWith("Content-Type")).toList
    assertEquals(types, List("Content-Type: application/json"))
  }

  test("null from a stream, where a piece should be, is the stream's failure") {
    for (path <- Seq("/null-piece", "/null-option", "/fixed-null", "/null-now"))
      assertEquals(statuses("/ok", path, "/ok"), List(200, 500, 200), path)
  }

  test("an empty piece of a stream is nothing, and ends no reply") {
    val wire = new FakeWire(handler)
    wire.send(get("/empty"))
    val output = wire.output
    assert(output.endsWith("\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n"), output)
    wire.send(get("/fixed", "/ok"))
    val next = wire.output
    assert(next.contains("\r\n\r\noneHTTP/1.1 200 OK") && next.endsWith("fine"), next)
  }

  test("a stream that does not end after what was announced holds up nothing") {
    val wire = new FakeWire(handler)
    wire.send(get("/endless", "/ok"))
    val output = wire.output
    assert(output.contains("\r\n\r\noneHTTP/1.1 200 OK") && output.endsWith("fine"), output)
  }

  test("null from a wrapper, for a response that the server sends instead of the handler's, is a 500") {
    val wrapped = handler.mapResponse((_, response) => if (response.status.isError) null else response)
    val timed   = new FakeWire(wrapped)
    timed.send(get("/never"))
    assertEquals(timed.after(31.seconds).statuses, List(500))
    timed.send(get("/null-piece", "/ok"))
    assertEquals(timed.statuses, List(500, 200))
    assert(!timed.isAborted)
  }

  test("a wrapper that makes each response a stream that fails is asked twice, not for ever") {
    var asked  = 0
    val broken = handler.mapResponse { (_, response) =>
      asked += 1
      response.stream(pieces(Async.fail(new IllegalStateException("no"))))
    }
    val wire = new FakeWire(broken)
    wire.send(get("/ok", "/ok"))
    assertEquals(wire.statuses, List(500, 500))
    assertEquals(asked, 4)
  }
}
