package needletail.content.answer

import needletail.content._
import needletail.http.{Headers, Method, Request}
import needletail.json._
import needletail.routing._
import needletail.testing.Suite
import needletail.testkit._

class AnswerSuite extends Suite {
  test("HTML escapes what it is given, but not HTML") {
    val name = "<b>\"Ann\" & 'Bob'</b>"
    assertEquals(html"<p title=\"$name\">$name</p>".toString.contains("<b>"), false)
    assertEquals(
      html"<i>${"<"}${1}${html"<br>"}${List("a&", "b")}${None}${Some(">")}</i>\n".toString,
      "<i>&lt;1<br>a&amp;b&gt;</i>\n"
    )
    assertEquals(html"${"\"'"}".toString, "&quot;&#39;")
    val reply = Routes(GET / "x" to html"<p>".ok).test(Request.get("/x"))
    assertEquals((reply.text, reply.header("Content-Type")), ("<p>", Some("text/html; charset=utf-8")))
  }

  test("a problem is JSON, and errors of routes become problems (RFC 9457)") {
    val routes = Routes(
      GET / "order" / arg[Int] to (_ =>
        Problem(
          Status.Conflict,
          "sold out",
          kind = "https://x.example/sold-out",
          extensions = Json.obj("left" -> 0)
        ).toResponse
      )
    ).problems
    val own = routes.test(Request.get("/order/1"))
    assertEquals(own.status.code, 409)
    assertEquals(own.header("Content-Type"), Some("application/problem+json"))
    assertEquals(
      Json.parse(own.text).toOption,
      Json.parse(
        """{"left":0,"status":409,"type":"https://x.example/sold-out","title":"Conflict","detail":"sold out"}"""
      ).toOption
    )
    val bad = routes.test(Request.get("/order/x"))
    assertEquals(bad.status.code, 400)
    assertEquals(bad.header("Content-Type"), Some("application/problem+json"))
    assert(Json.parse(bad.text).flatMap(_.at("detail").as[String]).exists(_.contains("x")), bad.text)
  }

  test("an error that is compressed already is left as it is") {
    val coded  = Response(Status.BadRequest).text("\u001f").header("Content-Encoding", "gzip")
    val routes = Routes(GET / "coded" to coded).problems
    val reply  = routes.test(Request.get("/coded"))
    assertEquals((reply.text, reply.header("Content-Encoding")), ("\u001f", Some("gzip")))
  }

  test("redirections, and locations that stay here") {
    assertEquals(Redirect.seeOther("/a?b=c").status.code, 303)
    assertEquals(Redirect.permanent("/a").headers.get("Location"), Some("/a"))
    for (bad <- Seq("/a b", "/a\r\nX: y", "/ä")) {
      intercept[IllegalArgumentException](Redirect.temporary(bad)); ()
    }
    assertEquals(
      intercept[IllegalArgumentException](Redirect.temporary("/a b")).getMessage,
      "the location '/a b' of a redirect must be percent-encoded, as by PercentCoding.encode: it has ' ' at position 3"
    )
    val secret = intercept[IllegalArgumentException](Redirect.temporary("/reset?token=abc&name=é")).getMessage
    assert(
      secret.startsWith("the location '/reset' of") && secret.endsWith("'\\u00e9' at position 23"),
      secret
    )
    for (local <- Seq("/", "/a?b#c")) assert(Redirect.isLocal(local), local)
    for (
      other <- Seq("", "a", "//evil.example", "/\\evil.example", "https://evil.example", "/a\tb", "\\\\evil")
    )
      assert(!Redirect.isLocal(other), other)
  }

  test("names of downloads (RFC 6266)") {
    def of(name: String) = Response.ok.download(name).headers.get("Content-Disposition").get
    assertEquals(of("a b.txt"), "attachment; filename=\"a b.txt\"")
    assertEquals(of("näh\"%.txt"), "attachment; filename=\"n_h__.txt\"; filename*=UTF-8''n%C3%A4h%22%25.txt")
    assertEquals(of("a\r\nX: y"), "attachment; filename=\"aX: y\"")
    assertEquals(Response.ok.inline("a").headers.get("Content-Disposition"), Some("inline; filename=\"a\""))
  }

  test("content negotiation (RFC 9110 §12.5.1)") {
    val offered = Seq("application/json", "text/html; charset=utf-8")
    val cases   = Seq(
      ""                                        -> Some("application/json"),
      "text/html"                               -> Some("text/html; charset=utf-8"),
      "*/*"                                     -> Some("application/json"),
      "text/*;q=0.9, */*;q=0.1"                 -> Some("text/html; charset=utf-8"),
      "text/html;q=0, */*"                      -> Some("application/json"),
      "application/json;q=0.5, text/html;q=0.5" -> Some("application/json"),
      "image/png"                               -> None,
      // parameters are of special cases, and of others only if there is nothing about them
      "text/html;level=1;q=0.1, text/html, application/json;q=0.5"  -> Some("text/html; charset=utf-8"),
      "text/html; level=1, text/html;q=0.1, application/json;q=0.5" -> Some("application/json"),
      "text/html;;Q=0.1, text/html, application/json;q=0.5"         -> Some("application/json"),
      "application/json;charset=utf-8;q=0.9, text/html;q=0.5"       -> Some("application/json"),
      // nor do they take away what a wildcard accepts
      "text/html;level=1;q=0.1, */*;q=0.5, application/json;q=0.2" -> Some("text/html; charset=utf-8"),
      "text/html;level=1, */*;q=0.1"                               -> Some("text/html; charset=utf-8")
    )
    for ((accept, expected) <- cases) assertEquals(Negotiation.choose(accept, offered), expected, accept)
    for (accept <- Seq("text/html;level=1;q=0, */*", "text/*, text/html;level=1;q=0"))
      assertEquals(Negotiation.choose(accept, Seq("text/html")), Some("text/html"), accept)
    assertEquals(Negotiation.choose("text/html;level=1, text/html;q=0, */*", Seq("text/html")), None)
    val routes = Routes(GET / "x" + request to (r => negotiate(r)("text/plain" -> (() => "x".ok))))
    assertEquals(routes.test(Request.get("/x")).header("Vary"), Some("Accept"))
    assertEquals(routes.test(Request(Method.GET, "/x", Headers("Accept" -> "image/png"))).status.code, 406)
  }

  test("request ids: made, kept if that is allowed, and the same for handler and response") {
    val ids    = RequestId(accept = true)
    val routes = Routes(GET / "x" + request to (r => ids.of(r).ok)).requestIds(ids)
    val made   = routes.test(Request.get("/x"))
    assertEquals(made.header("X-Request-Id"), Some(made.text))
    assertEquals(made.text.length, 32)
    assert(made.text != routes.test(Request.get("/x")).text)
    assertEquals(routes.test(Request(Method.GET, "/x", Headers("X-Request-Id" -> "a-1"))).text, "a-1")
    assertEquals(routes.test(Request(Method.GET, "/x", Headers("X-Request-Id" -> "a b"))).text.length, 32)
    val own =
      Routes(GET / "x" to "x".ok).requestIds.test(Request(Method.GET, "/x", Headers("X-Request-Id" -> "a-1")))
    assert(own.header("X-Request-Id") != Some("a-1"))
  }
}
