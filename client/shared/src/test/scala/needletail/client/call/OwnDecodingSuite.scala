package needletail.client.call

import scala.concurrent.duration._

import needletail.async.{Async, AsyncPromise}
import needletail.client.Misbehaving
import needletail.client.config.ContentDecoding
import needletail.client.error.ClientError
import needletail.http.ByteStream
import needletail.testing.Suite

/** Decoders of a program's own that do not do what they should. */
class OwnDecodingSuite extends Suite with Misbehaving {
  private def decoding(decoder: ByteStream => ByteStream) = strict.copy(
    loops = 1,
    decoding = Some(new ContentDecoding {
      def accepts: String                                                 = "x"
      def decode(coding: String, content: ByteStream): Option[ByteStream] = Some(decoder(content))
    })
  )

  private val coded = "HTTP/1.1 200 OK\r\nContent-Encoding: x\r\nContent-Length: 2\r\n\r\nok"

  test("one that never comes to an end is ended by the call's time limit, and cancelled") {
    @volatile var cancelled = 0
    val silent              = decoding(_ =>
      new ByteStream {
        def next(): Async[Option[Array[Byte]]] = new AsyncPromise[Option[Array[Byte]]]
        def cancel(): Unit                     = cancelled += 1
      }
    )
    scripted((peer, _) => peer.send(coded), silent) { (server, client) =>
      val e = intercept[ClientError.TimedOut](client.get(server.url).timeout(50.millis).await())
      assert(e.getMessage.endsWith("not complete within 50 ms: its content was being decoded"), e.getMessage)
      assertEquals(cancelled, 1)
      assertEquals(client.statistics.head.inFlight, 0)
    }
  }

  test("one whose cancel throws does not keep the coded content from being given up") {
    val broken = decoding(content =>
      new ByteStream {
        def next(): Async[Option[Array[Byte]]] = content.next()
        def cancel(): Unit                     = throw new IllegalStateException("not now")
      }
    )
    val begun = coded.replace("Length: 2", "Length: 1000000")
    scripted((peer, _) => peer.send(begun), broken) { (server, client) =>
      val body = client.await(client.get(server.url).stream.map(_.body))
      val e    = intercept[IllegalStateException](client.await(Async.attempt(body.cancel())))
      assertEquals(e.getMessage, "not now")
      eventually(client.statistics.head.open == 0, client.statistics)
    }
  }
}
