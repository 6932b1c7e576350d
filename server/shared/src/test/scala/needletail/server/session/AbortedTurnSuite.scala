package needletail.server.session

import needletail.async.{Async, AsyncPromise}
import needletail.http.Response
import needletail.routing._
import needletail.testing.Suite

/** A turn that has thrown an exception. */
class AbortedTurnSuite extends Suite {
  test("what is in progress is cancelled, even if the client's address cannot be logged") {
    var cancelled = 0
    val never     = new AsyncPromise[Response]
    never.onCancel(() => cancelled += 1)
    val wire = new FakeWire(Routes(GET / "now" to Response.ok, GET / "never" to (never: Async[Response])))
    wire.writing = () => throw new IllegalStateException("nothing can be written")
    wire.client = () => throw new UnsupportedOperationException("no address")
    val _ = intercept[UnsupportedOperationException](
      wire.send("GET /now HTTP/1.1\r\nHost: a\r\n\r\nGET /never HTTP/1.1\r\nHost: a\r\n\r\n")
    )
    assert(wire.isAborted)
    assertEquals(cancelled, 1)
  }
}
