package needletail.client

import java.lang.management.ManagementFactory
import java.nio.charset.StandardCharsets.ISO_8859_1

import needletail.http.{ByteWriter, Headers}
import needletail.testing.Suite

/** What reading an answer costs in garbage, counted by the JVM itself: no clock, so no noise. */
class AllocationSuite extends Suite {

  /** Reads the same answers over and over, for one exchange that is sent again and again. */
  private final class Reader extends ResponseReader(new LoopContext(null, ClientConfig())) {
    private val writer  = new ByteWriter(256)
    var answersSeen     = 0L
    private val request = new Prepared("GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes) {
      def done(status: Int, contentLength: Long): Unit = answersSeen += 1
      def failed(error: ClientError): Unit             = throw error
    }
    private def send(): Unit = {
      writer.clear()
      request.encode(writer)
      request.onSent()
      inFlight.append(request)
    }
    send()
    protected def answered(x: Exchange, trailers: Headers, spoiled: Boolean): Unit = {
      x.onEnd(trailers)
      send()
    }
    protected def broken(error: ClientError): Unit = throw error
    protected def continued(x: Exchange): Unit     = ()
    protected def hasWritten: Boolean              = true
    protected def hostName: String                 = "http://a"
  }

  private val threads = ManagementFactory.getThreadMXBean.asInstanceOf[com.sun.management.ThreadMXBean]

  private def perAnswer(answer: String, count: Int): Double = {
    val reader               = new Reader
    val bytes                = (answer * count).getBytes(ISO_8859_1)
    def rounds(n: Int): Unit = {
      var i = 0
      while (i < n) {
        if (reader.read(bytes, 0, bytes.length) != bytes.length) fail("not all was used")
        i += 1
      }
    }
    rounds(2000)
    val me     = Thread.currentThread.getId
    val before = threads.getThreadAllocatedBytes(me)
    rounds(1000)
    val after = threads.getThreadAllocatedBytes(me)
    assertEquals(reader.answersSeen, 3000L * count)
    (after - before).toDouble / 1000 / count
  }

  private val head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nDate: Sat, 21 Nov 2026 00:00:00 GMT\r\n"

  test("an answer with a length costs nothing") {
    val octets = perAnswer(head + "Content-Length: 13\r\n\r\nHello, World!", 16)
    assert(octets <= 8, s"$octets octets for each answer")
  }

  test("nor does one in chunks") {
    val octets =
      perAnswer(head + "Transfer-Encoding: chunked\r\n\r\n5\r\nHello\r\n8\r\n, World!\r\n0\r\n\r\n", 16)
    assert(octets <= 8, s"$octets octets for each answer")
  }
}
