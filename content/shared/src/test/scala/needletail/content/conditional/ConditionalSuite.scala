package needletail.content.conditional

import java.nio.charset.StandardCharsets.UTF_8

import scala.concurrent.duration._

import needletail.async.Async
import needletail.content._
import needletail.http.{ByteStream, Headers, HttpDate, Method, Request, Response, Status}
import needletail.routing._
import needletail.testing.Suite
import needletail.testkit._

/** Conditions of requests for what handlers answer (RFC 9110 §13). */
class ConditionalSuite extends Suite {
  private val modified = 784111777L
  private val date     = HttpDate.format(modified)
  private val later    = HttpDate.format(modified + 10)
  private val earlier  = HttpDate.format(modified - 10)
  private val shared   = Headers("Cache-Control" -> "no-cache", "Vary" -> "Accept")

  private var performed = 0

  private def page: Response = {
    performed += 1
    "the page".ok
  }

  /** A resource in that state, answered by `conditionally`. */
  private def resource(
      tag: Option[EntityTag] = Some(EntityTag("v1")),
      at: Option[Long] = Some(modified),
      make: => Response = page
  ): Routes = Routes(
    (ANY / "x" + request) to (request => conditionally(request, tag, at, shared)(make))
  )

  private def reply(routes: Routes, method: Method, fields: (String, String)*): TestReply = {
    performed = 0
    routes.test(Request(method, "/x", Headers(fields*)))
  }

  test("200 has the validators and the common fields; 304 has them too, nothing that describes a content") {
    val whole = reply(resource(make = page.contentType("text/plain").cookie(Cookie("a", "b"))), Method.GET)
    assertEquals((whole.status.code, whole.text), (200, "the page"))
    assertEquals(whole.header("ETag"), Some("\"v1\""))
    assertEquals(whole.header("Last-Modified"), Some(date))
    for (method <- Seq(Method.GET, Method.HEAD)) {
      val known = reply(resource(), method, "If-None-Match" -> "\"v1\"")
      assertEquals((known.status.code, known.text, performed), (304, "", 0))
      assertEquals(
        known.headers.toList.toSet,
        Set("ETag" -> "\"v1\"", "Cache-Control" -> "no-cache", "Vary" -> "Accept")
      )
    }
    val dated = reply(resource(tag = None), Method.GET, "If-Modified-Since" -> date)
    assertEquals((dated.status.code, dated.header("Last-Modified")), (304, Some(date)))
  }

  test("the order of RFC 9110 §13.2.2, for methods that read and for those that change") {
    val tag    = "\"v1\""
    val weak   = "W/\"v1\""
    val other  = "\"v2\""
    val always = List( // fields, status of GET, status of PUT
      (List("If-Match" -> tag), 200, 200),
      (List("If-Match" -> s"$other, $tag"), 200, 200),
      (List("If-Match" -> "*"), 200, 200),
      (List("If-Match" -> weak), 412, 412), // compared strongly
      (List("If-Match" -> other), 412, 412),
      (List("If-Match" -> tag, "If-Unmodified-Since" -> earlier), 200, 200),
      (List("If-Unmodified-Since" -> earlier), 412, 412),
      (List("If-Unmodified-Since" -> date), 200, 200),
      (List("If-Unmodified-Since" -> "yesterday"), 200, 200),
      (List("If-None-Match" -> tag), 304, 412),
      (List("If-None-Match" -> weak), 304, 412), // compared weakly
      (List("If-None-Match" -> "*"), 304, 412),
      (List("If-None-Match" -> other), 200, 200),
      (List("If-None-Match" -> other, "If-Modified-Since" -> later), 200, 200),
      (List("If-Modified-Since" -> date), 304, 200),
      (List("If-Modified-Since" -> earlier), 200, 200),
      (List("If-Match" -> tag, "If-None-Match" -> tag), 304, 412),
      (List("If-Match" -> other, "If-None-Match" -> tag), 412, 412),
      (List("If-Unmodified-Since" -> date, "If-None-Match" -> tag), 304, 412)
    )
    for {
      (fields, read, changed) <- always
      (method, expected)      <- List(
        Method.GET    -> read,
        Method.HEAD   -> read,
        Method.PUT    -> changed,
        Method.PATCH  -> changed,
        Method.POST   -> changed,
        Method.DELETE -> changed
      )
    } {
      val got = reply(resource(), method, fields*)
      assertEquals(
        (got.status.code, performed),
        (expected, if (expected == 200) 1 else 0),
        s"$method $fields"
      )
    }
    assertEquals(reply(resource(), Method.OPTIONS, "If-None-Match" -> "*").status.code, 200)
    assertEquals(reply(resource(), Method.TRACE, "If-Match" -> other).status.code, 200)
  }

  test("a weak tag never fits If-Match") {
    val weak = resource(tag = Some(EntityTag("v1", isWeak = true)))
    assertEquals(reply(weak, Method.GET, "If-None-Match" -> "\"v1\"").status.code, 304)
    assertEquals(reply(weak, Method.GET, "If-None-Match" -> "\"v1\"").header("ETag"), Some("W/\"v1\""))
    assertEquals(reply(weak, Method.PUT, "If-Match" -> "W/\"v1\"").status.code, 412)
    assertEquals(reply(weak, Method.PUT, "If-Match" -> "*").status.code, 200)
  }

  test("where nothing is yet, a PUT may create it but not replace it") {
    val none = resource(tag = None, at = None, make = { performed += 1; "new".created })
    assertEquals(reply(none, Method.PUT, "If-None-Match" -> "*").status.code, 201)
    assertEquals(reply(none, Method.PUT, "If-Match" -> "*").status.code, 412)
    assertEquals(performed, 0)
  }

  test("a response to a change does not have the tag from before it; a 412 names the current one") {
    val changed = reply(resource(), Method.PUT, "If-Match" -> "\"v1\"")
    assertEquals((changed.header("ETag"), changed.header("Cache-Control")), (None, None))
    val lost = reply(resource(), Method.PUT, "If-Match" -> "\"v0\"")
    assertEquals((lost.status.code, lost.header("ETag")), (412, Some("\"v1\"")))
    assertEquals(lost.text, "the request's condition does not hold")
  }

  test("an error of the handler has no tag, and a later response is conditional too") {
    val gone = reply(resource(make = "gone".gone), Method.GET)
    assertEquals((gone.status.code, gone.header("ETag")), (410, None))
    val slow = Routes((GET / "x" + request) to (request =>
      conditionally(request, Some(EntityTag("v1")))(Async.sleep(1.second).map(_ => page))
    ))
    assertEquals(reply(slow, Method.GET).header("ETag"), Some("\"v1\""))
    assertEquals(reply(slow, Method.GET, "If-None-Match" -> "\"v1\"").status.code, 304)
    assertEquals(performed, 0)
  }

  // routes.conditional

  private def wrapped(response: => Response): Routes = Routes(ANY / "x" to response).conditional

  test("routes.conditional: a response with a tag or a date is sent only to those who do not have it") {
    def made = page
      .etag("v1")
      .lastModified(modified)
      .cacheControl(1.minute)
      .contentType("text/html")
      .inline("a.html")
      .header("Content-Language", "en")
      .header("Content-Location", "/x/1")
      .header("Content-Security-Policy", "default-src 'self'")
      .cookie(Cookie("a", "b"))
    for (method <- Seq(Method.GET, Method.HEAD)) {
      assertEquals(reply(wrapped(made), method).status.code, 200)
      assertEquals(reply(wrapped(made), method, "If-None-Match" -> "\"v0\"").status.code, 200)
      assertEquals(reply(wrapped(made), method, "If-Match" -> "\"v0\"").status.code, 412)
      val known = reply(wrapped(made), method, "If-None-Match" -> "W/\"v1\"")
      assertEquals((known.status.code, known.text), (304, ""))
      assertEquals(
        known.headers.toList.map(_._1).toSet,
        Set("ETag", "Cache-Control", "Content-Location", "Content-Security-Policy", "Set-Cookie")
      )
      assertEquals(known.header("Cache-Control"), Some("max-age=60"))
      assertEquals(
        reply(wrapped(page.lastModified(modified)), method, "If-Modified-Since" -> date).status.code,
        304
      )
    }
  }

  test("routes.conditional leaves alone what has neither tag nor date, errors, and what other methods did") {
    assertEquals(reply(wrapped(page), Method.GET, "If-None-Match" -> "*").status.code, 200)
    assertEquals(
      reply(wrapped("no".notFound.etag("v1")), Method.GET, "If-None-Match" -> "*").status.code,
      404
    )
    assertEquals(reply(wrapped(page.etag("v1")), Method.PUT, "If-None-Match" -> "\"v1\"").status.code, 200)
    val malformed = page.header("ETag", "v1")
    assertEquals(reply(wrapped(malformed), Method.GET, "If-None-Match" -> "\"v1\"").status.code, 200)
  }

  test("routes.conditional cancels the stream of a response that it replaces") {
    for (field <- Seq("If-None-Match" -> "\"v1\"", "If-Match" -> "\"v0\"")) {
      var cancelled = 0
      val source    = new ByteStream {
        def next(): Async[Option[Array[Byte]]] = Async.value(Some("x".getBytes(UTF_8)))
        def cancel(): Unit                     = cancelled += 1
      }
      val routes = wrapped(Response.ok.stream(source).etag("v1"))
      assert(reply(routes, Method.GET, field).status != Status.Ok)
      assertEquals(cancelled, 1)
    }
  }

  test("with compression, inside or outside, a tag that the client was given is known again") {
    def text = ("text " * 1000).ok.etag("v1")
    for (
      routes <- Seq(
        Routes(ANY / "x" to text).conditional.compressed,
        Routes(ANY / "x" to text).compressed.conditional
      )
    ) {
      val first = reply(routes, Method.GET, "Accept-Encoding" -> "gzip")
      assertEquals(first.header("ETag"), Some("W/\"v1\""))
      val again =
        reply(routes, Method.GET, "Accept-Encoding" -> "gzip", "If-None-Match" -> first.header("ETag").get)
      assertEquals(
        (again.status.code, again.header("ETag"), again.header("Vary")),
        (304, first.header("ETag"), Some("Accept-Encoding"))
      )
    }
  }

  test("what cannot be written is refused") {
    assertEquals(
      intercept[IllegalArgumentException](page.etag("\"v1\"")).getMessage,
      "the entity tag '\"v1\"' has a character that is not allowed in one (RFC 9110 §8.8.3): '\"' at position 1; write it " +
        "without the quotes around it"
    )
    val space = intercept[IllegalArgumentException](page.etag("a b")).getMessage
    assert(space.endsWith("(RFC 9110 §8.8.3): ' ' at position 2"), space)
    intercept[IllegalArgumentException](page.cacheControl("no-store\r\nX: y"))
    intercept[IllegalArgumentException](page.cacheControl((-1).second))
    intercept[IllegalArgumentException](page.lastModified(Long.MaxValue))
    assertEquals(
      page.cacheControl("private, max-age=5").headers.get("Cache-Control"),
      Some("private, max-age=5")
    )
    assertEquals(page.etag(EntityTag("a", isWeak = true)).headers.get("ETag"), Some("W/\"a\""))
  }

  test("routes.conditional ends the connection where the response that it replaces would have") {
    for ((field, status) <- Seq(("If-None-Match" -> "\"v1\"", 304), ("If-Match" -> "\"v0\"", 412))) {
      for (closes <- Seq(true, false)) {
        val made  = if (closes) page.etag("v1").close else page.etag("v1")
        val reply = this.reply(wrapped(made), Method.GET, field)
        assertEquals((reply.status.code, reply.response.closes), (status, closes))
      }
    }
  }
}
