package needletail.server

import java.nio.charset.StandardCharsets.ISO_8859_1

import scala.concurrent.duration._

import needletail.http._
import needletail.server.clock.Clock
import needletail.server.exchange.{RequestRunner, ServerLoopContext, SessionOutput}
import needletail.server.session.ServerSession
import needletail.testing.{Allocation, Suite}

/** What a request costs in garbage. */
class AllocationSuite extends Suite {
  override def munitTimeout: Duration = 2.minutes // longer than `Allocation.each` tries

  /** Takes what is written and keeps nothing of it. */
  private final class Sink(handler: Handler) extends SessionOutput {
    var rawBytes = 0L

    val info: ConnectionInfo = new Attachments {
      def remoteAddress: String = "192.0.2.1:4711"
      def localAddress: String  = "192.0.2.2:80"
      def isSecure: Boolean     = false
    }
    val session = new ServerSession(
      this,
      new RequestRunner(
        handler,
        new ServerLoopContext(
          new Clock {
            def nowMillis: Long = 784111777000L
            def turnNanos: Long = 1000000000L
            def nanos: Long     = 1000000000L

            def atTurnEnd(task: Runnable): Unit = ()
          },
          ServerConfig(log = Log.none)
        )
      )
    )
    def nowNanos: Long                                              = 1000000000L
    def pendingOutput: Int                                          = 0
    def write(bytes: Array[Byte], from: Int, count: Int): Unit      = rawBytes += count
    def writeOwned(bytes: Array[Byte], from: Int, count: Int): Unit = rawBytes += count
    def wake(): Unit                                                = ()
    def finish(): Unit                                              = ()
    def abort(): Unit                                               = ()
  }

  /** Bytes allocated for each request, once everything is warm. */
  private def assertAtMost(bound: Double, handler: Handler, requests: String, count: Int): Unit = {
    val sink                 = new Sink(handler)
    val in                   = requests.getBytes(ISO_8859_1)
    def rounds(n: Int): Unit = {
      var i = 0
      while (i < n) {
        if (sink.session.receive(in, 0, in.length) != in.length) fail("not all was used")
        i += 1
      }
    }
    val rawBytes = Allocation.each(2000 * count, bound)(rounds(2000))
    assert(rawBytes <= bound, s"$rawBytes bytes for each request")
  }

  private val get       = "GET /plaintext HTTP/1.1\r\nHost: localhost:8080\r\n\r\n"
  private val constant  = Response.ok("Hello, World!")
  private val plaintext = (_: Request) => constant

  test("a request with a constant answer: its view and nothing else") {
    assertAtMost(40, Handler(plaintext), get * 16, 16)
  }

  test("the fields of a browser cost nothing more") {
    val browser = get.dropRight(2) +
      "User-Agent: Mozilla/5.0 (X11; Linux x86_64)\r\nAccept: text/html,*/*;q=0.8\r\nAccept-Language: en\r\n" +
      "Accept-Encoding: gzip, deflate, br\r\nCookie: a=b; c=d\r\nConnection: keep-alive\r\n\r\n"
    assertAtMost(40, Handler(plaintext), browser * 4, 4)
  }

  private val post =
    s"POST /echo HTTP/1.1\r\nHost: localhost:8080\r\nContent-Length: 1024\r\n\r\n${"x" * 1024}"

  test("a body of 1 KiB sent back costs its bytes once, and what leads to them") {
    // At most 1366 in most runs; in some, of the whole module, 1400 were seen, and why is not known
    assertAtMost(
      1410,
      r => Response.ok.contentType(MediaType.Bytes).stream(r.body.stream, r.body.length),
      post * 4,
      4
    )
    assertAtMost(1410, r => r.body.bytes.map(Response.ok.contentType(MediaType.Bytes).bytes(_)), post * 4, 4)
  }

  test("an answer made anew costs the answer") {
    assertAtMost(400, _ => Response.ok("Hello, World!"), get * 16, 16)
  }
}
