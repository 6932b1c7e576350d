package needletail.content.security

import needletail.content._
import needletail.http.{Headers, MessageBody, Method, Request}
import needletail.routing._
import needletail.testing.Suite
import needletail.testkit._

/** Tokens of forms, and requests that have none, or somebody else's. */
class CsrfSuite extends Suite {
  private def key(n: Int)                = Array.fill[Byte](32)(n.toByte)
  private val secrets                    = new CookieSecrets(List(key(1)))
  private val csrf                       = Csrf(secrets, session = _.header("X-User").getOrElse(""))
  private def routes(csrf: Csrf): Routes = Routes(
    GET / "form" + csrf.token to (token => html"<form>${token.field}</form>".ok),
    GET / "two" + csrf.token + request to { case (token, request) => s"$token ${csrf.of(request)}".ok },
    GET / "none" to "none".ok,
    POST / "form" + csrf.form to (form => form.get("text").getOrElse("").ok),
    POST / "script" + csrf.inHeader + Body[String] to (text => text.ok)
  ).csrf(csrf)

  private val all = routes(csrf)

  private def shownBy(routes: Routes)(fields: (String, String)*): (String, String) = {
    val reply  = routes.test(Request(Method.GET, "/form", Headers(fields*)))
    val cookie = reply.header("Set-Cookie").fold("")(_.takeWhile(_ != ';'))
    (cookie, reply.text.split("value=\"")(1).takeWhile(_ != '"'))
  }

  private def shown(fields: (String, String)*): (String, String) = shownBy(all)(fields*)

  private def posted(token: String, fields: (String, String)*): Int =
    all.test(
      Request(
        Method.POST,
        "/form",
        Headers((("Content-Type" -> "application/x-www-form-urlencoded") +: fields)*),
        MessageBody.of(s"text=hello&_csrf=$token")
      )
    ).status.code

  test("a form with its token is accepted with its cookie, and no other") {
    val (cookie, token) = shown()
    assert(cookie.startsWith("csrf=") && token.forall(c => c.isLetterOrDigit || c == '-' || c == '_'), token)
    assertEquals(posted(token, "Cookie" -> cookie), 200)
    assertEquals(posted(token), 403)
    assertEquals(posted("", "Cookie" -> cookie), 403)
    assertEquals(posted(token.reverse, "Cookie" -> cookie), 403)
    assertEquals(posted(token.dropRight(4), "Cookie" -> cookie), 403)
    assertEquals(posted("!", "Cookie" -> cookie), 403)
    val longer = java.util.Base64.getUrlDecoder.decode(token) :+ 0.toByte
    assertEquals(
      posted(java.util.Base64.getUrlEncoder.withoutPadding.encodeToString(longer), "Cookie" -> cookie),
      403,
      "a byte too many"
    )
    val (other, theirs) = shown()
    assertEquals(posted(token, "Cookie" -> other), 403)
    assertEquals(posted(theirs, "Cookie" -> other), 200)
    assertEquals(posted(token, "Cookie" -> "csrf="), 403)
    assertEquals(posted(cookie.drop(5), "Cookie" -> cookie), 403, "the cookie is not the token")
  }

  test("one cookie for all of a browser's pages, another token in each") {
    val reply   = all.test(Request.get("/two"))
    val both    = reply.text.split(' ')
    val written = reply.header("Set-Cookie").get
    assert(written.endsWith("; Path=/; HttpOnly; SameSite=Lax"), written)
    assertEquals(reply.header("Cache-Control"), Some("private, no-cache"))
    val cookie = "Cookie" -> written.takeWhile(_ != ';')
    assert(both(0) != both(1))
    for (token <- both) assertEquals(posted(token, cookie), 200)
    val again = all.test(Request(Method.GET, "/form", Headers(cookie)))
    assertEquals(again.header("Set-Cookie"), None)
    assertEquals(posted(shown(cookie)._2, cookie), 200)
    assertEquals(all.test(Request.get("/none")).headers.contains("Set-Cookie"), false)
    val broken = all.test(Request(Method.GET, "/form", Headers("Cookie" -> "csrf=<script>")))
    assert(broken.header("Set-Cookie").isDefined)
    for (length <- Seq(21, 23)) {
      val other = all.test(Request(Method.GET, "/form", Headers("Cookie" -> s"csrf=${"A" * length}")))
      assert(other.header("Set-Cookie").isDefined, length)
    }
  }

  test("a token of a request that was made from the received one sets the cookie too") {
    val made = List[Request => Request](
      _.keep,
      _.withHeader("X-A", "1"),
      _.withBody(MessageBody.empty),
      _.keep.withHeader("X-A", "1").keep
    )
    for (make <- made) {
      val wrapped = Routes(
        GET / "form" + request to (request => csrf.of(make(request)).value.ok),
        GET / "id" + request to (request => RequestId().of(make(request)).ok)
      ).csrf(csrf).requestIds
      val reply  = wrapped.test(Request.get("/form"))
      val cookie = reply.header("Set-Cookie").fold("none")(_.takeWhile(_ != ';'))
      assertEquals(posted(reply.text, "Cookie" -> cookie), 200)
      val id = wrapped.test(Request.get("/id"))
      assertEquals(id.header("X-Request-Id"), Some(id.text))
    }
  }

  test("scripts send it as a header") {
    val (cookie, token)                      = shown()
    def code(fields: (String, String)*): Int =
      all.test(Request(Method.POST, "/script", Headers(fields*), MessageBody.of("x"))).status.code
    assertEquals(code("Cookie" -> cookie, "X-CSRF-Token" -> token), 200)
    assertEquals(code("Cookie" -> cookie), 403)
    assertEquals(code("X-CSRF-Token" -> token), 403)
    assertEquals(
      posted("", "Cookie" -> cookie, "X-CSRF-Token" -> token),
      403,
      "an empty field is a wrong one"
    )
  }

  test("a token belongs to its session, and to its keys") {
    val (cookie, token) = shown("X-User" -> "ann")
    assertEquals(posted(token, "Cookie" -> cookie, "X-User" -> "ann"), 200)
    assertEquals(posted(token, "Cookie" -> cookie, "X-User" -> "bob"), 403)
    val renewed     = routes(csrf.copy(secrets = new CookieSecrets(List(key(2), key(1)))))
    val (old, mine) = shown()
    val sent        = Request(
      Method.POST,
      "/script",
      Headers("Cookie" -> old, "X-CSRF-Token" -> mine),
      MessageBody.of("x")
    )
    assertEquals(renewed.test(sent).status.code, 200, "the old key's token")
    assertEquals(routes(csrf.copy(secrets = new CookieSecrets(List(key(2))))).test(sent).status.code, 403)
    val secure = shownBy(routes(csrf.copy(isSecure = _ => true)))()._1
    assert(secure.startsWith("__Host-csrf="), secure)
  }

  test("the field's name is escaped") {
    val reply = routes(csrf.copy(field = "\"><")).test(Request.get("/form"))
    assert(reply.text.startsWith("<form><input type=\"hidden\" name=\"&quot;&gt;&lt;\" value=\""), reply.text)
  }
}
