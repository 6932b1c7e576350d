package needletail.server.failure

import needletail.async.UpstreamFailure
import needletail.http.Request
import needletail.testing.Suite

class HandlerFailuresSuite extends Suite {
  private class Upstream(message: => String, cause: Throwable = null)
      extends RuntimeException("", cause)
      with UpstreamFailure {
    def upstreamReason: UpstreamFailure.Reason = UpstreamFailure.Broken
    override def getMessage: String            = message
  }

  test("what has failed is told on one line, without control characters") {
    val cause = new IllegalStateException("no\u001b[2K\r\nroom")
    assertEquals(
      HandlerFailures.causes(new Upstream("down\nneedletail: all is well", cause)),
      "down needletail: all is well; caused by java.lang.IllegalStateException: no?[2K? room"
    )
  }

  test("an exception that throws when it is asked what it is, is told all the same") {
    def fails: Nothing = throw new IllegalStateException("not now")
    val mute           = new RuntimeException { override def toString: String = fails }
    assertEquals(
      HandlerFailures.causes(new Upstream(fails, mute)),
      s"${classOf[Upstream].getName}, whose getMessage throws; caused by ${mute.getClass.getName}, whose toString throws"
    )
    val endless = new Upstream("x") { override def getCause: Throwable = fails }
    assertEquals(HandlerFailures.causes(endless), "x")
  }

  test("a request is named with the id that its client got, if there is one") {
    val request = Request.get("/orders/7?token=secret")
    assertEquals(HandlerFailures.name(request), ": GET /orders/7")
    assertEquals(request.shared.idOr("5f1e"), "5f1e")
    assertEquals(HandlerFailures.name(request), ": GET /orders/7") // an id that nobody is told
    request.shared.idField = "X-Request-Id"
    assertEquals(HandlerFailures.name(request), ": GET /orders/7 (id 5f1e)")
    assertEquals(HandlerFailures.name(null), "")
  }
}
