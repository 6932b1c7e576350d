package needletail.websocket.handshake

import java.lang.management.ManagementFactory

import needletail.http.{Headers, Method, Request}
import needletail.testing.Suite
import needletail.websocket.config.WebSocketConfig

/**
 * What a handshake leaves to the collector. Natively its objects lie between those of the connection, which then keep
 * whole blocks of the heap: so garbage here costs memory for as long as the WebSocket is open.
 */
class HandshakeAllocationSuite extends Suite {
  private val threads = ManagementFactory.getThreadMXBean.asInstanceOf[com.sun.management.ThreadMXBean]
  private val request = Request(
    Method.GET,
    "/ws",
    Headers((1 to 12).map(n => s"X-$n" -> "of a browser")*)
      .add("Host", "localhost")
      .add("Upgrade", "websocket")
      .add("Connection", "keep-alive, Upgrade")
      .add("Sec-WebSocket-Version", "13")
      .add("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")
  )

  private def bytesOf(body: => Any): Long = {
    val times             = 1000
    var least             = Long.MaxValue
    var result: Any       = null
    def allocated(): Long = threads.getThreadAllocatedBytes(Thread.currentThread.getId)
    for (_ <- 1 to 5) {
      val before = allocated()
      for (_ <- 1 to times) result = body
      least = Math.min(least, (allocated() - before) / times)
    }
    assert(result != "nothing")
    least
  }

  test("checking a request allocates nothing for fields that do not matter") {
    val config = WebSocketConfig()
    assertEquals(Handshake.refusal(request, config), null)
    val bytes = bytesOf(Handshake.refusal(request, config))
    assert(bytes < 100, bytes.toString)
  }

  test("the answer allocates little") {
    val bytes = bytesOf(Handshake.accepted(request, None, null))
    assert(bytes < 300, bytes.toString)
  }
}
