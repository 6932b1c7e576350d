package needletail.client.connection

import java.nio.charset.StandardCharsets.ISO_8859_1

import needletail.client.config.ClientConfig
import needletail.client.error.ClientError
import needletail.http.Headers
import needletail.http.http1.ResponseHead
import needletail.http.text.ByteWriter
import needletail.testing.Suite

/** Answers byte by byte: however they are cut, the exchanges hear the same. */
class ResponseReaderSuite extends Suite {

  /** Notes what it is told. */
  private final class Noted(head: Boolean, log: StringBuilder) extends ClientExchange {
    private val content                  = new ByteWriter(64)
    override def isHead: Boolean         = head
    def encode(into: ByteWriter): Unit   = ()
    def onSent(): Unit                   = ()
    def onHead(head: ResponseHead): Unit = {
      log.append(s"${head.code} ${head.toHeaders.toList.mkString(",")};")
      ()
    }
    def onContent(bytes: Array[Byte], from: Int, until: Int): Unit = content.write(bytes, from, until - from)
    private def text                       = new String(content.bytes, 0, content.length, ISO_8859_1)
    def onEnd(trailers: Headers): Unit     = { log.append(s"$text|${trailers.toList.mkString(",")}\n"); () }
    def onFailed(error: ClientError): Unit = { log.append(s"$text!${error.getMessage}\n"); () }
  }

  private final class Reader(heads: Seq[Boolean])
      extends ResponseReader(new ClientLoopContext(null, ClientConfig())) {
    val log = new StringBuilder
    heads.foreach(head => inFlight.append(new Noted(head, log)))
    protected def answered(x: ClientExchange, trailers: Headers, spoiled: Boolean): Unit = {
      x.onEnd(trailers)
      if (isLast || spoiled) {
        if (spoiled) log.append("spoiled\n")
        isOver = true
      }
    }
    protected def broken(error: ClientError): Unit = {
      isOver = true
      if (inFlight.first != null) inFlight.first.onFailed(error)
      else if (error != null) { log.append(s"broken ${error.getMessage}\n"); () }
    }
    protected def continued(x: ClientExchange): Unit = { log.append("100;"); () }
    protected def hasWritten: Boolean                = true
    protected def hostName: String                   = "http://a"
    def end(): Unit                                  = inputEnded()
  }

  /** What is heard when the bytes come in such pieces; what is not used comes again, as from a connection. */
  private def hear(text: String, heads: Seq[Boolean], cuts: Seq[Int]): String = {
    val reader = new Reader(heads)
    val bytes  = text.getBytes(ISO_8859_1)
    var used   = 0
    (cuts :+ bytes.length).distinct.foreach { until =>
      if (until > used) {
        // elsewhere in memory each time
        val offset = until % 7
        val array  = new Array[Byte](offset + until - used + 3)
        System.arraycopy(bytes, used, array, offset, until - used)
        used += reader.read(array, offset, offset + until - used) - offset
      }
    }
    reader.end()
    reader.log.toString
  }

  private def hears(text: String, expected: String, heads: Seq[Boolean] = Seq(false)): Unit = {
    assertEquals(hear(text, heads, Nil), expected)
    for (i <- 1 until text.length) assertEquals(hear(text, heads, Seq(i)), expected, s"cut at $i")
    assertEquals(hear(text, heads, 1 until text.length), expected, "byte by byte")
  }

  test("a body with a length") {
    hears("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "200 (Content-Length,5);hello|\n")
  }

  test("chunks, extensions, trailers") {
    hears(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n1\r\nd\r\n0\r\nSum: 4\r\n\r\n",
      "200 (Transfer-Encoding,chunked);abcd|(Sum,4)\n"
    )
  }

  test("until the connection's end") {
    hears("HTTP/1.0 200 OK\r\nA: b\r\n\r\nall", "200 (A,b);all|\n")
  }

  test("interim responses, an empty reason, none at all") {
    hears(
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 \r\nLink: x\r\n\r\nHTTP/1.1 204\r\n\r\n",
      "100;204 ;|\n"
    )
  }

  test("several answers on one connection, one of them to HEAD") {
    hears(
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na" +
        "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n" +
        "HTTP/1.1 304 X\r\nContent-Length: 9\r\n\r\n" +
        "HTTP/1.1 404 No\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nz\r\n0\r\n\r\n",
      "200 (Content-Length,1);a|\n200 (Content-Length,9);|\n304 (Content-Length,9);|\n" +
        "404 (Transfer-Encoding,chunked);z|\n",
      heads = Seq(false, true, false, false)
    )
  }

  test("cut off: in the head, in the body, in a chunk") {
    hears("HTTP/1.1 200 OK\r\nA: b\r\n", "!http://a: the connection ended inside the response's head\n")
    hears(
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel",
      "200 (Content-Length,5);hel!http://a: the connection ended inside the response's body, 2 bytes before its end\n"
    )
    hears(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
      "200 (Transfer-Encoding,chunked);hel!http://a: the connection ended inside a chunk of the response's body\n"
    )
  }

  test("framing faults are found however the bytes come") {
    val both = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
    hears(
      both,
      "!http://a: malformed response: a response must not have both Transfer-Encoding and Content-Length\n"
    )
    hears(
      "HTTP/1.1 099 Low\r\n\r\n",
      "!http://a: malformed response: 99 is not a status code\n"
    )
    hears(
      "HTTP/1.1 200 OK\rX\r\n\r\n",
      "!http://a: malformed response: a status line must end in CRLF\n"
    )
  }

  test("what follows the last answer in one piece spoils the connection") {
    assertEquals(
      hear("HTTP/1.1 204 X\r\n\r\nHTTP/1.1 204 X\r\n\r\n", Seq(false), Nil),
      "204 ;|\nspoiled\n"
    )
    assertEquals(
      hear("HTTP/1.1 204 X\r\n\r\nHTTP/1.1 204 X\r\n\r\n", Seq(false), Seq(18)),
      "204 ;|\nbroken http://a: a response arrived without a request\n"
    )
  }

  test("random bytes never throw, and end in an answer or an error") {
    val seed   = 20261121L
    val random = new java.util.Random(seed)
    val pieces = Vector(
      "HTTP/1.1 200 OK\r\n",
      "Content-Length: 3\r\n",
      "\r\n",
      "abc",
      "Transfer-Encoding: chunked\r\n",
      "1\r\nx\r\n",
      "0\r\n\r\n",
      "\u0000",
      "HTTP/1.0 ",
      " ",
      ":",
      "\n"
    )
    for (_ <- 1 to 5000) {
      val text = Vector.fill(random.nextInt(8) + 1)(pieces(random.nextInt(pieces.size))).mkString
      val cut  = random.nextInt(text.length + 1)
      val log  = hear(text, Seq(false), Seq(cut))
      assert(log.nonEmpty, s"seed $seed: $text")
      assertEquals(log, hear(text, Seq(false), Seq(cut)), s"seed $seed")
    }
  }
}
