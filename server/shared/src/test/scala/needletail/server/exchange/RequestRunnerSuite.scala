package needletail.server.exchange

import needletail.server.session.{FakeWire, SessionParts}

import scala.concurrent.Future

import needletail.async.{Async, AsyncPromise}
import needletail.http._
import needletail.server.config.ServerConfig
import needletail.server.operations.{AccessLog, Log}
import needletail.testing.Suite

/** Whatever a handler does, there is a reply to its request; and what is counted of it. */
class RequestRunnerSuite extends Suite {
  private def run(handler: Handler, line: String = "GET /a HTTP/1.1"): Reply = {
    val parts   = new SessionParts(handler)
    val h       = parts.head(s"$line\r\nHost: a\r\n\r\n")
    val request = new Request(h, h.generation, parts.context.noBody, parts.info)
    parts.runner.run(h, request)
  }

  private def status(reply: Reply): Int = reply match {
    case response: Response => response.status.code
    case _                  => fail("the reply comes later")
  }

  test("what a handler answers is the reply, also where it is an asynchronous value that is there") {
    assertEquals(status(run(_ => Response.notFound)), 404)
    assertEquals(status(run(_ => Async.value(Response.notFound))), 404)
    assertEquals(status(run(_ => Async.fail(HttpError(Status.Conflict, "no")))), 409)
  }

  test("what has not come yet is waited for by the caller") {
    val later = new AsyncPromise[Response]
    run(_ => later) match {
      case reply: Reply.Later => assert(reply.response.resultOrNull == null)
      case other              => fail(s"$other")
    }
  }

  test("an exception, null, and an asynchronous null are a 500") {
    assertEquals(status(run(_ => throw new RuntimeException("secret"))), 500)
    assertEquals(status(run(_ => throw new StackOverflowError)), 500)
    assertEquals(status(run(_ => null)), 500)
    assertEquals(status(run(_ => Async.value(null: Response))), 500)
    assertEquals(status(run(_ => Response.ok.stream(null: ByteStream))), 500)
    assertEquals(status(run(_ => Response.ok.bytes(null))), 500)
  }

  test("OPTIONS * and CONNECT are not for handlers") {
    assertEquals(status(run(_ => Response.notFound, "OPTIONS * HTTP/1.1")), 200)
    val parts = new SessionParts(_ => Response.ok)
    val h     = parts.head("CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n")
    assertEquals(
      status(parts.runner.run(h, new Request(h, h.generation, parts.context.noBody, parts.info))),
      501
    )
  }

  test("a reply is counted, and told to the access log, which may fail") {
    var lines          = List.empty[(Int, Long)]
    val log: AccessLog = (_, status, bytes, _) => { lines ::= ((status, bytes)); throw new RuntimeException }
    val parts          = new SessionParts(config = ServerConfig(accessLog = Some(log), log = Log.none))
    parts.runner.served(null, Response.ok, 7, 0)
    parts.runner.served(null, Response(Status.InternalServerError), 8, 0)
    assertEquals(lines, List((500, 8L), (200, 7L)))
    assertEquals(parts.context.counts.requests, 2L)
    assertEquals(parts.context.counts.errors, 1L)
    parts.runner.cutOff(null, Response.ok, 1, 0)
    assertEquals(lines.length, 2, "there is no request to tell of")
  }

  /** Keeps the failures that it is told of. */
  private final class Failures extends Log {
    var all                                            = List.empty[String]
    var causes                                         = List.empty[Throwable]
    def warn(message: String): Unit                    = all ::= message
    def error(message: String, cause: Throwable): Unit = { all ::= message; causes ::= cause }
  }

  private val get = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"

  test("a handler that fails with null is logged with a cause") {
    val log = new Failures
    for (
      handler <- List[Handler](
        Handler((_: Request) => Async.fail(null): Async[Response]),
        Handler((_: Request) => Async.fromFuture(Future.failed[Response](null)))
      )
    ) assertEquals(new FakeWire(handler, ServerConfig(log = log)).send(get).turn().statuses, List(500))
    assertEquals(log.causes.map(_.isInstanceOf[NullPointerException]), List(true, true))
  }

  test("a stream's cancel that throws is logged with its request, and so is one that fails after its head") {
    val log                                        = new Failures
    val never                                      = new AsyncPromise[Option[Array[Byte]]]
    def source(second: Async[Option[Array[Byte]]]) = new ByteStream {
      private var isRead                     = false
      def next(): Async[Option[Array[Byte]]] = if (isRead) second
      else {
        isRead = true
        Async.value(Some("x".getBytes))
      }
      def cancel(): Unit = throw new IllegalStateException("cancel")
    }
    val wire = new FakeWire(_ => Response.ok.stream(source(never)), ServerConfig(log = log))
    wire.send(get)
    wire.session.peerGone()
    assertEquals(log.all, List("cancelling a stream failed: GET /a"))
    log.all = Nil
    val late  = new AsyncPromise[Option[Array[Byte]]]
    val other = new FakeWire(_ => Response.ok.stream(source(late)), ServerConfig(log = log))
    other.send(get)
    late.fail(HttpError(Status.BadGateway, "gone"))
    other.turn()
    assertEquals(log.all, List("a streamed response failed: GET /a", "cancelling a stream failed: GET /a"))
    log.all = Nil
    for (length <- List(1L, 9L)) {
      val pieces = ByteStream.fromIterator(Iterator("abc", "def").map(_.getBytes))
      new FakeWire(_ => Response.ok.stream(pieces, length), ServerConfig(log = log)).send(get).turn()
    }
    assertEquals(
      log.all.reverse,
      List("more", "fewer").map(n =>
        s"a streamed response had $n bytes than were announced: GET /a"
      )
    )
  }

  test("an access log that fails is logged with the request, an exception of a connection with its client") {
    val log               = new Failures
    val access: AccessLog = (_, _, _, _) => throw new RuntimeException
    new FakeWire(_ => Response.ok, ServerConfig(log = log, accessLog = Some(access))).send(get)
    val wire = new FakeWire(_ => Response.ok, ServerConfig(log = log))
    wire.writing = () => throw new IllegalStateException("write")
    wire.send(get)
    assertEquals(
      log.all.reverse,
      List(
        "the access log failed: GET /a",
        "a connection from 192.0.2.1:4711 was closed because of an exception"
      )
    )
  }
}
