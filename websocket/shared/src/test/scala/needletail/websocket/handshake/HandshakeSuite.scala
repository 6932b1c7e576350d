package needletail.websocket.handshake

import scala.concurrent.duration._

import needletail.http.message.{Headers, Method}
import needletail.http.{MessageBody, Request}
import needletail.testing.Suite
import needletail.websocket.{Origins, WebSocketConfig}

class HandshakeSuite extends Suite {
  private val asked = Headers(
    "Host"                  -> "example.com",
    "Upgrade"               -> "websocket",
    "Connection"            -> "keep-alive, Upgrade",
    "Sec-WebSocket-Version" -> "13",
    "Sec-WebSocket-Key"     -> "dGhlIHNhbXBsZSBub25jZQ=="
  )

  private def status(
      headers: Headers,
      config: WebSocketConfig = WebSocketConfig(),
      method: Method = Method.GET
  ): Int = {
    val refusal = Handshake.refusal(Request(method, "/", headers, MessageBody.empty), config)
    if (refusal == null) 101 else refusal.response.status.code
  }

  test("SHA-1 of the standard's examples, and of every length around a block") {
    def hex(text: String) = Sha1(text.getBytes("US-ASCII")).map("%02x".format(_)).mkString
    assertEquals(hex("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d")
    assertEquals(hex(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709")
    assertEquals(
      hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
      "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
    )
    assertEquals(hex("a" * 64), "0098ba824b5c16427bd7a1122a5a442a25ec644d")
  }

  test("the accept value of RFC 6455 §1.3") {
    assertEquals(Handshake.acceptOf("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
  }

  test("what a request lacks decides its status") {
    assertEquals(status(asked), 101)
    assertEquals(status(asked, method = Method.POST), 405)
    assertEquals(status(Headers.empty, method = Method.POST), 405)
    assertEquals(status(Headers.empty, method = Method.HEAD), 426)
    assertEquals(status(asked, method = Method.HEAD), 426, "whatever it asks for, as it opens none")
    assertEquals(status(asked.remove("Upgrade")), 426)
    assertEquals(status(asked.set("Upgrade", "h2c")), 426)
    assertEquals(status(asked.set("Upgrade", "h2c, WebSocket")), 101)
    assertEquals(status(asked.set("Connection", "keep-alive")), 426)
    assertEquals(status(asked.set("Sec-WebSocket-Version", "8")), 426)
    assertEquals(status(asked.remove("Sec-WebSocket-Version")), 426)
    assertEquals(status(asked.remove("Sec-WebSocket-Key")), 400)
    assertEquals(status(asked.add("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")), 400)
    for (key <- Seq("", "short", "dGhlIHNhbXBsZSBub25jZQ=!", "dGhlIHNhbXBsZSBub25jZQAA"))
      assertEquals(status(asked.set("Sec-WebSocket-Key", key)), 400, key)
  }

  test("a refusal for want of the upgrade names protocol and version") {
    val headers = Handshake.refusal(Request.get("/"), WebSocketConfig()).response.headers
    assertEquals(headers.get("Upgrade"), Some("websocket"))
    assertEquals(headers.get("Connection"), Some("upgrade"))
    assertEquals(headers.get("Sec-WebSocket-Version"), Some("13"))
  }

  test("pages of other origins are refused, unless they are allowed") {
    def from(origin: String, origins: Origins = Origins.Same, host: String = "example.com") =
      status(asked.set("Host", host).set("Origin", origin), WebSocketConfig(origins = origins))
    assertEquals(from("http://example.com"), 101)
    assertEquals(from("https://example.com"), 101)
    assertEquals(from("https://EXAMPLE.com:443"), 101)
    assertEquals(from("http://example.com:8080", host = "example.com:8080"), 101)
    assertEquals(from("http://example.com:8080"), 403)
    assertEquals(from("http://example.com", host = "example.com:8080"), 403)
    assertEquals(from("http://evil.example"), 403)
    assertEquals(from("http://example.com.evil.example"), 403)
    assertEquals(from("null"), 403)
    for (scheme <- Seq("ftp", "file", "chrome-extension", "httpx", ""))
      assertEquals(from(s"$scheme://example.com"), 403, scheme)
    assertEquals(from("null", Origins.Any), 101)
    val listed = Origins.Listed(Set("https://app.example"))
    assertEquals(from("https://app.example", listed), 101)
    assertEquals(from("http://example.com", listed), 101)
    assertEquals(from("http://app.example", listed), 403)
    assertEquals(from("https://app.example", Origins.Listed(Set("HTTPS://App.Example"))), 101)
    for (wrong <- Seq("app.example", "https://app.example/", "*"))
      intercept[IllegalArgumentException](Origins.Listed(Set(wrong)))
    assertEquals(status(asked.add("Origin", "http://example.com").add("Origin", "http://evil.example")), 403)
  }

  test(
    "a refused page of the same host and another port is told of proxies that do not pass Host on as it came"
  ) {
    def text(origin: String, host: String) = {
      val headers = asked.set("Host", host).set("Origin", origin)
      val request = Request(Method.GET, "/", headers, MessageBody.empty)
      new String(Handshake.refusal(request, WebSocketConfig()).response.content, "UTF-8")
    }
    for ((origin, host) <- List("https://a.example:8443" -> "a.example", "http://[::1]:81" -> "[::1]:8080"))
      assert(text(origin, host).contains("proxy_set_header Host $http_host"), text(origin, host))
    for (origin <- List("https://b.example:8443", "https://b.example", "null", "ftp://a.example:8443"))
      assertEquals(text(origin, "a.example"), "pages of this origin may not connect")
  }

  test("every size and duration of the settings is checked") {
    def refused(name: String)(config: => WebSocketConfig): Unit = {
      val error = intercept[IllegalArgumentException](config)
      assert(error.getMessage.startsWith(s"WebSocketConfig.$name is "), error.getMessage)
    }
    refused("maxMessage")(WebSocketConfig(maxMessage = 0))
    refused("maxFrame")(WebSocketConfig(maxFrame = 0))
    refused("maxPendingOutput")(WebSocketConfig(maxPendingOutput = 0))
    refused("pingInterval")(WebSocketConfig(pingInterval = -1.second))
    refused("pingTimeout")(WebSocketConfig(pingTimeout = 0.seconds))
    refused("closeTimeout")(WebSocketConfig(closeTimeout = 0.seconds))
    refused("closeTimeout")(WebSocketConfig(closeTimeout = 4000.days))
    assertEquals(WebSocketConfig(pingInterval = 0.seconds).pingNanos, 0L) // none
  }

  test("the subprotocol is the first of ours that the client names") {
    val request = Request(
      Method.GET,
      "/",
      asked.add("Sec-WebSocket-Protocol", "a, b").add("Sec-WebSocket-Protocol", "c"),
      MessageBody.empty
    )
    assertEquals(Handshake.subprotocol(request, Seq("x", "c", "a")), Some("c"))
    assertEquals(Handshake.subprotocol(request, Seq("x")), None)
    assertEquals(Handshake.subprotocol(request, Nil), None)
    assertEquals(Handshake.accepted(request, Some("c"), null).get("Sec-WebSocket-Protocol"), Some("c"))
  }
}
