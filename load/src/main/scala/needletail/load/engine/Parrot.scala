package needletail.load.engine

import java.nio.charset.StandardCharsets.US_ASCII

import needletail.io._

/**
 * The server of the warm-up: answers each head that ends, whatever it asks for, in turn as different servers answer.
 * The compiler takes what never happened for what never happens, and gives up its work when it does: a server that
 * leaves out a header which all answers of the warm-up had would cost a run its first half second.
 */
private[engine] final class Parrot(connection: Connection, turn: Parrot.Turn) extends ConnectionHandler {
  import Parrot.*

  private var matched = 0 // octets of the end of a head that have come

  def onData(bytes: Array[Byte], from: Int, until: Int): Int = {
    var i = from
    while (i < until && !connection.isPaused) {
      val octet = bytes(i)
      matched = if (octet == HeadEnd(matched)) matched + 1 else if (octet == '\r') 1 else 0
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

  private def say(octets: Array[Byte]): Unit = connection.write(octets, 0, octets.length)

  /** As over a network: the rest comes in a packet of its own, a little later; no further request is read before. */
  private def inTwo(octets: Array[Byte]): Unit = {
    val cut = octets.length / 2
    connection.write(octets, 0, cut)
    connection.pauseReading()
    connection.loop.schedule(
      RestNanos,
      () =>
        if (connection.isOpen) {
          connection.write(octets, cut, octets.length - cut)
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

private[engine] object Parrot {

  /** What is in the body of each answer that has one, for checks and draws. */
  final val Word = "parrot"

  private val HeadEnd: Array[Byte] = octets("\r\n\r\n")

  /** Of all connections of a loop, so that answers differ on each. */
  private[engine] final class Turn {
    private var said = 0

    def next(): Int = {
      said += 1
      said
    }
  }

  // After how many answers; numbers that seldom meet.
  private final val InTwoAfter = 31
  private final val LastAfter  = 211
  private final val GoneAfter  = 499

  private final val RestNanos   = 1000L * 1000
  private final val LingerNanos = 100L * 1000 * 1000
  private final val MaxDiscard  = 64 * 1024

  private val text = s"Hello from a $Word!"
  private val date = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
  private val kind = "Content-Type: text/html; charset=utf-8\r\n"

  private def octets(s: String): Array[Byte] = s.getBytes(US_ASCII)

  private def framed(body: String): String = s"Content-Length: ${body.length}\r\n\r\n$body"

  private def chunks(parts: String*): String =
    parts.map(p => s"${p.length.toHexString}\r\n$p\r\n").mkString(
      "Transfer-Encoding: chunked\r\n\r\n",
      "",
      "0\r\n\r\n"
    )

  /** Those that leave the connection open. As heads of our own server, nginx, Node, Uvicorn, Go and Apache look. */
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
  ).map(octets)

  /** Those that end it. */
  private val lasts: Array[Array[Byte]] = Array(
    s"HTTP/1.1 200 OK\r\n${date}Connection: close\r\n${framed(text)}",
    s"HTTP/1.0 200 OK\r\n$date$kind\r\n$text"
  ).map(octets)

  /** Listens on loopback until `close` is called; every connection is on `loop`. */
  def listen(loop: EventLoop): Listener = {
    val turn = new Turn
    Listener.bind(
      Address.Tcp("127.0.0.1", 0),
      loop,
      ListenOptions(),
      _.start(loop, ConnectionOptions())(new Parrot(_, turn))
    )
  }
}
