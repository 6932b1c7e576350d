package needletail.client.connection

import needletail.async.{Async, AsyncPromise}
import needletail.client.{Client, Misbehaving}
import needletail.client.error.ClientError
import needletail.http._
import needletail.http.http1.ResponseHead
import needletail.http.text.ByteWriter
import needletail.io.{Address, EventLoop}
import needletail.testing.Suite

/** Connections without a pool, and exchanges that are sent again from their own `onEnd`, as the load tester does. */
class DirectConnectionSuite extends Suite with Misbehaving {
  private val request = "GET /plaintext HTTP/1.1\r\nHost: a\r\n\r\n".getBytes

  private object Unpooled extends ConnectionOwner {
    def freed(c: ClientConnection): Unit = ()
    def gone(c: ClientConnection): Unit  = ()
  }

  /** Sends a request again and again until it has `times` responses or a failure. */
  private final class Repeated(times: Int) extends ClientExchange {
    val result                      = new AsyncPromise[List[String]]
    private var seen                = List.empty[String]
    private var code                = 0
    private var length              = 0
    private var c: ClientConnection = null

    def on(to: ClientConnection): Unit = {
      c = to
      c.send(this)
    }
    override def mayPipeline: Boolean    = true
    def encode(into: ByteWriter): Unit   = into.write(request)
    def onSent(): Unit                   = ()
    def onHead(head: ResponseHead): Unit = {
      code = head.code
      length = 0
    }
    def onContent(bytes: Array[Byte], from: Int, until: Int): Unit = length += until - from
    def onEnd(trailers: Headers): Unit                             = {
      seen = s"$code $length" :: seen
      if (seen.size < times && c.accepts(this)) c.send(this)
      else finish()
    }
    def onFailed(error: ClientError): Unit = {
      seen = error.getMessage :: seen
      finish()
    }
    private def finish(): Unit = { result.succeed(seen.reverse); () }
  }

  private def responses(client: Client, port: Int, times: Int, depth: Int): Seq[List[String]] =
    client.await {
      val loop    = needletail.async.Loop.current.asInstanceOf[EventLoop]
      val context = new ClientLoopContext(loop, strict.copy(pipelining = depth))
      val address = Address.Tcp("127.0.0.1", port)
      DirectConnection.open(address, context, Unpooled, "http://a", context.connectNanos).flatMap { c =>
        val all = List.fill(depth)(new Repeated(times))
        all.foreach(_.on(c))
        Async.all(all.map(_.result)).andFinally(c.close())
      }
    }

  test("one request at a time, and sixteen pipelined") {
    serving(_ => Response.ok("Hello, World!")) { (server, client) =>
      assertEquals(responses(client, server.port, 1000, 1), Seq(List.fill(1000)("200 13")))
      assertEquals(responses(client, server.port, 100, 16), Seq.fill(16)(List.fill(100)("200 13")))
    }
  }

  test("the end of the connection fails every exchange on it") {
    scripted((peer, n) => if (n == 3) peer.close() else peer.send(ok)) { (server, client) =>
      val all = responses(client, server.port, 10, 4)
      assertEquals(all.map(_.last.contains("ended before the response")), Seq.fill(4)(true), all)
      assertEquals(all.head.head, "200 2")
    }
  }
}
