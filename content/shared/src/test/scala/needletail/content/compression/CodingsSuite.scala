package needletail.content.compression

import java.nio.charset.StandardCharsets.UTF_8

import scala.util.{Failure, Success}

import needletail.content._
import needletail.http.message.HttpError
import needletail.http.{ByteStream, Headers, MessageBody, Method, Request, Response}
import needletail.routing._
import needletail.testing.Suite
import needletail.testkit._

/** Codings by libraries, as far as these are installed. */
class CodingsSuite extends Suite {
  private val usable = List("br", "zstd").filter(Encoders.problem(_) == null)
  private val text   = (1 to 5000).map(n => s"line $n").mkString("\n")

  private def reply(config: CompressionConfig, accept: String, response: Response) =
    Routes(GET / "x" to response).compressed(config).test(
      Request(Method.GET, "/x", Headers("Accept-Encoding" -> accept))
    )

  test("a coding that cannot be used is refused when it is asked for, and says what it needs") {
    for (coding <- List("br", "zstd").diff(usable)) {
      val error = intercept[IllegalArgumentException](CompressionConfig(codings = List(coding)))
      assert(error.getMessage.contains(s"the coding $coding"), error.getMessage)
    }
    intercept[IllegalArgumentException](CompressionConfig(codings = List("lzma")))
    assertEquals(CompressionConfig().codings, List("gzip", "deflate"), "none of them unless asked for")
  }

  test("the server's order counts among what the client likes equally, and the tag becomes weak") {
    val config = CompressionConfig(codings = usable :+ "gzip")
    for (coding <- usable) {
      val sent = reply(config, s"gzip, $coding", Response.ok(text).header("ETag", "\"a\""))
      assertEquals(sent.header("Content-Encoding"), Some(coding))
      assertEquals(sent.header("ETag"), Some("W/\"a\""))
      assertEquals(sent.header("Vary"), Some("Accept-Encoding"))
      assert(sent.bytes.length < text.length / 3)
      val other = reply(config, s"gzip, $coding;q=0.5", Response.ok(text))
      assertEquals(other.header("Content-Encoding"), Some("gzip"))
    }
  }

  test("a stream comes in pieces, and its beginning before its end") {
    for (coding <- usable) {
      val pieces = ByteStream.fromIterator(Iterator.fill(200)(text.getBytes(UTF_8)))
      val sent   =
        reply(
          CompressionConfig(codings = List(coding)),
          coding,
          Response.ok.contentType("text/plain").stream(pieces)
        )
      val all = sent.bytes
      assert(all.length > 100 && all.length < 200 * text.length / 10, all.length)
      assertEquals(
        all.toSeq,
        reply(
          CompressionConfig(codings = List(coding)),
          coding,
          Response.ok.contentType("text/plain").stream(
            ByteStream.fromIterator(Iterator.fill(200)(text.getBytes(UTF_8)))
          )
        ).bytes.toSeq,
        "an encoder that was used before compresses as a new one does"
      )
    }
  }

  private val decodable = List("gzip", "deflate", "br", "zstd").filter(Decoders.isUsable)

  private def decoded(
      pieces: Iterator[Array[Byte]],
      coding: String,
      limits: DecodingLimits = DecodingLimits()
  ): Either[Int, String] = {
    val body    = MessageBody.streamed(ByteStream.fromIterator(pieces), -1)
    val request = Request(Method.POST, "/", Headers("Content-Encoding" -> coding), body)
    val plain   = Decoding.decoded(request, limits).fold(throw _, identity)
    val result  = new ManualLoop().run(plain.body.bytes)
    assertEquals(Decoders.inStreams, 0)
    result match {
      case Success(bytes)        => Right(new String(bytes, UTF_8))
      case Failure(e: HttpError) => Left(e.status.code)
      case Failure(e)            => throw e
    }
  }

  private def packed(content: Array[Byte], coding: String) = Compressing.whole(content, coding, 5)

  test("a body is decoded, wherever it is split; what is cut off or malformed is a 400") {
    for (coding <- decodable; if usable.contains(coding)) {
      val bytes = packed(text.getBytes(UTF_8), coding)
      assertEquals(decoded(Iterator(bytes), coding), Right(text))
      assertEquals(decoded(bytes.iterator.map(Array(_)), coding), Right(text))
      assertEquals(decoded(bytes.grouped(1000), coding), Right(text))
      assertEquals(decoded(Iterator(packed(Array.empty, coding)), coding), Right(""))
      for (bad <- List("plain".getBytes, bytes.dropRight(1), bytes.take(3), Array.empty[Byte]))
        assertEquals(decoded(Iterator(bad), coding), Left(400), s"$coding ${bad.length}")
      assertEquals(decoded(Iterator(Array[Byte](0x55), bytes.drop(1)), coding), Left(400))
    }
  }

  test("a bomb is a 413 before it has grown, and too many at once are a 503") {
    for (coding <- decodable; if usable.contains(coding)) {
      val bomb = packed(new Array[Byte](20000000), coding)
      assertEquals(
        decoded(Iterator(bomb), coding, DecodingLimits(size = 1000000, ratio = 1 << 20)),
        Left(413)
      )
      assertEquals(decoded(Iterator(bomb), coding, DecodingLimits(size = 100000000, ratio = 100)), Left(413))
      assertEquals(decoded(Iterator(bomb), coding, DecodingLimits(streams = 0)), Left(503))
    }
  }

  test("Zstandard in several frames, and none that needs more memory than HTTP allows") {
    if (usable.contains("zstd") && decodable.contains("zstd")) {
      val two = packed("a".getBytes, "zstd") ++ packed("b".getBytes, "zstd")
      assertEquals(decoded(Iterator(two), "zstd"), Right("ab"))
      assertEquals(decoded(two.iterator.map(Array(_)), "zstd"), Right("ab"))
      assertEquals(decoded(Iterator(two, Array[Byte](1)), "zstd"), Left(400))
      // a frame with a window of 2^exponent bytes, and one raw block (RFC 8878 section 3.1.1)
      def frame(exponent: Int) =
        Array(0x28, 0xb5, 0x2f, 0xfd, 0, (exponent - 10) << 3, 9, 0, 0, 'c'.toInt).map(_.toByte)
      assertEquals(decoded(Iterator(frame(23)), "zstd"), Right("c"))
      assertEquals(decoded(Iterator(frame(24)), "zstd"), Left(400))
    }
  }

  test("a client decodes what it asks for, and cannot ask for what there is no library for") {
    for (coding <- decodable; if usable.contains(coding)) {
      val decoding = Decoding.responses(codings = List(coding, "gzip"))
      assertEquals(decoding.accepts, s"$coding, gzip")
      val plain =
        decoding.decode(coding, ByteStream.fromIterator(Iterator(packed(text.getBytes(UTF_8), coding)))).get
      assertEquals(
        new ManualLoop().run(MessageBody.streamed(plain, -1).bytes).map(new String(_, UTF_8)).get,
        text
      )
      assertEquals(Decoding.responses().decode(coding, plain).isEmpty, coding == "br" || coding == "zstd")
    }
    for (coding <- List("lzma") ++ List("br", "zstd").diff(decodable))
      intercept[IllegalArgumentException](Decoding.responses(codings = List(coding)))
  }
}
