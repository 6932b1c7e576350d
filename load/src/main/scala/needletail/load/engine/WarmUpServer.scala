package needletail.load.engine

import java.nio.charset.StandardCharsets.US_ASCII

import needletail.io._
import needletail.io.platform.ListenOptions

/**
 * The server of the warm-up: answers every head, in turn in the styles of different servers. The compiler assumes that
 * what has not happened does not happen, and discards code when it does: a server without a header that all answers of
 * the warm-up had would delay a run's first half second.
 */
private[engine] final class WarmUpServer(connection: Connection, turn: WarmUpServer.Turn)
    extends ConnectionHandler {
  import WarmUpServer.*

  private var matched = 0 // bytes of the end of a head that have arrived

  def onData(bytes: Array[Byte], from: Int, until: Int): Int = {
    var i = from
    while (i < until && !connection.isPaused) {
      val byte = bytes(i)
      matched = if (byte == HeadEnd(matched)) matched + 1 else if (byte == '\r') 1 else 0
      if (matched == HeadEnd.length) {
        matched = 0
        answer()
      }
      i += 1
    }
    i
  }

  private def answer(): Unit = if (connection.isOpen) {
    val said = turn.next()
    if (said % GoneAfter == 0) connection.close()
    else if (said % LastAfter == 0) {
      say(lasts(said / LastAfter % lasts.length))
      connection.closeGracefully(LingerNanos, MaxDiscard)
    } else if (said % InTwoAfter == 0) inTwo(answers(0))
    else say(answers(said % answers.length))
  }

  private def say(rawBytes: Array[Byte]): Unit = connection.write(rawBytes, 0, rawBytes.length)

  /** As over a network: the rest arrives in a separate packet, a little later; no further request is read before. */
  private def inTwo(rawBytes: Array[Byte]): Unit = {
    val cut = rawBytes.length / 2
    connection.write(rawBytes, 0, cut)
    connection.pauseReading()
    connection.loop.schedule(
      RestNanos,
      () =>
        if (connection.isOpen) {
          connection.write(rawBytes, cut, rawBytes.length - cut)
          connection.resumeReading()
        }
    )
    ()
  }

  def onEnd(): Unit                    = connection.close()
  def onDrained(): Unit                = ()
  def onDeadline(): Unit               = ()
  def onClosed(cause: Throwable): Unit = ()
}

private[engine] object WarmUpServer {

  /** Contained in the body of each answer that has one, for checks and extractions. */
  final val Word = "parrot"

  private val HeadEnd: Array[Byte] = rawBytes("\r\n\r\n")

  /** Shared by all connections of a loop, so that answers differ on each. */
  private[engine] final class Turn {
    private var said = 0

    def next(): Int = {
      said += 1
      said
    }
  }

  // After how many answers; numbers that seldom coincide.
  private final val InTwoAfter = 31
  private final val LastAfter  = 211
  private final val GoneAfter  = 499

  private final val RestNanos   = 1000L * 1000
  private final val LingerNanos = 100L * 1000 * 1000
  private final val MaxDiscard  = 64 * 1024

  private val text = s"Hello from a $Word!"
  private val date = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
  private val kind = "Content-Type: text/html; charset=utf-8\r\n"

  private def rawBytes(s: String): Array[Byte] = s.getBytes(US_ASCII)

  private def framed(body: String): String = s"Content-Length: ${body.length}\r\n\r\n$body"

  private def chunks(parts: String*): String =
    parts.map(p => s"${p.length.toHexString}\r\n$p\r\n").mkString(
      "Transfer-Encoding: chunked\r\n\r\n",
      "",
      "0\r\n\r\n"
    )

  /**
   * Answers that keep the connection open, with heads in the style of this server, nginx, Node, Uvicorn, Go and
   * Apache.
   */
  private val answers: Array[Array[Byte]] = Array(
    s"HTTP/1.1 200 OK\r\nServer: needletail\r\n$date$kind${framed(text)}",
    s"HTTP/1.1 200 OK\r\nServer: nginx\r\n$date${kind}Content-Length: ${text.length}\r\n" +
      "Last-Modified: Sat, 05 Nov 1994 08:49:37 GMT\r\nConnection: keep-alive\r\nETag: \"6a-0\"\r\n" +
      s"Accept-Ranges: bytes\r\n\r\n$text",
    s"HTTP/1.1 200 OK\r\nX-Powered-By: Express\r\n$kind${date}Connection: keep-alive\r\nKeep-Alive: timeout=5\r\n" +
      chunks(text, text),
    s"HTTP/1.1 200 OK\r\ndate: Sun, 06 Nov 1994 08:49:37 GMT\r\nserver: uvicorn\r\n" +
      s"content-length: ${text.length}\r\ncontent-type: application/json\r\n\r\n$text",
    s"HTTP/1.1 200 OK\r\n$kind${date}Set-Cookie: a=b; Path=/\r\n${framed(text * 400)}",
    s"HTTP/1.1 404 Not Found\r\n${date}Server: Apache\r\nKeep-Alive: timeout=5, max=100\r\nConnection: Keep-Alive\r\n" +
      framed(text),
    s"HTTP/1.1 503 Service Unavailable\r\n${date}Retry-After: 1\r\n${framed("")}",
    s"HTTP/1.1 304 Not Modified\r\n${date}ETag: \"6a-0\"\r\n\r\n",
    s"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n${framed(text)}"
  ).map(rawBytes)

  /** Answers that close it. */
  private val lasts: Array[Array[Byte]] = Array(
    s"HTTP/1.1 200 OK\r\n${date}Connection: close\r\n${framed(text)}",
    s"HTTP/1.0 200 OK\r\n$date$kind\r\n$text"
  ).map(rawBytes)

  /** Listens on loopback until `close` is called, over TLS if it `isSecure`; every connection is on `loop`. */
  def listen(loop: EventLoop, isSecure: Boolean = false): Listener = {
    val turn = new Turn
    val tls  = if (isSecure) Some(Tls.server(WarmUpCertificate.context())) else None
    Listener.bind(
      Address.Tcp("127.0.0.1", 0),
      loop,
      ListenOptions(),
      socket =>
        tls match {
          case Some(identity) => socket.start(loop, ConnectionOptions(), identity)(new WarmUpServer(_, turn))
          case None           => socket.start(loop, ConnectionOptions())(new WarmUpServer(_, turn))
        }
    )
  }
}
