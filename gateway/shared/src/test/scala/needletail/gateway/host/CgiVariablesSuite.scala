package needletail.gateway.host

import needletail.gateway.GatewayRequest
import needletail.gateway.format.cgi.Variables
import needletail.gateway.host.incoming.{RedirectedConnection, ScriptPath}
import needletail.http._
import needletail.testing.Suite

/** What programs are told of connections that tests over loopback do not have. */
class CgiVariablesSuite extends Suite {
  private def told(
      local: String,
      remote: String = "",
      secure: Boolean = false,
      host: String = "" // as HTTP/1.1 has it where the target has no authority
  ): Map[String, String] = {
    val connection = new Attachments {
      def remoteAddress: String = remote
      def localAddress: String  = local
      def isSecure: Boolean     = secure
    }
    val made    = Request(Method.GET, "/a?b", Headers.empty.add("Host", host))
    val request = new Request(made.head, made.head.generation, MessageBody.empty, connection)
    CgiVariables.of(request, ScriptPath("/a", "", null, null), 0, ProgramHostConfig()).toMap
  }

  test("IPv6: SERVER_NAME is in brackets, addresses are not") {
    val all = told("[2001:db8::1]:8080", "[2001:db8::2]:99")
    assertEquals(
      List("SERVER_NAME", "SERVER_ADDR", "SERVER_PORT", "REMOTE_ADDR", "REMOTE_PORT").map(all),
      List("[2001:db8::1]", "2001:db8::1", "8080", "2001:db8::2", "99")
    )
    assertEquals(told("[::1]:80", host = "[2001:db8::3]:444")("SERVER_NAME"), "[2001:db8::3]")
  }

  test("the host of an absolute target counts, and not what the client sent beside it") {
    val request = Request(Method.GET, "http://good.test:81/x", Headers("Host" -> "evil.test"))
    val all     = CgiVariables.of(request, ScriptPath("/x", "", null, null), 0, ProgramHostConfig()).toMap
    assertEquals((all("HTTP_HOST"), all("SERVER_NAME")), ("good.test:81", "good.test"))
  }

  test("TLS, and a Unix socket, which has no addresses") {
    val all = told("/run/app.sock", secure = true)
    assertEquals(
      List("HTTPS", "REQUEST_SCHEME", "SERVER_NAME", "SERVER_PORT", "REMOTE_ADDR").map(all),
      List("on", "https", "localhost", "443", "127.0.0.1")
    )
    assertEquals(told("192.0.2.1:80").get("HTTPS"), None)
  }

  test("what is empty is there where RFC 3875 wants it, and else is not") {
    val all = told("192.0.2.1:80")
    assertEquals(all("QUERY_STRING"), "b")
    for (name <- List("PATH_INFO", "CONTENT_LENGTH", "CONTENT_TYPE", "REMOTE_PORT", "HTTPS"))
      assertEquals(all.get(name), None, name)
  }

  test("a request that was redirected here still has what the server in front said of it") {
    val made    = Request(Method.GET, "/a", Headers.empty)
    val gateway = new GatewayRequest(Variables.of(Seq("REMOTE_USER" -> "ann")), "")
    val twice   = new RedirectedConnection(new RedirectedConnection(gateway, 1), 2)
    val request = new Request(made.head, made.head.generation, MessageBody.empty, twice)
    assertEquals(GatewayRequest.of(request).flatMap(_.variable("REMOTE_USER")), Some("ann"))
    assertEquals(GatewayRequest.of(made), None)
  }
}
