package needletail.gateway.serve

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, IOException, InputStream, OutputStream}

import scala.concurrent.duration._

import needletail.gateway.{Answer, Records, Serving}
import needletail.gateway.format.cgi.Variables

/** A CGI program's one request, without a process: the environment is given, and standard input and output. */
class CgiProcessSuite extends Serving {

  private def answer(
      environment: Seq[(String, String)],
      content: String = "",
      config: GatewayConfig = GatewayConfig(server = base)
  ): Answer = {
    val out = new ByteArrayOutputStream
    run(environment, new ByteArrayInputStream(Records.latin1(content)), out, config)
    Answer(out.toString("ISO-8859-1"), "", 0, 0)
  }

  private def run(
      environment: Seq[(String, String)],
      in: InputStream,
      out: OutputStream,
      config: GatewayConfig = GatewayConfig(server = base)
  ): Unit = CgiProcess.run(handler, config, Variables.of(environment), in, out)

  private def at(method: String, path: String, more: (String, String)*) =
    variables(
      method,
      s"/cgi-bin/app$path",
      (Seq("SCRIPT_NAME" -> "/cgi-bin/app", "PATH_INFO" -> path) ++ more): _*
    )

  test("a request out of the environment, answered on standard output") {
    assertEquals(
      answer(at("GET", "/hello")).out,
      "Status: 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 5\r\n\r\nhello"
    )
    assertEquals(answer(at("HEAD", "/hello")).content, "")
    assertEquals(answer(at("GET", "/nowhere")).content, "nothing at /nowhere")
    assertEquals(answer(at("GET", "")).content, "nothing at /")
    assertEquals(answer(at("GET", "/slow")).content, "slow")
  }

  test("content from standard input, as long as CONTENT_LENGTH says and no byte more") {
    assertEquals(answer(at("POST", "/echo", "CONTENT_LENGTH" -> "3"), "abcdef").content, "abc")
    assertEquals(
      answer(at("POST", "/length", "CONTENT_LENGTH" -> "1000000"), "x" * 1000000).content,
      "1000000"
    )
    assertEquals(
      answer(at("POST", "/length", "CONTENT_LENGTH" -> "4"), "abc").content,
      "the request ended before its body did"
    )
  }

  test("without CONTENT_LENGTH standard input is not read, but for content that came in chunks") {
    val unread = new InputStream { def read(): Int = throw new AssertionError("it was read") }
    val out    = new ByteArrayOutputStream
    run(at("POST", "/length"), unread, out)
    assert(out.toString("ISO-8859-1").endsWith("\r\n\r\n0"), out)
    assertEquals(
      answer(at("POST", "/echo", "HTTP_TRANSFER_ENCODING" -> "chunked"), "0\r\n\r\nabc").content,
      "0\r\n\r\nabc"
    )
  }

  test("a large answer, and one that is streamed") {
    assert(answer(at("GET", "/large")).content == new String(Serving.large, "ISO-8859-1"))
    val text = new String(Serving.large, "ISO-8859-1")
    assert(answer(at("POST", "/echo", "CONTENT_LENGTH" -> text.length.toString), text).content == text)
  }

  test("an answer that a pipe does not hold waits until all content is read, as mod_cgi has it") {
    val out = writesFirst(at("POST", "/echo", "CONTENT_LENGTH" -> "1000000"), GatewayConfig(server = base))
    assert(out.size > 1000000, out.size)
  }

  test("and also until content beyond `maxBody` is read, which is dropped") {
    val small = GatewayConfig(server = base.copy(maxBody = 100000))
    val out   = writesFirst(at("POST", "/large", "HTTP_TRANSFER_ENCODING" -> "chunked"), small)
    assert(out.size > 1000000, out.size)
  }

  /** The response to a request with a million bytes from a server that reads none of it before it has written those. */
  private def writesFirst(
      environment: Seq[(String, String)],
      config: GatewayConfig
  ): ByteArrayOutputStream = {
    var left = 1000000
    val in   = new InputStream {
      def read(): Int = throw new AssertionError("byte by byte")
      override def read(bytes: Array[Byte], from: Int, count: Int): Int = {
        val n = Math.min(left, count)
        left -= n
        if (n == 0) -1 else n
      }
    }
    var unread = 0
    val out    = new ByteArrayOutputStream {
      override def write(bytes: Array[Byte], from: Int, count: Int): Unit = {
        super.write(bytes, from, count)
        if (size > 65536) unread = Math.max(unread, left)
      }
    }
    run(environment, in, out, config)
    assertEquals(unread, 0)
    out
  }

  test("a server that has gone ends the program, and cancels what it waits for") {
    var rawBytes = 0
    val closed   = new OutputStream {
      def write(byte: Int): Unit                                          = write(Array(byte.toByte), 0, 1)
      override def write(bytes: Array[Byte], from: Int, count: Int): Unit = {
        rawBytes += count
        if (rawBytes > 1000000) throw new IOException("Broken pipe")
      }
    }
    run(at("GET", "/endless"), new ByteArrayInputStream(new Array[Byte](0)), closed)
    assert(rawBytes > 1000000)
  }

  test("a handler that does not answer is given up after its time") {
    val soon = GatewayConfig(server = base.copy(handlerTimeout = 100.millis))
    assertEquals(
      answer(at("GET", "/wait"), config = soon).head.takeWhile(_ != '\r'),
      "Status: 503 Service Unavailable"
    )
  }

  test("an environment that is no request is answered with 400") {
    assertEquals(answer(Seq("REQUEST_METHOD" -> "GE T")).content, "REQUEST_METHOD must be a token")
    assertEquals(answer(Nil).content, "REQUEST_METHOD is missing")
    assertEquals(
      answer(at("POST", "/length", "CONTENT_LENGTH" -> "-1")).content,
      "CONTENT_LENGTH must be a number"
    )
  }
}
