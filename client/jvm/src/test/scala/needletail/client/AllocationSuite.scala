package needletail.client

import java.lang.management.ManagementFactory
import java.nio.charset.StandardCharsets.ISO_8859_1

import needletail.async.Async
import needletail.client.config.ClientConfig
import needletail.client.connection.{ClientExchange, ClientLoopContext, ResponseReader}
import needletail.http.{Headers, Response}
import needletail.http.http1.ResponseHead
import needletail.http.text.ByteWriter
import needletail.testing.Suite

/** Bytes allocated for responses, and for whole calls, as the JVM counts them. */
class AllocationSuite extends Suite with Serving {
  private val threads = ManagementFactory.getThreadMXBean.asInstanceOf[com.sun.management.ThreadMXBean]

  private def allocated(): Long = threads.getThreadAllocatedBytes(Thread.currentThread.getId)

  /** Reads responses to one exchange, which is sent again after each of them. */
  private final class Reader extends ResponseReader(new ClientLoopContext(null, ClientConfig())) {
    var responses        = 0L
    private val exchange = new ClientExchange {
      def encode(into: ByteWriter): Unit                             = ()
      def onSent(): Unit                                             = ()
      def onHead(head: ResponseHead): Unit                           = ()
      def onContent(bytes: Array[Byte], from: Int, until: Int): Unit = ()
      def onEnd(trailers: Headers): Unit                             = responses += 1
      def onFailed(error: ClientError): Unit                         = throw error
    }
    inFlight.append(exchange)
    protected def answered(x: ClientExchange, trailers: Headers, spoiled: Boolean): Unit = {
      x.onEnd(trailers)
      inFlight.append(x)
    }
    protected def broken(error: ClientError): Unit   = throw error
    protected def continued(x: ClientExchange): Unit = ()
    protected def hasWritten: Boolean                = true
    protected def hostName: String                   = "http://a"
  }

  private def perResponse(response: String, count: Int): Double = {
    val reader               = new Reader
    val bytes                = (response * count).getBytes(ISO_8859_1)
    def rounds(n: Int): Unit = {
      var i = 0
      while (i < n) {
        if (reader.read(bytes, 0, bytes.length) != bytes.length) fail("not all was used")
        i += 1
      }
    }
    rounds(2000)
    val before = allocated()
    rounds(1000)
    val after = allocated()
    assertEquals(reader.responses, 3000L * count)
    (after - before).toDouble / 1000 / count
  }

  private val head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nDate: Sat, 21 Nov 2026 00:00:00 GMT\r\n"

  test("reading a response with a length allocates nothing") {
    val bytes = perResponse(head + "Content-Length: 13\r\n\r\nHello, World!", 16)
    assert(bytes <= 8, s"$bytes bytes for each response")
  }

  test("reading a chunked response allocates nothing") {
    val bytes =
      perResponse(head + "Transfer-Encoding: chunked\r\n\r\n5\r\nHello\r\n8\r\n, World!\r\n0\r\n\r\n", 16)
    assert(bytes <= 8, s"$bytes bytes for each response")
  }

  /** Bytes that the client's loop allocates for a call, of `n` made one after the other on a connection. */
  private def perCall(send: Service => Async[Any], n: Int): Double =
    serving(_ => Response.ok("Hello, World!")) { (server, client) =>
      val service                       = client.service(server.url)
      def calls(left: Int): Async[Unit] =
        if (left == 0) Async.unit else send(service).flatMap(_ => calls(left - 1))
      client.await {
        calls(10000).flatMap { _ =>
          val before = allocated()
          calls(n).map(_ => (allocated() - before).toDouble / n)
        }
      }
    }

  test("a call with a buffered response allocates about 900 bytes") {
    val bytes = perCall(_.get("/").response, 10000)
    assert(bytes <= 1000, s"$bytes bytes for each call")
  }

  test("a call with a streamed response allocates about 1150 bytes") {
    val bytes = perCall(_.get("/").stream.flatMap(r => r.body.next().map(_ => r.body.cancel())), 10000)
    assert(bytes <= 1250, s"$bytes bytes for each call")
  }
}
