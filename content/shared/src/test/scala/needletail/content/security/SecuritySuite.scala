package needletail.content.security

import java.util.Base64

import scala.concurrent.duration._

import needletail.async.Async
import needletail.content._
import needletail.http.{ByteStream, Headers, Method, Request, Response, Status}
import needletail.routing._
import needletail.testing.Suite
import needletail.testkit._

class SecuritySuite extends Suite {
  private val plain = Routes(GET / "x" to "x".ok, POST / "x" to "posted".ok)

  private def ask(routes: Routes, method: Method, fields: (String, String)*) =
    routes.test(Request(method, "/x", Headers(fields*)))

  test("CORS: an origin that is allowed, one that is not, and a preflight") {
    val routes = plain.cors(CorsConfig(
      Set("https://a.example"),
      headers = List("X-Token"),
      exposed = List("X-Id"),
      credentials = true
    ))
    val allowed = ask(routes, Method.GET, "Origin" -> "https://a.example")
    assertEquals(allowed.header("Access-Control-Allow-Origin"), Some("https://a.example"))
    assertEquals(allowed.header("Access-Control-Allow-Credentials"), Some("true"))
    assertEquals(allowed.header("Access-Control-Expose-Headers"), Some("X-Id"))
    assertEquals(allowed.header("Vary"), Some("Origin"))
    val other = ask(routes, Method.GET, "Origin" -> "https://b.example")
    assertEquals(other.header("Access-Control-Allow-Origin"), None)
    assertEquals(other.header("Vary"), Some("Origin"))
    val preflight =
      ask(routes, Method.OPTIONS, "Origin" -> "https://a.example", "Access-Control-Request-Method" -> "POST")
    assertEquals(preflight.status.code, 204)
    assertEquals(preflight.header("Access-Control-Allow-Methods"), Some("GET, HEAD, POST"))
    assertEquals(preflight.header("Access-Control-Allow-Headers"), Some("X-Token"))
    assertEquals(preflight.header("Access-Control-Max-Age"), Some("600"))
    val nowhere = Headers("Origin" -> "https://a.example", "Access-Control-Request-Method" -> "POST")
    assertEquals(routes.test(Request(Method.OPTIONS, "/none", nowhere)).status.code, 404)
    val all = ask(plain.cors(CorsConfig(Set("*"))), Method.GET, "Origin" -> "https://b.example")
    assertEquals(all.header("Access-Control-Allow-Origin"), Some("*"))
    intercept[IllegalArgumentException](CorsConfig(Set("*"), credentials = true))
  }

  test("CORS: what a proxied service grants to other origins is not granted") {
    val open = GET / "x" to Response.ok("x")
      .header("Access-Control-Allow-Origin", "*").header("Access-Control-Allow-Credentials", "true")
      .header("Access-Control-Expose-Headers", "X-Secret")
    val routes = Routes(open).cors(CorsConfig(Set("https://a.example")))
    for (origin <- List("https://a.example", "https://b.example")) {
      val answer = ask(routes, Method.GET, "Origin" -> origin)
      assertEquals(
        answer.header("Access-Control-Allow-Origin"),
        Some(origin).filter(_ == "https://a.example")
      )
      assertEquals(answer.header("Access-Control-Allow-Credentials"), None)
      assertEquals(answer.header("Access-Control-Expose-Headers"), None)
    }
    assertEquals(ask(routes, Method.GET).header("Access-Control-Allow-Origin"), None)
  }

  test(
    "CORS: the stream of a response to a preflight is cancelled once, also if that throws, which is told"
  ) {
    for (fails <- List(false, true)) {
      var cancelled = 0
      val source    = new ByteStream {
        def next(): Async[Option[Array[Byte]]] = Async.value(None)
        def cancel(): Unit                     = {
          cancelled += 1
          if (fails) throw new IllegalStateException("cancel")
        }
      }
      val routes = Routes(ANY / "x" to Response(Status.MethodNotAllowed).stream(source))
        .cors(CorsConfig(Set("https://a.example")))
      def preflight = ask(
        routes,
        Method.OPTIONS,
        "Origin"                        -> "https://a.example",
        "Access-Control-Request-Method" -> "POST"
      )
      if (fails) assertEquals(intercept[IllegalStateException](preflight.status).getMessage, "cancel")
      else assertEquals(preflight.status.code, 204)
      assertEquals(cancelled, 1)
    }
  }

  test("an origin that no browser sends is an error, since it would never match") {
    for (
      wrong <-
        Seq("a.example", "https://a.example/", "https://A.example", "https://a.example:443", "https://", "")
    )
      for (config <- Seq(() => CorsConfig(Set(wrong)), () => CrossSite(Set(wrong)))) {
        val message = intercept[IllegalArgumentException](config()).getMessage
        assert(message.contains(s" is $wrong, but must be an origin as browsers send it"), message)
      }
    for (
      right <- Seq("http://localhost:3000", "https://a.example:8443", "http://[::1]:8080", "null", "app://x")
    ) {
      CorsConfig(Set(right))
      CrossSite(Set(right))
    }
    intercept[IllegalArgumentException](CrossSite(Set("*")))
  }

  test("security headers; what a handler has set stays, and HSTS needs TLS") {
    val routes = Routes(GET / "x" to "x".ok.header("Referrer-Policy", "no-referrer"))
      .securityHeaders(SecurityHeaders(hsts = Some(365.days)))
    val reply = ask(routes, Method.GET)
    assertEquals(reply.header("X-Content-Type-Options"), Some("nosniff"))
    assertEquals(reply.headers.getAll("Referrer-Policy"), List("no-referrer"))
    assertEquals(reply.header("Content-Security-Policy"), Some("frame-ancestors 'self'"))
    assertEquals(reply.header("Strict-Transport-Security"), None)
  }

  test("a request from another site is refused if it could change something") {
    val routes                               = plain.refuseCrossSite(CrossSite(Set("https://friend.example")))
    def code(fields: (String, String)*): Int =
      ask(routes, Method.POST, (("Host" -> "me.example") +: fields)*).status.code
    assertEquals(code(), 200)
    assertEquals(code("Sec-Fetch-Site" -> "same-origin"), 200)
    assertEquals(code("Sec-Fetch-Site" -> "cross-site"), 403)
    assertEquals(code("Sec-Fetch-Site" -> "same-site"), 403)
    assertEquals(code("Origin" -> "https://me.example"), 200)
    assertEquals(code("Origin" -> "https://evil.example"), 403)
    assertEquals(code("Origin" -> "null"), 403)
    assertEquals(code("Origin" -> "https://friend.example", "Sec-Fetch-Site" -> "cross-site"), 200)
    assertEquals(ask(routes, Method.GET, "Sec-Fetch-Site" -> "cross-site").status.code, 200)
    val others = Routes(PUT / "x" to "put".ok, DELETE / "x" to "deleted".ok).refuseCrossSite(CrossSite())
    for (method <- Seq(Method.PUT, Method.DELETE))
      assertEquals(ask(others, method, "Sec-Fetch-Site" -> "cross-site").status.code, 403, method)
  }

  test("a request of a page of the same host and another port is told of proxies that change Host") {
    val routes                                                      = plain.refuseCrossSite(CrossSite())
    def text(host: String, origin: String, more: (String, String)*) =
      ask(routes, Method.POST, (Seq("Host" -> host, "Origin" -> origin) ++ more)*).text
    val told = text("me.example", "https://me.example:8443")
    assert(told.startsWith("a request from another site; ") && told.contains("Host $http_host"), told)
    assertEquals(text("me.example", "https://evil.example:8443"), "a request from another site")
    val fromBrowser = text("me.example", "https://me.example:8443", "Sec-Fetch-Site" -> "same-site")
    assertEquals(fromBrowser, "a request from another site") // the browser compares by itself
    // as a proxy passes it that names the default port
    assertEquals(
      ask(routes, Method.POST, "Host" -> "me.example:443", "Origin" -> "https://me.example").status.code,
      200
    )
  }

  private def encoded(text: String) = Base64.getEncoder.encodeToString(text.getBytes("UTF-8"))

  test("basic authentication (RFC 7617)") {
    val user = Authentication.basic("the \"realm\"")((u, p) =>
      Async.value(if (u == "ann" && p == "a:b") Some(u) else None)
    )
    val routes = Routes((GET / "x" + user) to (_.ok))
    assertEquals(ask(routes, Method.GET, "Authorization" -> s"basic ${encoded("ann:a:b")}").text, "ann")
    for (
      value <-
        Seq(
          "",
          "Basic",
          "Basic ???",
          s"Basic ${encoded("ann")}",
          s"Basic ${encoded("ann:x")}",
          "Bearer x",
          s"Bearer ${encoded("ann:a:b")}",
          s"Basi ${encoded("ann:a:b")}"
        )
    ) {
      val refused = ask(routes, Method.GET, "Authorization" -> value)
      assertEquals(refused.status.code, 401, value)
      assertEquals(
        refused.header("WWW-Authenticate"),
        Some("Basic realm=\"the \\\"realm\\\"\", charset=\"UTF-8\"")
      )
    }
  }

  test("bearer tokens (RFC 6750)") {
    val token =
      Authentication.bearer("api")(t => Async.value(if (Authentication.same(t, "secret")) Some(1) else None))
    val routes = Routes((GET / "x" + token) to (n => n.toString.ok))
    assertEquals(ask(routes, Method.GET, "Authorization" -> "Bearer secret").text, "1")
    assertEquals(ask(routes, Method.GET).header("WWW-Authenticate"), Some("Bearer realm=\"api\""))
    assertEquals(
      ask(routes, Method.GET, "Authorization" -> "Bearer no").header("WWW-Authenticate"),
      Some("Bearer realm=\"api\", error=\"invalid_token\"")
    )
    assertEquals(ask(routes, Method.GET, "Authorization" -> "Basic secret").status.code, 401)
    assert(!Authentication.same("", "x") && !Authentication.same("x", "") && Authentication.same("", ""))
  }

  test("texts are the same only if each of their bytes is, and there are as many") {
    val text = "correct horse"
    assert(Authentication.same(text, new String(text.toCharArray)))
    for (i <- text.indices) {
      assert(
        !Authentication.same(text, text.updated(i, 'X')) && !Authentication.same(text.updated(i, 'X'), text),
        i
      )
      assert(!Authentication.same(text, text.take(i)) && !Authentication.same(text.take(i), text), i)
    }
    assert(!Authentication.same("abab", "ab") && !Authentication.same("ab", "abab"))
  }
}
