package needletail.content.compression

import java.nio.charset.StandardCharsets.UTF_8

import scala.concurrent.duration._
import scala.util.control.ControlThrowable
import scala.util.{Failure, Try}

import needletail.async.{Async, AsyncPromise}
import needletail.client.Serving
import needletail.content.BoundedBody
import needletail.http.message.HttpError
import needletail.http.zlib.Coders
import needletail.http.{ByteStream, Handler, Headers, MessageBody, Method, Request, Response}
import needletail.routing._
import needletail.server.session.FakeWire
import needletail.testing.Suite
import needletail.testkit._

class DecodingSuite extends Suite with Serving {
  import Packed.{gzip, zlib}

  private val text = (1 to 5000).map(n => s"line $n").mkString("\n")

  private def decoded(
      pieces: Iterator[Array[Byte]],
      limits: DecodingLimits = DecodingLimits(),
      coding: String = "gzip"
  ): Try[String] = {
    val body    = MessageBody.streamed(ByteStream.fromIterator(pieces), -1)
    val request = Request(Method.POST, "/", Headers("Content-Encoding" -> coding), body)
    Decoding.decoded(
      request,
      limits
    ).toTry.flatMap(r => new ManualLoop().run(r.body.bytes)).map(new String(_, UTF_8))
  }

  test("what a body becomes counts towards the memory that the server holds for its client") {
    val content              = new Array[Byte](60000)
    def collected(room: Int) = {
      val request =
        Request(Method.POST, "/", Headers("Content-Encoding" -> "gzip"), new BoundedBody(gzip(content), room))
      Decoding.decoded(request).toTry.flatMap(r => new ManualLoop().run(r.body.bytes))
    }
    assertEquals(collected(200000).get.length, 60000)
    assertEquals(status(collected(50000)), 503)
  }

  private def status(result: Try[Any]): Int = result.failed.get.asInstanceOf[HttpError].status.code

  test("gzip and deflate, wherever they are split, and gzip in several members") {
    val bytes = gzip(text.getBytes(UTF_8))
    assertEquals(decoded(Iterator(bytes)).get, text)
    assertEquals(decoded(bytes.iterator.map(Array(_))).get, text)
    assertEquals(decoded(Iterator(zlib(text.getBytes(UTF_8))), coding = "Deflate").get, text)
    assertEquals(decoded(Iterator(gzip("a".getBytes), gzip("b".getBytes)), coding = "x-gzip").get, "ab")
    assertEquals(decoded(Iterator("as it is".getBytes), coding = "identity").get, "as it is")
    assertEquals(decoded(Iterator(bytes), coding = ", gzip,").get, text)
  }

  test("what a route decodes is read, and another of the same path that does not decode refuses it") {
    val plain   = Routes(POST / "a" + Body[Parameters] to (form => form.toList.mkString.ok))
    val decodes =
      Routes(POST / "a" + Body(Decoding.reader[Parameters]()) to (form => form.toList.mkString.ok))
    val form = Headers("Content-Encoding" -> "gzip", "Content-Type" -> "application/x-www-form-urlencoded")
    def asked(routes: Routes) =
      routes.test(Request(Method.POST, "/a", form, MessageBody.of(gzip("x=1".getBytes(UTF_8)))))
    val refused = asked(plain)
    assertEquals(
      (refused.status.code, refused.header("Accept-Encoding"), refused.text),
      (415, Some("identity"), "expected a body without Content-Encoding, got 'gzip'")
    )
    assertEquals(asked(decodes).text, "(x,1)")
    assertEquals(asked(plain ++ decodes).text, "(x,1)")
  }

  test("a decoded request does not say that it is coded, and is decoded once") {
    val request = Request(
      Method.POST,
      "/",
      Headers("Content-Encoding" -> "gzip", "X" -> "y"),
      MessageBody.of(gzip("a".getBytes))
    )
    val plain = Decoding.decoded(request).flatMap(Decoding.decoded(_)).fold(throw _, identity)
    assertEquals(new ManualLoop().run(plain.text).get, "a")
    assertEquals((plain.header("Content-Encoding"), plain.header("X")), (None, Some("y")))
  }

  test("all fields of a gzip header") {
    val plain = gzip("x".getBytes)
    // FEXTRA of 3 bytes, FNAME, FCOMMENT, FHCRC
    val full = plain.take(3) ++ Array[Byte](2 | 4 | 8 | 16) ++ plain.slice(4, 10) ++
      Array[Byte](3, 0, 1, 2, 3) ++ "name\u0000comment\u0000".getBytes ++ Array[Byte](7, 7) ++ plain.drop(10)
    assertEquals(decoded(full.iterator.map(Array(_))).get, "x")
    val empty = plain.take(3) ++ Array[Byte](4) ++ plain.slice(4, 10) ++ Array[Byte](0, 0) ++ plain.drop(10)
    assertEquals(decoded(Iterator(empty)).get, "x")
  }

  test("what is malformed or cut off is a 400, an unknown coding a 415") {
    val good                  = gzip(text.getBytes(UTF_8))
    def changed(fromEnd: Int) = good.updated(good.length - fromEnd, (good(good.length - fromEnd) ^ 1).toByte)
    for (
      bad <- Seq(
        "plain".getBytes,
        good.take(5),
        good.take(100),
        good.dropRight(1),
        changed(6), // of the sum
        changed(4), // of the length
        changed(1),
        good ++ "x".getBytes,
        Array.empty[Byte]
      )
    )
      assertEquals(status(decoded(Iterator(bad))), 400, bad.length)
    val z = zlib(text.getBytes(UTF_8))
    for (bad <- Seq("plain".getBytes, z.dropRight(1), z ++ "x".getBytes))
      assertEquals(status(decoded(Iterator(bad), coding = "deflate")), 400, bad.length)
    assertEquals(status(decoded(Iterator(good), coding = "lzma")), 415)
    assertEquals(status(decoded(Iterator(good), coding = "gzip, gzip")), 415)
  }

  test("a bomb is a 413 before it has grown") {
    val bomb = gzip(new Array[Byte](20000000))
    assertEquals(status(decoded(Iterator(bomb), DecodingLimits(size = 1000000, ratio = 5000))), 413)
    assertEquals(status(decoded(Iterator(bomb), DecodingLimits(size = 100000000, ratio = 100))), 413)
    assertEquals(decoded(Iterator(gzip(new Array[Byte](60000)))).get.length, 60000)
  }

  test("zlib's state is made when something is read, and given back however the reading ends") {
    val counted                       = new CountedDecoders
    def inflating(source: ByteStream) = new Decompressing(source, () => counted.next(), DecodingLimits())
    def counts                        = (counted.made.get, counted.ended.get)
    val good                          = gzip(text.getBytes(UTF_8))
    def source(after: () => Async[Option[Array[Byte]]]): ByteStream = new ByteStream {
      private var first                      = true
      def next(): Async[Option[Array[Byte]]] =
        if (first) {
          first = false
          Async.value(Some(good.take(1000)))
        } else after()
      def cancel(): Unit = ()
    }
    val loop                                          = new ManualLoop
    val lost                                          = new java.io.IOException("lost")
    def read(after: () => Async[Option[Array[Byte]]]) =
      loop.run(MessageBody.streamed(inflating(source(after)), -1).bytes).failed.get

    inflating(source(() => Async.value(None))).cancel()
    assertEquals(counts, (0, 0))
    assertEquals(read(() => Async.fail(lost)), lost)
    assertEquals(counts, (1, 1))
    assertEquals(read(() => Async.sleep(1.second).flatMap(_ => Async.fail(lost))), lost)
    assertEquals(counts, (2, 2))
    assertEquals(read(() => throw lost), lost)
    assertEquals(counts, (3, 3))
    assertEquals(status(Failure(read(() => Async.sleep(1.second).map(_ => None)))), 400)
    assertEquals(counts, (4, 4))
    val begun = inflating(source(() => new AsyncPromise[Option[Array[Byte]]]))
    assert(loop.run(begun.next()).get.nonEmpty)
    begun.cancel()
    begun.cancel()
    assertEquals(counts, (5, 5))
  }

  test("an error of linkage or of the stack that a source throws is a failure, and gives zlib's state back") {
    val alive = Coders.alive
    for (error <- List(new NoClassDefFoundError("a/B"), new StackOverflowError, new ControlThrowable {})) {
      var isCancelled = false
      val source      = new ByteStream {
        def next(): Async[Option[Array[Byte]]] = throw error
        def cancel(): Unit                     = isCancelled = true
      }
      val plain = new Decompressing(source, () => new InflatingDecoder(true), DecodingLimits())
      val got   =
        try plain.next().poll
        catch { case e: Throwable => fail(s"$e was thrown") }
      assertEquals(got, Some(Failure(error)))
      assert(isCancelled)
      assertEquals(Coders.alive, alive)
    }
  }

  test("a request whose body is neither read to its end nor cancelled leaves no state of zlib behind") {
    val counted          = new CountedDecoders
    val handler: Handler = request => {
      val plain = Decoding.decoded(request, DecodingLimits(), _ => counted.next()).fold(throw _, identity)
      plain.body.stream.next().flatMap { _ =>
        if (request.path == "/never") new AsyncPromise[Response] else Async.value(Response.ok)
      }
    }
    serving(handler) { (server, client) =>
      val packed = gzip(text.getBytes(UTF_8))
      val call   = client.service(server.url).post("/").header("Content-Encoding", "gzip").body(packed)
      assertEquals(call.await().status.code, 200)
      eventually(counted.ended.get == 1)
      val never = client.service(server.url).post("/never").header("Content-Encoding", "gzip").body(packed)
      val waits = client.await {
        val response = never.response
        Async.value(() => response.cancel())
      }
      eventually(counted.made.get == 2)
      client.await { // the client gives up while the handler waits
        waits()
        Async.unit
      }
      eventually(counted.ended.get == 2)
    }
  }

  test("reading on when the request is over fails, as the rest of the content is not there") {
    val request = Request(
      Method.POST,
      "/",
      Headers("Content-Encoding" -> "gzip"),
      MessageBody.of(gzip(text.getBytes(UTF_8)))
    )
    val plain = Decoding.decoded(request).fold(throw _, identity).body.stream
    val loop  = new ManualLoop
    assert(loop.run(plain.next()).get.nonEmpty)
    val kept = Decoding.decoded(request.keep.withHeader("X", "y")).fold(throw _, identity).body.stream
    request.release()
    for (stream <- List(plain, kept)) intercept[IllegalStateException](loop.run(stream.next()).get)
  }

  test("in a route, for any body") {
    val routes = Routes(POST / "x" + Body(Decoding.reader[String]()) to (_.ok))
    val sent   = Request(
      Method.POST,
      "/x",
      Headers("Content-Encoding" -> "gzip"),
      MessageBody.of(gzip("hello".getBytes))
    )
    assertEquals(routes.test(sent).text, "hello")
    assertEquals(routes.test(Request.post("/x", "plain")).text, "plain")
    for (coding <- List("lzma", "gzip, gzip") ++ List("br", "zstd").filterNot(Decoders.isUsable)) {
      val unknown = Request(Method.POST, "/x", Headers("Content-Encoding" -> coding), MessageBody.of("x"))
      val reply   = routes.test(unknown)
      assertEquals(reply.status.code, 415)
      assertEquals(reply.header("Accept-Encoding"), Some(Decoders.usable.mkString(", ")))
      assert(reply.header("Accept-Encoding").exists(_.startsWith("gzip, deflate")))
    }
  }

  test("just within the limits a body is decoded, and one byte more is refused") {
    def refuses(limits: DecodingLimits, read: Long, written: Long): Boolean =
      try { limits.check(read, written); false }
      catch { case e: HttpError => e.status.code == 413 }
    val free = 64L * 1024 // not counted in the ratio
    for ((more, expected) <- Seq(0L -> false, 1L -> true)) {
      assertEquals(refuses(DecodingLimits(size = 100), 100, 100 + more), expected)
      assertEquals(refuses(DecodingLimits(ratio = 3), 1000, free + 3000 + more), expected)
    }
  }

  /** What the handler answers to the text, compressed, which comes after the head of its request. */
  private def answered(handler: Handler): String = {
    val packed = gzip(text.getBytes(UTF_8))
    val wire   = new FakeWire(handler)
    wire.send(
      s"POST / HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\nContent-Length: ${packed.length}\r\n\r\n"
    )
    wire.send(packed).output
  }

  private def plain(request: Request): ByteStream =
    Decoding.decoded(request).fold(throw _, identity).body.stream

  private def all(stream: ByteStream): Async[String] =
    stream.fold("")((before, piece) => before + new String(piece, UTF_8))

  test("a piece that is asked for before the last one has come fails, and the last one comes, and the rest") {
    var content = ""
    val answer  = answered { request =>
      val stream = plain(request)
      stream.next().cancel()
      val first  = stream.next()
      val second = stream.next().map(_ => "a piece").recover { case e: IllegalStateException => e.getMessage }
      for {
        piece   <- first
        rest    <- all(stream)
        message <- second
      } yield {
        content = new String(piece.get, UTF_8) + rest
        Response.ok(message)
      }
    }
    assert(answer.endsWith("the previous piece of the body has not arrived yet"), answer)
    assertEquals(content, text)
  }

  test("content that anybody has begun to read is not decoded: the program's error, not its client's") {
    val ways = Seq[Request => Async[Any]](
      r => all(plain(r)).flatMap(_ => all(plain(r))),
      r => r.body.stream.next().flatMap(_ => plain(r).next()),
      r => plain(r).next().flatMap(_ => Decoding.decoded(r).fold(throw _, identity).body.bytes),
      { r =>
        val (first, second) = (plain(r), plain(r))
        all(first).flatMap(_ => second.next())
      }
    )
    for (way <- ways) {
      val answer = answered(
        way(_).map(_.toString).recover { case e: IllegalStateException => e.getMessage }.map(Response.ok(_))
      )
      assert(answer.contains("the content of a request can be read once"), answer)
    }
  }
}
