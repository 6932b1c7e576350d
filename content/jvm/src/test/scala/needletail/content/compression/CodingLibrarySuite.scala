package needletail.content.compression

import com.aayushatharva.brotli4j.decoder.{BrotliInputStream, DecoderJNI}
import com.github.luben.zstd.ZstdInputStream

import java.io.{ByteArrayInputStream, InputStream}
import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Random

import needletail.content._
import needletail.http.{ByteStream, Headers, Method, Request, Response}
import needletail.routing._
import needletail.stream.Push
import needletail.testing.Suite
import needletail.testkit._

/** What brotli4j and zstd-jni make, read by themselves. */
class CodingLibrarySuite extends Suite {
  private val codings = List("br", "zstd")
  private val text    = (1 to 5000).map(n => s"line $n").mkString("\n").getBytes(UTF_8)
  private val noise   = {
    val bytes = new Array[Byte](300000)
    new Random(1).nextBytes(bytes)
    bytes
  }

  private def reader(coding: String, bytes: Array[Byte]): InputStream =
    if (coding == "br") new BrotliInputStream(new ByteArrayInputStream(bytes))
    else new ZstdInputStream(new ByteArrayInputStream(bytes))

  private def plain(coding: String, bytes: Array[Byte]): Seq[Byte] = {
    val in = reader(coding, bytes)
    try in.readAllBytes().toSeq
    finally in.close()
  }

  /** What can be read of an incomplete content; a stream for brotli would insist on its end. */
  private def begun(coding: String, bytes: Array[Byte]): Array[Byte] =
    if (coding == "br") {
      val decoder = new DecoderJNI.Wrapper(1000)
      decoder.getInputBuffer.put(bytes)
      decoder.push(bytes.length)
      val out    = decoder.pull()
      val result = new Array[Byte](out.remaining)
      out.get(result)
      decoder.destroy()
      result
    } else reader(coding, bytes).readNBytes(5)

  test("contents of any length, at once and in pieces, one after the other") {
    for (coding <- codings; _ <- 1 to 3; content <- Seq(Array.emptyByteArray, Array[Byte](7), text, noise)) {
      val whole = Compressing.whole(content, coding, 5)
      assertEquals(plain(coding, whole), content.toSeq, coding)
      if (content eq text) assert(whole.length < text.length / 3, whole.length)
      val pieces = new Compressing(ByteStream.fromIterator(content.grouped(7001)), coding, 1, most = 9)
      val loop   = new ManualLoop
      val all    = loop.run(pieces.toList(1000)).get.flatten
      assertEquals(plain(coding, all.toArray), content.toSeq, coding)
    }
  }

  test("what a handler has sent so far reaches the client while it waits") {
    for (coding <- codings) {
      val push   = new Push[Array[Byte]](4)
      val loop   = new ManualLoop
      val config = CompressionConfig(codings = List(coding))
      val route  =
        Routes(GET / "x" to Response.ok.contentType("text/plain").stream(push.stream)).compressed(config)
      val sent = route.test(Request(Method.GET, "/x", Headers("Accept-Encoding" -> s"gzip, $coding")), loop)
      assertEquals(sent.header("Content-Encoding"), Some(coding))
      push.offer("first".getBytes(UTF_8))
      val stream = sent.response.body.stream
      val piece  = loop.run(stream.next()).get.get
      assertEquals(new String(begun(coding, piece), UTF_8), "first", coding)
      push.offer("second".getBytes(UTF_8))
      push.complete()
      val rest = loop.run(stream.toList(10)).get
      assertEquals(new String(plain(coding, piece ++ rest.flatten).toArray, UTF_8), "firstsecond", coding)
    }
  }

  test("a stream that must not be compressed has the format of its coding, whatever its length") {
    for (coding <- codings; n <- List(0, 1, 65536, 65537, 131072, 300000)) {
      val pieces = Iterator(noise.take(n), noise.take(7)).filter(_.nonEmpty)
      val stream = new Compressing(ByteStream.fromIterator(pieces), coding, 5, most = 0)
      val sent   = new ManualLoop().run(stream.toList(100)).get.toArray.flatten
      assertEquals(plain(coding, sent), (noise.take(n) ++ noise.take(7)).toSeq)
      assert(sent.length < n + 7 + 60, (coding, n, sent.length))
    }
  }
}
