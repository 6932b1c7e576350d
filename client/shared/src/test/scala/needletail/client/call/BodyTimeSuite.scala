package needletail.client.call

import scala.concurrent.duration._

import needletail.async.{Async, AsyncPromise}
import needletail.client.Misbehaving
import needletail.http._
import needletail.testing.Suite

/** Which time limit a response has whose body streams while the request's body is still being sent. */
class BodyTimeSuite extends Suite with Misbehaving {

  test("the end of the request's body does not shorten the time for a response that streams already") {
    val config  = strict.copy(requestTimeout = 1.second, bodyTimeout = 60.seconds)
    val headers = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"
    scripted(
      (peer, _) => {
        peer.send(headers + "o")
        peer.later(3000)(peer.send("k"))
      },
      config
    ) { (server, client) =>
      val text = client.await {
        val rest = new AsyncPromise[Option[Array[Byte]]]
        for {
          response <- client.post(server.url).body(new Held(rest)).stream
          first    <- response.body.next()
          second = response.body.next()
          _      = rest.succeed(None)
          last <- second
        } yield (first.toList ++ last).flatten.map(_.toChar).mkString
      }
      assertEquals(text, "ok")
    }
  }

  /** Content of one piece, and an end that is given later. */
  private final class Held(end: Async[Option[Array[Byte]]]) extends ByteStream {
    private var hasSent                    = false
    def next(): Async[Option[Array[Byte]]] =
      if (hasSent) end
      else {
        hasSent = true
        Async.value(Some("some".getBytes))
      }
    def cancel(): Unit = ()
  }
}
