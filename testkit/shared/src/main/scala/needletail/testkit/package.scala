package needletail

/**
 * Tests of handlers and routes without sockets, threads or waiting:
 * {{{
 * import needletail.testkit._
 *
 * assertEquals(routes.test(Request.get("/hello/Ann")).text, "Hello, Ann!")
 * }}}
 * Time is virtual, see [[testkit.ManualLoop]].
 */
package object testkit {

  /** `routes.test(request)`, for routes and any other handler. */
  implicit class TestedHandler(private val handler: http.Handler) {

    /**
     * Passes `request` to the handler on `loop`; see [[TestReply]]. Requests that share what lives on a loop, such as
     * an actor, need the same one.
     */
    def test(request: http.Request, loop: ManualLoop = new ManualLoop): TestReply =
      TestReply(handler, request, loop)
  }
}
