package needletail.content.multipart

import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}

import scala.util.Try

import needletail.async.{Async, AsyncPromise}
import needletail.content.BoundedBody
import needletail.http.message.HttpError
import needletail.http.{ByteStream, Handler, Headers, MessageBody, Method, Request, Response}
import needletail.routing._
import needletail.server.session.FakeWire
import needletail.testing.Suite
import needletail.testkit._

class MultipartSuite extends Suite {
  private def form(parts: (String, String)*): String =
    parts.map { case (header, content) => s"--b\r\n$header\r\n\r\n$content\r\n" }.mkString + "--b--\r\n"

  private def field(name: String) = "Content-Disposition: form-data; name=\"" + name + "\""

  private def request(body: MessageBody, boundary: String = "b") =
    Request(Method.POST, "/", Headers("Content-Type" -> s"multipart/form-data; boundary=$boundary"), body)

  /** Names, file names and contents of a body that comes in these pieces. */
  private def read(
      pieces: Iterator[Array[Byte]],
      limits: MultipartLimits = MultipartLimits()
  ): Try[List[(String, Option[String], String)]] = {
    val body = MessageBody.streamed(ByteStream.fromIterator(pieces), -1)
    val loop = new ManualLoop
    Multipart.of(request(body), limits).toTry.flatMap(m =>
      loop.run(m.each(part => part.text().map((part.name, part.fileName, _))))
    )
  }

  private def readText(text: String, limits: MultipartLimits = MultipartLimits()) =
    read(Iterator(text.getBytes(UTF_8)), limits)

  private def status(result: Try[Any]): Int = result.failed.get.asInstanceOf[HttpError].status.code

  test("parts, wherever the body is split") {
    val text = "before\r\n" + form(
      field("a")                                                        -> "1",
      (field("f") + "; filename=\"x.txt\"\r\nContent-Type: text/plain") -> "--b\r\n-\r\n--bc\r--b\r\n\r\n",
      field("empty")                                                    -> ""
    ) + "after"
    val expected =
      List(("a", None, "1"), ("f", Some("x.txt"), "--b\r\n-\r\n--bc\r--b\r\n\r\n"), ("empty", None, ""))
    // the content has no delimiter: a line break before "--b", and the end of the line after it
    val clean   = text.replace("--b\r\n-\r\n--bc\r--b\r\n\r\n", "-b\r\n-\r\n--bc\r--b\r\n\r\n")
    val cleaned = expected.map { case (n, f, c) => (n, f, c.replaceFirst("^--b", "-b")) }
    val bytes   = clean.getBytes(UTF_8)
    for (split <- 0 to bytes.length) {
      val (a, b) = bytes.splitAt(split)
      assertEquals(read(Iterator(a, b)).get, cleaned, split)
    }
    assertEquals(read(bytes.iterator.map(Array(_))).get, cleaned)
  }

  test("collected parts count together towards the memory that the server holds for their client") {
    val text            = form((1 to 10).map(n => field(s"f$n") -> "x" * 10000)*)
    def read(room: Int) = {
      val bounded = new BoundedBody(text.getBytes(UTF_8), room)
      Multipart.of(request(bounded)).toTry.flatMap(m => new ManualLoop().run(m.each(_.text())))
    }
    assertEquals(read(200000).get.map(_.length), List.fill(10)(10000))
    assertEquals(status(read(50000)), 503)
  }

  test("headers of parts count together towards the memory that the server holds for their client") {
    val text            = form((1 to 10).map(n => field(s"f$n" + "x" * 5000) -> "1")*)
    def read(room: Int) = {
      val bounded = new BoundedBody(text.getBytes(UTF_8), room)
      Multipart.of(request(bounded)).toTry.flatMap(m =>
        new ManualLoop().run(m.each(part => Async.value(part.name.length)))
      )
    }
    assertEquals(read(120000).get, List.tabulate(10)(n => 5002 + (n + 1) / 10))
    assertEquals(status(read(60000)), 503)
  }

  test(
    "a form whose client stops keeps what may be a delimiter, and no piece; a header counts towards the memory"
  ) {
    def stalled(text: String, room: Int): (PartReader, Option[Try[Any]]) = {
      val never  = new AsyncPromise[Option[Array[Byte]]]
      val pieces = Iterator(Async.value(Option(text.getBytes(UTF_8))), never)
      val source = new ByteStream {
        def next(): Async[Option[Array[Byte]]] = pieces.next()
        def cancel(): Unit                     = ()
      }
      val reader = new PartReader(source, "b", MultipartLimits(), new BoundedBody(Array.empty[Byte], room))
      val result = reader.nextPart().flatMap {
        case Some(part) => part.content.next().flatMap(_ => part.content.next())
        case None       => Async.value(None)
      }
      (reader, result.poll)
    }
    val begin = s"--b\r\n${field("f")}\r\n"
    for (rest <- Seq("", "\r", "\r\n--b", "\r\n--b  ")) {
      val (reader, result) = stalled(begin + "\r\n" + "x" * 30000 + rest, 100)
      assertEquals((reader.kept, result), (rest.length, None))
    }
    val (header, waiting) = stalled(begin + "X-Long: " + "x" * 5000, 6000)
    assertEquals((header.kept, waiting), (begin.length - 5 + 5008, None))
    val (_, refused) = stalled(begin + "X-Long: " + "x" * 5000, 4000)
    assertEquals(refused.map(status), Some(503))
  }

  test("names of files as clients write them") {
    val cases = Seq(
      "filename=\"C:\\temp\\x.txt\""  -> "C:\\temp\\x.txt",
      "filename=\"a\\\"b\""           -> "a\"b",
      "filename=\"a%22b\""            -> "a\"b",
      "filename=plain.txt"            -> "plain.txt",
      "filename=\"../../etc/passwd\"" -> "../../etc/passwd",
      "filename=\"näh; x.txt\""       -> "näh; x.txt",
      "filename*=UTF-8''n%C3%A4h.txt" -> "näh.txt",
      "filename=\"\""                 -> ""
    )
    for ((parameter, expected) <- cases)
      assertEquals(
        readText(form((field("f") + "; " + parameter) -> "x")).get.head._2,
        Some(expected),
        parameter
      )
  }

  test(
    "a backslash before a quote is an escape only where it cannot be the last character of a browser's value"
  ) {
    def names(parameters: String) =
      readText(form(s"Content-Disposition: form-data; $parameters" -> "x")).map(_.map(p => (p._1, p._2)))
    val cases = Seq(
      "name=\"f\\\""                                  -> ("f\\", None),
      "name=\"f\"; filename=\"a\\\""                  -> ("f", Some("a\\")),
      "name=\"f\\\"; filename=\"\""                   -> ("f\\", Some("")),
      "name=\"f\\\"; filename=\"a\\\""                -> ("f\\", Some("a\\")),
      "name=\"f\\\"; filename=\"; x=y\""              -> ("f\\", Some("; x=y")),
      "name=\"f\\\"; filename=\"; x=\\\""             -> ("f\\", Some("; x=\\")),
      "name=\"f\\\"; filename=\\\"a\""                -> ("f\"; filename=\"a", None),
      "name=\"f\\\"; filename=\\\"a\\\"; b=\\\"\""    -> ("f\"; filename=\"a\"; b=\"", None),
      "name=\"f\"; filename=\"a\\\\\""                -> ("f", Some("a\\")),
      "name=\"f\"; filename=\"say \\\"hi\\\"\" ; x=y" -> ("f", Some("say \"hi\""))
    )
    for ((parameters, expected) <- cases)
      assertEquals(names(parameters).toOption, Some(List(expected)), parameters)
    for (bad <- Seq("name=\"f\\\"a", "name=\"f\"; filename=\"a\\\"b"))
      assertEquals(status(names(bad)), 400, bad)
  }

  test("a form of ours is read as it was made, but for two backslashes in a row and what FormData says") {
    val texts = Seq("a", "a\\", "\\", "a\"", "a\\\"", "\\a\"b", "; x=y", "")
    for (name <- texts; fileName <- texts) {
      val made   = FormData("b").file(name, fileName, "text/plain", "x".getBytes(UTF_8))
      val loop   = new ManualLoop
      val source = request(MessageBody.streamed(made.stream, -1))
      val parts  = loop.run(Multipart.of(source).toOption.get.each(part => part.text().map(_ => part)))
      assertEquals(parts.get.map(p => (p.name, p.fileName)), List((name, Some(fileName))))
    }
  }

  test("white space after a boundary is allowed") {
    assertEquals(
      readText(form(field("a") -> "1").replace("--b\r\n", "--b \t\r\n")).get,
      List(("a", None, "1"))
    )
  }

  test("what is malformed is a 400") {
    val good = form(field("a") -> "1")
    val bad  = Seq(
      "",
      "--b",
      good.dropRight(6),
      good.replace("--b--", "--b"),
      good.replace("form-data", "attachment"),
      good.replace("; name=\"a\"", ""),
      good.replace("Content-Disposition", "Content Disposition"),
      good.replace("\"a\"", "\"a"),
      good.replace("--b\r\n", "--b x\r\n"),
      "--b\r\n\r\n1\r\n--b--",
      "x" * 5000 + "\r\n" + good,
      form((field("a") + "\r\n" + field("b"))           -> "1"),
      form((field("a") + "\r\n" + "X: y\r\n" * 50).trim -> "1")
    )
    for (body <- bad) assertEquals(status(readText(body)), 400, body.take(60))
  }

  test("a file name with control characters is a 400, and so are two names") {
    def of(parameters: String) =
      readText(form(("Content-Disposition: form-data; name=\"f\"; " + parameters) -> "x"))
    val bad = Seq(
      "filename*=UTF-8''a%0Ab",
      "filename*=UTF-8''a%00b",
      "filename=\"a\"; filename*=UTF-8''a%0D%0Ab",
      "filename*=UTF-8''%7F",
      "filename*=UTF-8''%C2%85",
      "name=\"g\"",
      "name=f",
      "filename=a; filename=b",
      "filename*=UTF-8''a; filename*=UTF-8''b"
    )
    for (parameters <- bad) assertEquals(status(of(parameters)), 400, parameters)
    assertEquals(of("filename=a; filename*=UTF-8''b").get, List(("f", Some("a"), "x")))
  }

  test("no boundary, a bad one, and another type are refused") {
    def of(contentType: String) =
      Multipart.of(Request(
        Method.POST,
        "/",
        Headers("Content-Type" -> contentType)
      )).left.map(_.status.code).left.toOption
    assertEquals(of("multipart/form-data"), Some(400))
    assertEquals(of("multipart/form-data; boundary=\"" + "x" * 71 + "\""), Some(400))
    assertEquals(of("multipart/form-data; boundary=\"a\u00e4\""), Some(400))
    assertEquals(of("text/plain"), Some(415))
    val coded = Headers("Content-Type" -> "multipart/form-data; boundary=b", "Content-Encoding" -> "gzip")
    assertEquals(
      Multipart.of(Request(Method.POST, "/", coded)).left.map(e =>
        e.status.code -> e.headers.get("Accept-Encoding")
      ).left
        .toOption,
      Some(415 -> Some("identity"))
    )
    val route = Routes(POST / "x" + Body[Multipart] to (_ => "".ok))
    assertEquals(route.test(Request(Method.POST, "/x", coded)).status.code, 415)
    assertEquals(
      route.test(Request(Method.POST, "/x", Headers("Content-Type" -> "text/plain"))).status.code,
      415
    )
  }

  test("beyond the limits it is a 413, before more is read") {
    val limits = MultipartLimits(parts = 3, headerBytes = 200, partSize = 1000, total = 3000)
    assertEquals(status(readText(form(Seq.fill(4)(field("a") -> "1")*), limits)), 413)
    assertEquals(status(readText(form(field("a") -> "1" * 1001), limits)), 413)
    assertEquals(status(readText(form(Seq.fill(3)(field("a") -> "1" * 990)*) + "x" * 500, limits)), 413)
    assertEquals(status(readText(form((field("a") + "\r\nX: " + "y" * 300) -> "1"), limits)), 413)
    val names = form((1 to 45).map(n => field("x" * 6000 + n) -> "1")*)
    assertEquals(status(readText(names)), 413, "the default for all parts together")
    // without an end: read up to the limit only
    var read_   = 0
    val endless = Iterator.continually { read_ += 1; ("x" * 100).getBytes(ISO_8859_1) }
    val begin   = Iterator(s"--b\r\n${field("a")}\r\n\r\n".getBytes(UTF_8))
    assertEquals(status(read(begin ++ endless, limits)), 413)
    assert(read_ < 20, read_)
    read_ = 0
    assertEquals(status(read(Iterator("--b\r\nX: ".getBytes(UTF_8)) ++ endless, limits)), 413)
    assert(read_ < 20, read_)
  }

  test("a part that is not read is skipped, and an old one has ended") {
    val loop = new ManualLoop
    val body = MessageBody.streamed(
      ByteStream.fromIterator(form(
        field("a") -> "1" * 3000,
        field("b") -> "2"
      ).grouped(7).map(_.getBytes(UTF_8))),
      -1
    )
    val m = Multipart.of(request(body)).toOption.get
    val a = loop.run(m.next()).get.get
    val b = loop.run(m.next()).get.get
    assertEquals(loop.run(a.text()).get, "")
    assertEquals(loop.run(b.text()).get, "2")
    assertEquals(loop.run(m.next()).get, None)
  }

  test("a line that differs from the delimiter in its last character only is content") {
    for (line <- Seq("--c", "-b", "--", "--B"))
      assertEquals(
        readText(form(field("a") -> s"x\r\n$line\r\ny")).get,
        List(("a", None, s"x\r\n$line\r\ny"))
      )
    val long = s"--boundary\r\n${field("a")}\r\n\r\nx\r\n--boundarz\r\ny\r\n--boundary--\r\n"
    val body = MessageBody.of(long)
    val read =
      Multipart.of(request(body, "boundary")).toTry.flatMap(m => new ManualLoop().run(m.each(_.text())))
    assertEquals(read.get, List("x\r\n--boundarz\r\ny"))
  }

  test("just within each limit a form is read, and one more byte, line or part is refused") {
    def code(text: String, limits: MultipartLimits = MultipartLimits()): Int =
      readText(text, limits).fold(e => e.asInstanceOf[HttpError].status.code, _ => 200)
    def codes(most: Int)(text: Int => String): (Int, Int) = (code(text(most)), code(text(most + 1)))
    val lines                                             = field("a") + "\r\nX: yy"
    val whole                                             = form(lines -> "1")
    for ((less, expected) <- Seq(0 -> 200, 1 -> 413)) {
      assertEquals(
        code(whole, MultipartLimits(headerBytes = lines.length + 2 - less)),
        expected,
        "headerBytes"
      )
      val three = form(Seq.fill(3)(lines -> "1")*)
      val most  = 3 * (lines.length + 2)
      for (pieces <- Seq(three.length, 1)) {
        val one = read(
          three.getBytes(UTF_8).grouped(pieces),
          MultipartLimits(headerBytes = lines.length + 2 - less)
        )
        val all =
          read(three.getBytes(UTF_8).grouped(pieces), MultipartLimits(totalHeaderBytes = most - less))
        def answer(result: Try[Any]) = if (result.isSuccess) 200 else status(result)
        assertEquals((answer(one), answer(all)), (expected, expected), s"in pieces of $pieces bytes")
      }
      assertEquals(code(whole, MultipartLimits(total = whole.length.toLong - less)), expected, "total")
      assertEquals(
        code(form(field("a") -> "1" * 100), MultipartLimits(partSize = 100L - less)),
        expected,
        "partSize"
      )
      assertEquals(
        code(form(Seq.fill(3)(field("a") -> "1")*), MultipartLimits(parts = 3 - less)),
        expected,
        "parts"
      )
      val declared =
        Multipart.of(request(MessageBody.of(whole)), MultipartLimits(total = whole.length.toLong - less))
      assertEquals(declared.fold(_.status.code, _ => 200), expected, "before anything is read")
    }
    assertEquals(codes(1022)(n => "x" * n + "\r\n" + whole), (200, 400), "1024 bytes with the line break")
    assertEquals(codes(64)(n => whole.replace("--b\r\n", "--b" + " " * n + "\r\n")), (200, 400))
    assertEquals(codes(31)(n => form((field("a") + "\r\nX: y" * n) -> "1")), (200, 400), "32 lines")
    assertEquals(
      code(form(Seq.fill(3)(field("a") -> "1" * 90)*), MultipartLimits(partSize = 100)),
      200,
      "of each part"
    )
  }

  test("a form whose content anybody has begun to read is the program's error, not its client's") {
    val text                 = form(field("a") -> "1", field("b") -> "2")
    def of(request: Request) = Multipart.of(request).fold(throw _, identity)
    val ways                 = Seq[Request => Async[Any]](
      r => of(r).each(_.text()).flatMap(_ => of(r).next()),
      r => of(r).next().flatMap(_ => of(r).next()),
      r => r.body.stream.next().flatMap(_ => of(r).next()),
      { r =>
        val (first, second) = (of(r), of(r))
        first.next().flatMap(_ => second.next())
      }
    )
    val contents = Seq(
      s"Content-Length: ${text.length}\r\n\r\n$text",
      s"Transfer-Encoding: chunked\r\n\r\n${text.length.toHexString}\r\n$text\r\n0\r\n\r\n"
    )
    for (way <- ways; content <- contents) {
      val handler: Handler = request =>
        way(request)
          .map(_.toString)
          .recover { case e: IllegalStateException => e.getMessage }
          .map(Response.ok(_))
      val wire = new FakeWire(handler)
      wire.send(s"POST / HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=b\r\n$content")
      val answer = wire.output
      assert(answer.contains("the content of a request can be read once"), answer)
    }
  }

  test("a part that is asked for before the last one has come fails, and the last one comes, and the rest") {
    val text             = form(field("a") -> "1", field("b") -> "2")
    var names            = Seq.empty[String]
    val handler: Handler = request => {
      val parts  = Multipart.of(request).fold(throw _, identity)
      val first  = parts.next()
      val second = parts.next().map(_ => "a part").recover { case e: IllegalStateException => e.getMessage }
      for {
        one     <- first
        rest    <- parts.each(part => Async.value(part.name))
        message <- second
      } yield {
        names = one.get.name +: rest
        Response.ok(message)
      }
    }
    val wire = new FakeWire(handler)
    val kind = "Content-Type: multipart/form-data; boundary=b"
    wire.send(s"POST / HTTP/1.1\r\nHost: a\r\n$kind\r\nContent-Length: ${text.length}\r\n\r\n")
    val answer = wire.send(text).output
    assert(answer.endsWith("the previous piece of the body has not arrived yet"), answer)
    assertEquals(names, Seq("a", "b"))
  }
}
