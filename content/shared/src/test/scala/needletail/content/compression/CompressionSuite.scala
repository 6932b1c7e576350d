package needletail.content.compression

import java.io.ByteArrayInputStream
import java.nio.charset.StandardCharsets.UTF_8
import java.util.zip.{GZIPInputStream, InflaterInputStream}

import needletail.async.Async
import needletail.content._
import needletail.http.{ByteStream, Headers, Method, Request, Response, Status}
import needletail.metrics.MetricText
import needletail.routing._
import needletail.stream.Push
import needletail.testing.Suite
import needletail.testkit._

class CompressionSuite extends Suite {
  private val text = (1 to 5000).map(n => s"line $n").mkString("\n")

  private def unzipped(bytes: Array[Byte]): String =
    read(new GZIPInputStream(new ByteArrayInputStream(bytes)))

  private def read(in: java.io.InputStream): String = {
    val out   = new java.io.ByteArrayOutputStream
    val bytes = new Array[Byte](4096)
    var count = in.read(bytes)
    while (count >= 0) {
      out.write(bytes, 0, count)
      count = in.read(bytes)
    }
    out.toString("UTF-8")
  }

  private def reply(
      response: => Response,
      accept: String = "gzip",
      fields: Seq[(String, String)] = Nil,
      method: Method = Method.GET
  ) =
    Routes(ANY / "x" to response).compressed.test(Request(
      method,
      "/x",
      Headers((("Accept-Encoding" -> accept) +: fields)*)
    ))

  test("a text is compressed as gzip or deflate, and Vary always says so") {
    val gzip = reply(Response.ok(text))
    assertEquals(gzip.header("Content-Encoding"), Some("gzip"))
    assertEquals(unzipped(gzip.bytes), text)
    val deflate = reply(Response.ok(text), "deflate")
    assertEquals(deflate.header("Content-Encoding"), Some("deflate"))
    assertEquals(read(new InflaterInputStream(new ByteArrayInputStream(deflate.bytes))), text)
    val plain = reply(Response.ok(text), "br")
    assertEquals(plain.header("Content-Encoding"), None)
    assertEquals(plain.text, text)
    for (r <- Seq(gzip, deflate, plain)) assertEquals(r.header("Vary"), Some("Accept-Encoding"))
    assertEquals(
      reply(Response.ok(text).header("Vary", "Origin, accept-encoding")).headers.getAll("Vary").length,
      1
    )
  }

  test("Accept-Encoding by RFC 9110 §12.5.3") {
    val cases = Seq(
      "gzip"                       -> Some("gzip"),
      "GZIP"                       -> Some("gzip"),
      "x-gzip"                     -> Some("gzip"),
      "gzip;q=0"                   -> None,
      "gzip;q=0.000, deflate"      -> Some("deflate"),
      "deflate, gzip;q=0.5"        -> Some("deflate"),
      "gzip;q=0.5, deflate;q=0.5"  -> Some("gzip"),
      "*"                          -> Some("gzip"),
      "*;q=0"                      -> None,
      "gzip;q=0, *"                -> Some("deflate"),
      "identity, gzip;q=0.5"       -> None,
      "identity;q=0.5, gzip;q=0.8" -> Some("gzip"),
      "identity;q=0, gzip"         -> Some("gzip"),
      ""                           -> None,
      "gzip;q=nonsense"            -> None,
      "gzip; q=1.0"                -> Some("gzip"),
      "gzip;q=2"                   -> None
    )
    for ((value, expected) <- cases)
      assertEquals(AcceptEncoding.choose(value, List("gzip", "deflate")), expected, value)
  }

  test("some responses stay as they are") {
    val ok = Response.ok(text)
    for (
      kept <- Seq(
        ok.header("Content-Encoding", "br"),
        ok.header("Content-Range", "bytes 0-1/2").withStatus(Status.PartialContent),
        ok.header("Cache-Control", "public, no-transform"),
        ok.contentType("image/png"),
        Response.ok("short"),
        Response(Status.NoContent),
        ok.contentType("text/event-stream")
      )
    ) {
      val sent = reply(kept)
      assertEquals(sent.header("Content-Encoding"), kept.headers.get("Content-Encoding"), kept.headers)
    }
  }

  test("a short text varies too, as the next one may be longer") {
    assertEquals(reply(Response.ok("short")).header("Vary"), Some("Accept-Encoding"))
    assertEquals(reply(Response.ok(text).contentType("image/png")).header("Vary"), None)
  }

  test("a strong tag becomes weak, for a 304 too; HEAD has the fields of GET") {
    val tagged = reply(Response.ok(text).header("ETag", "\"a\"").header("Accept-Ranges", "bytes"))
    assertEquals(tagged.header("ETag"), Some("W/\"a\""))
    assertEquals(tagged.header("Accept-Ranges"), None)
    assertEquals(reply(Response(Status.NotModified).header("ETag", "\"a\"")).header("ETag"), Some("W/\"a\""))
    assertEquals(reply(Response.ok(text).header("ETag", "\"a\""), "br").header("ETag"), Some("\"a\""))
    val head = reply(Response.ok(text).header("ETag", "\"a\""), method = Method.HEAD)
    assertEquals(head.headers, reply(Response.ok(text).header("ETag", "\"a\"")).headers)
  }

  test("digests of bytes that are not sent are left out, and those of bytes that are stay") {
    val digests  = List("Content-Digest", "Repr-Digest", "Content-MD5")
    val digested = digests.foldLeft(Response.ok(text))(_.header(_, "sha-256=:AAAA:"))
    for (method <- Seq(Method.GET, Method.HEAD)) {
      val sent = reply(digested, method = method)
      assertEquals(sent.header("Content-Encoding"), Some("gzip"))
      assertEquals(digests.filter(sent.headers.contains(_)), Nil, method)
      val whole = reply(digested, "br", method = method)
      assertEquals(digests.filter(whole.headers.contains(_)), digests, method)
    }
  }

  test("a 304 has the ETag and the Vary that the 200 has, and a part of a content the Vary of the whole") {
    for (accept <- Seq("gzip", "deflate;q=0.5", "br", ""); vary <- Seq(None, Some("Origin"), Some("*"))) {
      def varying(response: Response) = vary.fold(response)(response.header("Vary", _))
      def fields(response: Response)  = {
        val sent = reply(varying(response.header("ETag", "\"a\"")), accept)
        (sent.header("ETag"), sent.headers.getAll("Vary").toList)
      }
      val whole = fields(Response.ok(text))
      assertEquals(fields(Response(Status.NotModified)), whole, accept)
      val part = Response(Status.PartialContent).text("line").header("Content-Range", "bytes 0-3/99")
      assertEquals(fields(part)._2, whole._2, accept)
    }
    // also of a type that is not compressed, as the part does not tell that of the whole
    val part = Response(Status.PartialContent).contentType("multipart/byteranges; boundary=x")
    assertEquals(reply(part).header("Vary"), Some("Accept-Encoding"))
  }

  test("a 304 keeps the strong tag of a client that has the bytes which are not compressed") {
    def tag(known: String) =
      reply(Response(Status.NotModified).header("ETag", "\"a\""), fields = Seq("If-None-Match" -> known))
        .header("ETag")
    assertEquals(tag("\"a\""), Some("\"a\""))
    assertEquals(tag("\"b\", \"a\""), Some("\"a\""))
    assertEquals(tag("W/\"a\""), Some("W/\"a\""))
    assertEquals(tag("\"a\", W/\"a\""), Some("W/\"a\"")) // it may have either
    assertEquals(tag("*"), Some("W/\"a\""))
    assertEquals(tag("\"a"), Some("W/\"a\""))
  }

  test("when: nonSecret leaves responses alone that may contain a secret; they vary all the same") {
    def coding(response: Response, fields: (String, String)*) = {
      val sent = Routes(GET / "x" to response)
        .compressed(CompressionConfig(when = CompressionConfig.nonSecret))
        .test(Request(Method.GET, "/x", Headers((("Accept-Encoding" -> "gzip") +: fields)*)))
      assertEquals(sent.header("Vary"), Some("Accept-Encoding"))
      sent.header("Content-Encoding")
    }
    val ok = Response.ok(text)
    assertEquals(coding(ok), Some("gzip"))
    assertEquals(coding(ok.header("Cache-Control", "public, max-age=60")), Some("gzip"))
    assertEquals(coding(ok, "Cookie" -> "session=1"), None)
    assertEquals(coding(ok, "Authorization" -> "Basic YTpi"), None)
    assertEquals(coding(ok.header("Set-Cookie", "session=1")), None)
    for (value <- Seq("private", "max-age=60, Private", "no-store", "private=\"X-User\""))
      assertEquals(coding(ok.header("Cache-Control", value)), None, value)
    val known = Routes(GET / "x" to ok.header("ETag", "\"a\""))
      .compressed(CompressionConfig(when = (_, _) => false))
      .test(Request(Method.GET, "/x", Headers("Accept-Encoding" -> "gzip")))
    assertEquals((known.header("ETag"), known.text), (Some("\"a\""), text))
  }

  test("a long content and a stream are compressed in pieces") {
    val long = text * 10
    for (
      response <- Seq(
        Response.ok(long),
        Response.ok.contentType("text/plain").stream(ByteStream.of(long.getBytes(UTF_8)))
      )
    ) {
      val sent = reply(response)
      assertEquals(sent.header("Content-Encoding"), Some("gzip"))
      assertEquals(unzipped(sent.bytes), long)
    }
    assertEquals(
      unzipped(
        reply(Response.ok.contentType("text/plain").stream(ByteStream.fromIterator(Iterator.empty))).bytes
      ),
      ""
    )
  }

  test("what a handler has sent so far reaches the client while it waits") {
    val push  = new Push[Array[Byte]](4)
    val loop  = new ManualLoop
    val route = Routes(GET / "x" to Response.ok.contentType("text/plain").stream(push.stream)).compressed
    val sent  = route.test(Request(Method.GET, "/x", Headers("Accept-Encoding" -> "gzip")), loop)
    push.offer("first".getBytes(UTF_8))
    val stream = sent.response.body.stream
    val piece  = loop.run(stream.next()).get.get
    assertEquals(new String(inflated(piece), UTF_8), "first")
    push.offer("second".getBytes(UTF_8))
    push.complete()
    val rest = loop.run(stream.toList(10)).get
    assertEquals(unzipped(piece ++ rest.flatten), "firstsecond")
  }

  for (size <- Seq(0, 1))
    test(s"while many pieces of $size bytes are compressed, the loop runs other tasks") {
      val loop   = new ManualLoop
      val many   = 20000
      var pulled = 0
      var before = -1 // a task ran that waited since the first piece
      val pieces = new ByteStream {
        def next() = {
          if (pulled == 0) loop.execute(() => before = pulled)
          pulled += 1
          Async.value(if (pulled <= many) Some(new Array[Byte](size)) else None)
        }
        def cancel() = ()
      }
      val route = Routes(GET / "x" to Response.ok.contentType("text/plain").stream(pieces)).compressed
      val sent  = route.test(Request(Method.GET, "/x", Headers("Accept-Encoding" -> "gzip")), loop)
      assertEquals(
        unzipped(loop.run(sent.response.body.stream.toList(100)).get.flatten.toArray).length,
        many * size
      )
      assert(before > 0 && before <= 300, before)
    }

  test(
    "so many streams are compressed at once; further ones are sent as they are, or in uncompressed blocks"
  ) {
    val most   = CompressionConfig.streams + 1
    val before = figure("needletail_uncompressed_total")
    val random = new java.util.Random(1)
    val noise  =
      Seq.fill(5000)(java.lang.Long.toHexString(random.nextLong())).mkString // many pieces, also compressed
    def pieces = ByteStream.fromIterator(noise.grouped(10000).map(_.getBytes(UTF_8)))
    val loop   = new ManualLoop
    val route  =
      Routes(GET / "x" to Response.ok.contentType("text/plain").stream(pieces))
        .compressed(CompressionConfig(maxStreams = most))
    def asked(coding: String = "gzip") =
      route.test(Request(Method.GET, "/x", Headers("Accept-Encoding" -> coding)), loop).response
    val begun           = List("gzip", "gzip", "deflate").map(asked(_))
    val first :: others = begun.map(_.body.stream): @unchecked
    assert(begun.forall(_.headers.contains("Content-Encoding")))
    val head = loop.run(first.next()).get.get
    assertEquals(CompressionConfig.streams, most)
    assertEquals(asked().headers.get("Content-Encoding"), None)
    val stored = others.map(stream => loop.run(stream.toList(100)).get.toArray.flatten)
    assert(stored.forall(_.length > noise.length))
    assertEquals(unzipped(stored(0)), noise)
    assertEquals(read(new InflaterInputStream(new ByteArrayInputStream(stored(1)))), noise)
    assertEquals(CompressionConfig.streams, most, "those were not counted")
    assertEquals(figure("needletail_compressed_streams"), most.toDouble)
    assertEquals(figure("needletail_uncompressed_total") - before, 3.0)
    assertEquals(unzipped(head ++ loop.run(first.toList(100)).get.flatten), noise)
    assertEquals(CompressionConfig.streams, most - 1)
    val cancelled = asked().body.stream
    assert(loop.run(cancelled.next()).get.nonEmpty)
    cancelled.cancel()
    cancelled.cancel()
    assertEquals(CompressionConfig.streams, most - 1)
  }

  private def figure(name: String): Double = {
    val out = new MetricText
    CompressionMetrics.write(out)
    out.toString.linesIterator.find(_.startsWith(name + " ")).get.split(' ').last.toDouble
  }

  test("blocks that are not compressed, of all lengths") {
    for (n <- List(1, 65535, 65536, 200000)) {
      val bytes  = Array.tabulate(n)(i => ('a' + i % 26).toByte)
      val stream = new Compressing(ByteStream.fromIterator(Iterator(bytes, bytes)), "gzip", 5, most = 0)
      assert(unzipped(
        new ManualLoop().run(stream.toList(100)).get.toArray.flatten
      ).getBytes.sameElements(bytes ++ bytes))
    }
  }

  private def inflated(piece: Array[Byte]): Array[Byte] = {
    val inflater = new java.util.zip.Inflater(true)
    inflater.setInput(piece, 10, piece.length - 10)
    val out   = new Array[Byte](1000)
    val count = inflater.inflate(out)
    inflater.end()
    out.take(count)
  }

  test("a failure of the stream remains one, and a cancelled one is cancelled") {
    val failing = reply(Response.ok.contentType(
      "text/plain"
    ).stream(needletail.stream.Stream.fail(new RuntimeException("broken"))))
    assertEquals(intercept[RuntimeException](failing.bytes).getMessage, "broken")
    var cancelled = false
    val source    = new ByteStream {
      def next(): needletail.async.Async[Option[Array[Byte]]] =
        needletail.async.Async.value(Some("x".getBytes(UTF_8)))
      def cancel(): Unit = cancelled = true
    }
    reply(Response.ok.contentType("text/plain").stream(source)).response.body.stream.cancel()
    assert(cancelled)
  }

  test("content of just the least number of bytes is compressed, and one byte less is not") {
    for ((length, coding) <- Seq(1024 -> Some("gzip"), 1023 -> None)) {
      assertEquals(reply(Response.ok("x" * length)).header("Content-Encoding"), coding, length)
      val streamed =
        Response.ok.contentType("text/plain").stream(ByteStream.of(new Array[Byte](length)), length.toLong)
      assertEquals(reply(streamed).header("Content-Encoding"), coding, length)
    }
  }
}
