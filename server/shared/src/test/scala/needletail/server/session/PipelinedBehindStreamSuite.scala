package needletail.server.session

import needletail.async.AsyncPromise
import needletail.http._
import needletail.testing.Suite

/** Requests that come in one read with a POST whose response is a stream of its own content. */
class PipelinedBehindStreamSuite extends Suite {
  private val contents = List(
    "Content-Length: 4\r\n\r\nbody",
    "Transfer-Encoding: chunked\r\n\r\n2\r\nbo\r\n2\r\ndy\r\n0\r\n\r\n"
  )

  private def answered(content: String, behind: Seq[String]): Unit = {
    val gate = new AsyncPromise[Unit]
    val wire = new FakeWire(request =>
      if (request.path == "/late")
        Response.ok.stream(request.body.stream.mapAsync(3)(piece => gate.map(_ => piece)))
      else Response.ok(s"answer to ${request.path}")
    )
    wire.send(s"POST /late HTTP/1.1\r\nHost: a\r\n$content" + behind.mkString)
    gate.succeed(())
    wire.turn()
    val output = wire.output
    assertEquals("HTTP/1\\.1 200".r.findAllIn(output).length, 1 + behind.length, output)
    val own = output.replaceAll("\r\n[0-9a-f]+\r\n", "")
    assert("body|bo.*dy".r.findFirstIn(own).isDefined, output)
    assert(output.endsWith("answer to /behind"), output)
    assert(wire.session.isIdle)
  }

  test("a GET behind such a POST is answered without further input") {
    contents.foreach(answered(_, Seq("GET /behind HTTP/1.1\r\nHost: a\r\n\r\n")))
  }

  test("so are several requests, with and without content") {
    for (content <- contents; other <- contents)
      answered(
        content,
        Seq(s"POST /other HTTP/1.1\r\nHost: a\r\n$other", "GET /behind HTTP/1.1\r\nHost: a\r\n\r\n")
      )
  }
}
