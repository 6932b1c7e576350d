package needletail.server.exchange

import needletail.async.Async
import needletail.http._
import needletail.server.config.ServerConfig
import needletail.server.operations.Log
import needletail.server.session.FakeWire
import needletail.testing.Suite

/** Content of a request is read once: not again as if there were none, nor only the rest of it. */
class ReadOnceSuite extends Suite with ContentRequests {
  private val config = ServerConfig(maxBodyInMemory = 1000, log = Log.none)

  private val whole: Handler = request => request.text.map(text => Response.ok(text))

  test("content that has been read is not read again as if there were none") {
    def answer(text: Async[String]): Async[Response] =
      text.map(Response.ok(_)).recover { case e: IllegalStateException => Response.ok(e.getMessage) }
    val twice: Handler = request => answer(request.text.flatMap(_ => request.text))
    val after: Handler =
      request => answer(request.body.stream.fold(0)((n, _) => n).flatMap(_ => request.text))
    val further: Handler = request => answer(request.body.stream.next().flatMap(_ => request.text))
    val anew: Handler    =
      request => answer(all(request.body.stream).flatMap(_ => all(request.body.stream)))
    val streamed: Handler = request => answer(request.text.flatMap(_ => all(request.body.stream)))
    val kept: Handler     = request => {
      val stream = request.body.stream
      answer(request.text.flatMap(_ => all(stream)))
    }
    val atOnce: Handler = request => {
      val first = request.text
      answer(request.text.flatMap(second => first.map(_ + second)))
    }
    val beside: Handler = request => {
      val first = request.text
      answer(all(request.body.stream).flatMap(second => first.map(_ + second)))
    }
    for (sent <- Seq(Seq(post(5), "hello"), Seq(chunkedPost, "5\r\nhello\r\n0\r\n\r\n"))) {
      for (
        handler <- Seq(twice, after, further, anew, streamed, kept, atOnce, beside);
        parts   <- Seq(sent, Seq(sent.mkString))
      ) {
        val wire = new FakeWire(handler, config)
        parts.foreach(wire.send(_))
        val output = content(wire.output)
        assert(output.startsWith("the content of a request can be read once"), s"$parts: $output")
      }
      assertEquals(content(new FakeWire(whole, config).send(sent.mkString).output), "hello")
    }
    for (
      handler <- Seq(twice, after, further, anew, streamed, kept, atOnce, beside);
      empty   <- Seq(post(0), chunkedPost + "0\r\n\r\n")
    )
      assertEquals(content(new FakeWire(handler, config).send(empty).output), "", empty)
  }

  private def all(stream: ByteStream): Async[String] =
    stream.fold("")((text, piece) => text + new String(piece))

  test("a stream that has been begun can be read on, also if it is asked for again") {
    val twoParts: Handler = request =>
      request.body.stream.next().flatMap(first =>
        all(request.body.stream).map(rest => Response.ok(s"${new String(first.get)}|$rest"))
      )
    assertEquals(
      content(new FakeWire(twoParts, config).send(post(5)).send("hel").send("lo").output),
      "hel|lo"
    )
  }

  test("content that was too large has been read, whether or not its length was known before") {
    val chunks = "3e8\r\n" + "x" * 1000 + "\r\n1\r\nx\r\n0\r\n\r\n"
    val again  = Seq[Request => Async[Any]](_.text, _.body.bytes(2000), _.body.stream.next())
    for (sent <- Seq(post(1001) + "x" * 1001, chunkedPost + chunks); read <- again) {
      val handler: Handler = request =>
        request.body.bytes(1000).map(_ => "read").recoverWith { case e: HttpError =>
          read(request).map(_ => "read").recover { case twice: IllegalStateException =>
            s"${e.status.code}, ${twice.getMessage}"
          }
        }.map(Response.ok(_))
      val output = content(new FakeWire(handler, config).send(sent).output)
      assert(output.startsWith("413, the content of a request can be read once"), output)
    }
  }
}
