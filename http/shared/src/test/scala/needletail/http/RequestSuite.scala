package needletail.http

import needletail.http.http1.HeadLimits

class RequestSuite extends needletail.testing.Suite {
  test("a request made for a test is read as one from the wire") {
    val r = Request.get("/a%2Fb/./c?x=1&y=a+b&x=2")
    assertEquals(r.method, Method.GET)
    assertEquals(r.target, "/a%2Fb/./c?x=1&y=a+b&x=2")
    assertEquals(r.path, "/a%2Fb/c")
    assertEquals(r.segments, List("a/b", "c"))
    assertEquals(r.query, Some("x=1&y=a+b&x=2"))
    assertEquals(r.queryParams.getAll("x"), List("1", "2"))
    assertEquals(r.queryParams.get("y"), Some("a b"))
    assertEquals(r.authority, "localhost")
    assertEquals(r.minorVersion, 1)
    assertEquals(r.headers.toList, List("Host" -> "localhost"))
    assertEquals(r.body.isEmpty, true)
  }

  test("segments") {
    List(
      "/"           -> Nil,
      "/a"          -> List("a"),
      "/a/"         -> List("a", ""),
      "//a"         -> List("", "a"),
      "/%20/%C3%A9" -> List(" ", "\u00e9")
    ).foreach {
      case (target, segments) => assertEquals(Request.get(target).segments, segments, clue(target))
    }
    assertEquals(Request(Method.OPTIONS, "*").segments, Nil)
    assertEquals(intercept[HttpError](Request.get("/%ff").segments).status, Status.BadRequest)
    assertEquals(intercept[HttpError](Request.get("/?a=%ff").queryParams).status, Status.BadRequest)
  }

  test("the path of targets that have none") {
    assertEquals(Request(Method.OPTIONS, "*").path, "*")
    assertEquals(Request(Method.CONNECT, "a:80").path, "a:80")
    assertEquals(Request.get("http://a").path, "/")
  }

  test("headers, cookies, content type") {
    val r = Request.get("/").withHeader(
      "Cookie",
      "a=1; b=2"
    ).withHeader("X", "1").withHeader("x", "2").withHeader("Cookie", "c=3")
    assertEquals(r.header("x"), Some("1"))
    assertEquals(r.headers.getAll("X"), List("1", "2"))
    assertEquals(r.cookies, List("a" -> "1", "b" -> "2", "c" -> "3"))
    assertEquals(r.cookie("b"), Some("2"))
    assertEquals(r.cookie("d"), None)
    assertEquals(r.contentType, None)
    assertEquals(r.withHeader("Content-Type", "a/b").contentType, Some("a/b"))
  }

  test("bodies") {
    val r = Request.post("/p", "a=1&b=%C3%A9+")
    assertEquals(r.header("content-length"), Some("13"))
    assertEquals(r.text.poll.map(_.get), Some("a=1&b=%C3%A9+"))
    assertEquals(r.form.poll.map(_.get), Some(Parameters("a" -> "1", "b" -> "\u00e9 ")))
    assertEquals(r.withBody(MessageBody.of("xy")).header("content-length"), Some("2"))
    assertEquals(Request.post("/p", "%").form.poll.map(_.isFailure), Some(true))
    assertEquals(Request.post("/p", "\u00e9").text.poll.map(_.get), Some("\u00e9"))
  }

  test("what the parser would refuse can't be made") {
    List(
      "",
      "a",
      "/a b",
      "/#",
      "/%",
      "/\u00e9",
      "/\u0161",
      "/ HTTP/1.1\r\nX: y\r\n\r\n",
      "/ HTTP/1.1\r\nX: y",
      "/\r\n"
    ).foreach {
      target =>
        intercept[IllegalArgumentException](Request.get(target))
    }
    intercept[IllegalArgumentException](Request.get("/").withHeader("Host", "b"))
    intercept[IllegalArgumentException](Request.get("/").withHeader("Content-Length", "x"))
  }

  test(
    "a request made from one that a server has accepted keeps its target, whatever the server's limits were"
  ) {
    for (target <- List("/a|b?c={d}", "https://h/a?b")) {
      val parser = new RequestParser(HeadLimits(relaxedTarget = true, maxMethod = 64))
      val method = "M" * 40
      val bytes  = Wire.bytes(s"$method $target HTTP/1.1\r\nHost: h\r\n\r\n")
      parser.secure = true
      assertEquals(parser.parse(bytes, 0, bytes.length), bytes.length)
      val received =
        new Request(parser.view, parser.view.generation, MessageBody.empty, ConnectionInfo.none())
      val made = received.withHeader("X", "1").withBody(MessageBody.of("x"))
      assertEquals((made.target, made.method.name, made.path), (target, method, received.path))
      intercept[IllegalArgumentException](Request.get(target))
    }
  }

  test("what a request is passed on with: Host is the target's, also if the client sent another or none") {
    def hosts(text: String): List[String] = {
      val parser = new RequestParser(HeadLimits())
      val bytes  = Wire.bytes(text)
      assertEquals(parser.parse(bytes, 0, bytes.length), bytes.length)
      val request =
        new Request(parser.view, parser.view.generation, MessageBody.empty, ConnectionInfo.none())
      assertEquals(request.headersToPassOn.get("X"), Some("y"))
      request.headersToPassOn.getAll("Host")
    }
    assertEquals(hosts("GET http://good:1/ HTTP/1.1\r\nHost: evil\r\nX: y\r\n\r\n"), List("good:1"))
    assertEquals(hosts("GET http://good/ HTTP/1.0\r\nX: y\r\n\r\n"), List("good"))
    assertEquals(hosts("GET /a HTTP/1.1\r\nX: y\r\nHost: own\r\n\r\n"), List("own"))
    assertEquals(hosts("GET /a HTTP/1.1\r\nX: y\r\nHost:\r\n\r\n"), List(""))
    assertEquals(hosts("GET /a HTTP/1.0\r\nX: y\r\n\r\n"), Nil)
  }

  test("a request shows nothing once its answer is complete; a kept one lasts") {
    val parser = new RequestParser(HeadLimits())
    val first  = Wire.bytes("GET /first%41 HTTP/1.1\r\nHost: one\r\nX: y\r\n\r\n")
    val second = Wire.bytes("PUT /second HTTP/1.1\r\nHost: two\r\nContent-Length: 3\r\n\r\n")
    parser.parse(first, 0, first.length)
    val request = new Request(parser.view, parser.view.generation, MessageBody.empty, ConnectionInfo.none())
    val kept    = request.keep
    assertEquals(request.path, "/firstA")
    parser.parse(second, 0, second.length)
    java.util.Arrays.fill(first, 'Z'.toByte)
    intercept[IllegalStateException](request.path)
    intercept[IllegalStateException](request.header("host"))
    assertEquals(
      (kept.path, kept.header("x"), kept.authority, kept.method),
      ("/firstA", Some("y"), "one", Method.GET)
    )
    assertEquals(request.toString, "Request(complete)")
    assertEquals(kept.toString, "GET /first%41")
  }

  test("a detached request survives its bytes, a released one does not") {
    val parser = new RequestParser(HeadLimits())
    val text   = Wire.bytes("GET /a HTTP/1.1\r\nHost: one\r\n\r\n")
    parser.parse(text, 0, text.length)
    val request = new Request(parser.view, parser.view.generation, MessageBody.empty, ConnectionInfo.none())
    request.detach(null, null)
    java.util.Arrays.fill(text, 'Z'.toByte)
    assertEquals((request.path, request.header("Host")), ("/a", Some("one")))
    request.release()
    intercept[IllegalStateException](request.method)
  }

  test("a request and those made from it are over together, and told of it once each") {
    val first = Request.get("/")
    val made = List(first.keep, first.withHeader("X-A", "1"), first.withBody(MessageBody.of("x")).keep, first)
    var ends = List.empty[Int]
    made.zipWithIndex.foreach { case (request, i) => request.onOver(() => ends ::= i) }
    assertEquals(ends, Nil)
    first.release()
    assertEquals(ends.sorted, List(0, 1, 2, 3))
    made.zipWithIndex.foreach { case (request, i) => request.onOver(() => ends ::= i) }
    assertEquals(ends.sorted, List(0, 0, 1, 1, 2, 2, 3, 3))
    val bare = Request.get("/")
    bare.release()
    bare.onOver(() => ends = Nil)
    assertEquals(ends, Nil)
  }

  test("what wraps the response of a request that was made from another wraps that one's too") {
    def adding(value: String)(response: Response): Response = response.header("X-By", value)
    val outer                                               = Request.get("/")
    outer.dressBy(adding("outer"))
    val inner = outer.withHeader("X-A", "1").withHeader("X-B", "2")
    inner.dressBy(adding("inner"))
    def by(request: Request): List[String] = request.dressed(Response(Status.Ok)).headers.getAll("X-By")
    assertEquals((by(outer), by(inner)), (List("inner", "outer"), List("inner")))
  }

  test("a request that is changed keeps its version, but for content of unknown length") {
    val view = new RequestView
    val old  = "GET /a HTTP/1.0\r\nHost: b\r\n\r\n".getBytes
    assertEquals(new http1.HeadParser(HeadLimits(), view).parse(old, 0, old.length), old.length)
    val r = new Request(view, view.generation, MessageBody.empty, ConnectionInfo.none())
    assertEquals(r.withHeader("X", "1").minorVersion, 0)
    assertEquals(r.withBody(MessageBody.of("abc".getBytes)).minorVersion, 0)
    assertEquals(Request.get("/").withHeader("X", "1").minorVersion, 1)
    assertEquals(r.withBody(MessageBody.streamed(MessageBody.of("abc").stream, -1)).minorVersion, 1)
  }

  test("a client of HTTP/1.0 that names no host has none, whatever is changed in its request") {
    val view = new RequestView
    val old  = "GET /a HTTP/1.0\r\n\r\n".getBytes
    assertEquals(new http1.HeadParser(HeadLimits(), view).parse(old, 0, old.length), old.length)
    val r = new Request(view, view.generation, MessageBody.empty, ConnectionInfo.none())
    assertEquals((r.authority, r.header("Host")), ("", None))
    val changed = r.withHeader("X", "1")
    assertEquals((changed.authority, changed.header("Host")), ("", None))
    val longer = r.withBody(MessageBody.streamed(MessageBody.of("abc").stream, -1))
    assertEquals((longer.authority, longer.minorVersion), ("", 1))
  }
}
