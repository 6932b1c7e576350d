package needletail.content.compression

import needletail.async.{Async, AsyncPromise}
import needletail.client.{Client, ClientConfig, ClientError, Serving}
import needletail.client.config.ContentDecoding
import needletail.content._
import needletail.http.{ByteStream, Handler, MessageBody, Response}
import needletail.http.text.ByteWriter
import needletail.testing.Suite

/** Compressed responses, decoded by the client. */
class ResponseDecodingSuite extends Suite with Serving {
  import Packed.{gzip, zlib}

  private val text = (1 to 20000).map(n => s"line $n").mkString("\n")

  private def coded(coding: String, bytes: Array[Byte]): Response =
    Response.ok.bytes(bytes).header("Content-Encoding", coding).header("ETag", "\"1\"")

  private lazy val packed = gzip(text.getBytes)
  private lazy val bomb   = gzip(new Array[Byte](3000000))

  private val handler: Handler = request =>
    request.path match {
      case "/asked"   => Response.ok(request.headers.getAll("accept-encoding").mkString("|"))
      case "/gzip"    => coded("GZip", packed)
      case "/listed"  => coded(", gzip,", packed)
      case "/deflate" => coded("deflate", zlib(text.getBytes))
      case "/pieces"  =>
        Response.ok.header("Content-Encoding", "gzip").stream(ByteStream.fromIterator(packed.grouped(1000)))
      case "/endless" =>
        val first = Iterator.single(packed.take(packed.length / 2))
        Response.ok.header("Content-Encoding", "gzip").stream(new ByteStream {
          def next(): Async[Option[Array[Byte]]] =
            if (first.hasNext) Async.value(Some(first.next())) else new AsyncPromise[Option[Array[Byte]]]
          def cancel(): Unit = ()
        })
      case "/bomb"    => coded("gzip", bomb)
      case "/cut"     => coded("gzip", packed.take(100))
      case "/broken"  => coded("gzip", "plain".getBytes)
      case "/unknown" => coded("br", "as it is".getBytes)
      case "/twice"   => coded("gzip, gzip", "as it is".getBytes)
      case "/empty"   =>
        Response.ok.header("Content-Encoding", "gzip").stream(ByteStream.fromIterator(Iterator.empty))
      case _ => coded("gzip", Array.empty)
    }

  private val decoding = clientConfig.copy(decoding = Some(Decoding.responses()))

  private def collect(stream: ByteStream, limit: Int = 10000000): Async[Array[Byte]] =
    MessageBody.collect(stream, new ByteWriter(64), limit)

  test("it asks for codings where nobody else does, and decodes what it asked for") {
    serving(handler, decoding) { (server, client) =>
      val service = client.service(server.url)
      assertEquals(service.get("/asked").await().text, "gzip, deflate")
      assertEquals(service.get("/asked").header("accept-encoding", "br").await().text, "br")
      assertEquals(service.get("/asked").undecoded.await().text, "")
      assertEquals(service.get("/asked").header("Range", "bytes=0-99").await().text, "")

      for (path <- List("/gzip", "/listed", "/deflate", "/pieces")) {
        val response = service.get(path).await()
        assert(response.text == text, path)
        assertEquals(response.header("Content-Encoding").orElse(response.header("Content-Length")), None)
      }
      assertEquals(service.get("/gzip").await().header("ETag"), Some("\"1\""))
      for (
        call <- List(service.get("/gzip").undecoded, service.get("/gzip").header("Accept-Encoding", "gzip"))
      ) {
        val raw = call.await()
        assert(java.util.Arrays.equals(raw.bytes, packed))
        assertEquals(raw.header("Content-Encoding"), Some("GZip"))
      }
      assertEquals(service.head("/gzip").await().header("Content-Encoding"), Some("GZip"))
      for (path <- List("/unknown", "/twice")) {
        val response = service.get(path).await()
        assertEquals((response.text, response.header("Content-Encoding").isDefined), ("as it is", true))
      }
      assertEquals(service.get("/empty").await().text + service.get("/none").await().text, "")
    }
    serving(handler)((server, client) => assertEquals(client.get(s"${server.url}/asked").await().text, ""))
  }

  test("streams are decoded as they are read") {
    serving(handler, decoding) { (server, client) =>
      val service = client.service(server.url)
      for (path <- List("/gzip", "/deflate", "/pieces", "/empty")) {
        val read = client.await(service.get(path).stream.flatMap(r => collect(r.body)))
        assertEquals(new String(read), if (path == "/empty") "" else text)
      }
      val head = client.await(service.get("/gzip").stream.map { r => r.body.cancel(); r.headers })
      assertEquals((head.contains("Content-Encoding"), head.contains("Content-Length")), (false, false))
      // passed on by a server
      val through: Handler = _ => service.get("/gzip").stream.map(_.toResponse)
      serving(through)((front, outer) => assert(outer.get(front.url).await().text == text))
    }
  }

  test("what is malformed, cut off or a bomb is an error of the client; nothing of it is left") {
    def failing(client: Client, url: String): (Throwable, Throwable) = (
      intercept[ClientError](client.get(url).await()),
      intercept[ClientError](client.await(client.get(url).stream.flatMap(r => collect(r.body))))
    )
    serving(handler, decoding) { (server, client) =>
      for (path <- List("/cut", "/broken")) {
        val (whole, streamed) = failing(client, server.url + path)
        assert(
          whole.isInstanceOf[ClientError.Malformed] && streamed.isInstanceOf[ClientError.Malformed],
          path
        )
      }
      val whole =
        intercept[ClientError.TooLarge](client.get(s"${server.url}/bomb").await()) // maxBodyInMemory
      assert(whole.getMessage.contains("cannot be decoded"), whole.getMessage)
      eventually(client.statistics.map(_.inFlight).sum == 0)
      assertEquals(client.get(s"${server.url}/gzip").await().text.length, text.length)
    }
    val limited = Decoding.responses(DecodingLimits(size = 1000000, ratio = 2000))
    for (limits <- List(limited, Decoding.responses(DecodingLimits(ratio = 100))))
      serving(handler, clientConfig.copy(decoding = Some(limits), maxBodyInMemory = 10000000)) {
        (server, client) =>
          val (whole, streamed) = failing(client, s"${server.url}/bomb")
          assert(whole.isInstanceOf[ClientError.TooLarge] && streamed.isInstanceOf[ClientError.TooLarge])
      }
  }

  test("an exception of a decoder fails the call, and leaves no connection behind") {
    final class Failing(make: () => Option[ByteStream]) extends ContentDecoding {
      def accepts: String                                                 = "gzip"
      def decode(coding: String, content: ByteStream): Option[ByteStream] = make()
    }
    def thrown: Nothing = throw new IllegalStateException("a decoder")
    val inNext          = new ByteStream {
      def next(): Async[Option[Array[Byte]]] = thrown
      def cancel(): Unit                     = ()
    }
    for (decoder <- List(new Failing(() => thrown), new Failing(() => Some(inNext))))
      serving(handler, clientConfig.copy(decoding = Some(decoder))) { (server, client) =>
        val call = client.get(s"${server.url}/gzip")
        val end  = call.future.transform(done => scala.util.Success(done.isFailure))(
          scala.concurrent.ExecutionContext.parasitic
        )
        eventually(end.value.isDefined)
        assert(end.value.get.get)
        assert(scala.util.Try(client.await(call.stream.flatMap(r => collect(r.body)))).isFailure)
        eventually(client.statistics.map(_.inFlight).sum == 0)
      }
  }

  test("the decoder is ended with the body: at its end, when it is cancelled, and when nobody reads on") {
    import scala.concurrent.duration._
    val decoders = new CountedDecoders
    import decoders.{ended, made}
    val counted = new ContentDecoding {
      def accepts: String                                                 = "gzip"
      def decode(coding: String, content: ByteStream): Option[ByteStream] = Some(new Decompressing(
        content,
        () => decoders.next(),
        DecodingLimits()
      ))
    }
    val config: ClientConfig = clientConfig.copy(decoding = Some(counted), bodyTimeout = 200.millis)
    serving(handler, config) { (server, client) =>
      def stream(path: String) = client.get(server.url + path).stream
      assertEquals(client.await(stream("/pieces").flatMap(r => collect(r.body))).length, text.length)
      assertEquals((made.get, ended.get), (1, 1))
      client.await(stream("/endless").flatMap(r => r.body.next().map(_ => r.body.cancel())))
      assertEquals((made.get, ended.get), (2, 2))
      val body = client.await(stream("/endless").flatMap(r => r.body.next().map(_ => r.body)))
      assertEquals(made.get, 3)
      eventually(ended.get == 3) // after bodyTimeout
      intercept[ClientError.TimedOut](client.await(body.next()))
    }
  }
}
