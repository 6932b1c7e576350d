package needletail.content.compression

import java.nio.charset.StandardCharsets.UTF_8

import needletail.content._
import needletail.http.{ByteStream, Headers, Method, Request, Response}
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
}
