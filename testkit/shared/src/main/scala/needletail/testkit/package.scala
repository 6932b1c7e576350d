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

  /** `request.withConnection(…)`: what a server knows of the client. */
  implicit class TestedRequest(private val request: http.Request) {

    /**
     * The same request over a connection of that kind, with attachments of its own. Without it a request comes from
     * `127.0.0.1:0`, without TLS.
     *
     * @param remoteAddress as `ConnectionInfo.remoteAddress` has it: `192.0.2.1:4711`, `[2001:db8::1]:4711`
     * @param isSecure      whether the client uses TLS
     * @param peer          the certificate that it has shown, such as `TestPeer("CN=Ann")`, which implies TLS; null: none
     * @param localAddress  the server's
     */
    def withConnection(
        remoteAddress: String = "127.0.0.1:0",
        isSecure: Boolean = false,
        peer: http.PeerCertificate = null,
        localAddress: String = "127.0.0.1:0"
    ): http.Request =
      request.over(new TestConnection(remoteAddress, localAddress, isSecure || peer != null, Option(peer)))
  }
}
