package needletail.client.connection

import scala.concurrent.duration._

import needletail.async.{Async, Loop}
import needletail.client.{ClientError, Serving}
import needletail.http.{ByteStream, Response}
import needletail.stream.Push
import needletail.testing.Suite

class StreamedRequestSuite extends Suite with Serving {

  for (size <- Seq(0, 1))
    test(s"a request of many pieces of $size bytes lets other tasks of the loop run meanwhile") {
      serving(request => request.body.bytes.map(bytes => Response.ok(bytes.length.toString))) {
        (server, client) =>
          val many   = 20000
          var pulled = 0
          var before = -1 // a task ran that waited since the first piece
          val pieces = new ByteStream {
            def next(): Async[Option[Array[Byte]]] = {
              if (pulled == 0) Loop.current.execute(() => before = pulled)
              pulled += 1
              Async.value(if (pulled <= many) Some(new Array[Byte](size)) else None)
            }
            def cancel(): Unit = ()
          }
          assertEquals(client.post(server.url).body(pieces).await().text, (many * size).toString)
          assert(before > 0 && before <= 2 * BodySender.PumpPieces, before)
      }
    }

  test(
    "a connection is kept if a stream does not say that it has ended, once all that was announced has been sent"
  ) {
    serving(request => request.body.bytes.map(bytes => Response.ok(new String(bytes)))) { (server, client) =>
      for (n <- 1 to 3) {
        val content = new Push[Array[Byte]](2)
        content.offer(s"abc$n".getBytes)
        assertEquals(client.post(server.url).body(content.stream, 4).await().text, s"abc$n")
      }
      assertEquals(client.statistics.map(_.opened).sum, 1L)
    }
  }

  test("a source that fails fails its call, whatever its exception does") {
    final class Odd extends RuntimeException {
      override def getMessage: String = throw new IllegalStateException("no message")
    }
    serving(
      request => request.body.bytes.map(_ => Response.ok),
      clientConfig.copy(bodyTimeout = 1.second)
    ) { (server, client) =>
      def failing(how: => Async[Option[Array[Byte]]]) = new ByteStream {
        def next(): Async[Option[Array[Byte]]] = how
        def cancel(): Unit                     = ()
      }
      def withoutPiece = failing(Async.value(Some(null)))
      intercept[ClientError.BadRequestBody](client.post(server.url).body(withoutPiece).await())
      intercept[ClientError.BadRequestBody](client.post(server.url).body(withoutPiece, 10).await())
      intercept[ClientError.BadRequestBody](client.post(server.url).body(failing(Async.fail(null))).await())
      for (
        body <- Seq(
          failing(throw new Odd),
          failing(Async.fail(new Odd)),
          failing(Async.sleep(10.millis).flatMap(_ => Async.fail(new Odd)))
        )
      ) {
        val e = intercept[ClientError.BadRequestBody](client.post(server.url).body(body).await())
        assert(e.getMessage.contains("whose getMessage throws"), e.getMessage)
      }
    }
  }
}
