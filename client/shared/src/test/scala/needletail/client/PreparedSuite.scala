package needletail.client

import needletail.async.{Async, Promise}
import needletail.http._
import needletail.io.{Address, EventLoop}
import needletail.testing.Suite

/** What a load tester does: requests encoded once, sent over and over on connections of its own. */
class PreparedSuite extends Suite with Misbehaving {
  private val request = "GET /plaintext HTTP/1.1\r\nHost: a\r\n\r\n".getBytes

  private object Nobody extends ConnectionOwner {
    def freed(c: ClientConnection): Unit = ()
    def gone(c: ClientConnection): Unit  = ()
  }

  /** Sends a request again and again until there have been `times` answers or a failure. */
  private final class Repeated(times: Int) extends Prepared(request) {
    val result                      = new Promise[List[String]]
    private var answers             = List.empty[String]
    private var c: ClientConnection = null

    def on(connection: ClientConnection): Unit = {
      c = connection
      c.send(this)
    }
    private def note(answer: String): Unit           = answers = answer :: answers
    def done(status: Int, contentLength: Long): Unit = {
      assert(System.nanoTime() >= sentNanos)
      note(s"$status $contentLength")
      if (answers.size == times) { result.succeed(answers.reverse); () }
      else if (c.accepts(this)) c.send(this)
      else { result.succeed(answers.reverse); () }
    }
    def failed(error: ClientError): Unit = {
      note(error.getMessage)
      result.succeed(answers.reverse)
      ()
    }
  }

  private def answers(client: Client, port: Int, times: Int, depth: Int): Seq[List[String]] =
    client.await {
      val loop    = needletail.async.Loop.current.asInstanceOf[EventLoop]
      val context = new LoopContext(loop, strict.copy(pipelining = depth))
      val address = Address.Tcp("127.0.0.1", port)
      DirectConnection.open(address, context, Nobody, "http://a", context.connectNanos).flatMap { c =>
        val all = List.fill(depth)(new Repeated(times))
        all.foreach(_.on(c))
        Async.all(all.map(_.result)).andFinally(c.close())
      }
    }

  test("one at a time, and sixteen at once") {
    serving(_ => Response.ok("Hello, World!")) { (server, client) =>
      assertEquals(answers(client, server.port, 1000, 1), Seq(List.fill(1000)("200 13")))
      assertEquals(answers(client, server.port, 100, 16), Seq.fill(16)(List.fill(100)("200 13")))
    }
  }

  test("an end of the connection reaches every one under way") {
    scripted((peer, n) => if (n == 3) peer.close() else peer.send(ok)) { (server, client) =>
      val all = answers(client, server.port, 10, 4)
      assertEquals(all.map(_.last.contains("ended before the answer")), Seq.fill(4)(true), all)
      assertEquals(all.head.head, "200 2")
    }
  }
}
