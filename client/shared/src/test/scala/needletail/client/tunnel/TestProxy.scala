package needletail.client.tunnel

import java.nio.charset.StandardCharsets.ISO_8859_1
import java.util.Base64
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.io._
import needletail.io.platform.ListenOptions

/**
 * An HTTP proxy of a few lines: tunnels by CONNECT, and tells of other requests what it was sent. It wants the
 * credentials `ann:sea sea`, if any.
 *
 * @param answer what it answers to CONNECT in place of making a tunnel; null for none
 * @param piece bytes of its answer that it sends at a time
 * @param interim what precedes its answer to CONNECT
 */
final class TestProxy(
    credentials: Boolean = false,
    answer: String = null,
    piece: Int = 1000,
    interim: String = ""
) extends AutoCloseable {
  private val loops             = new EventLoops(1, "proxy", daemon = true)
  val connects                  = new AtomicInteger
  @volatile var request: String = ""
  private val listener          = Listener.bind(
    Address.Tcp("127.0.0.1", 0),
    loops(0),
    ListenOptions(),
    _.start(loops(0), ConnectionOptions())(new Front(_))
  )

  val port: Int = listener.address match {
    case Address.Tcp(_, port) => port
    case _                    => 0
  }
  def url: String = s"http://${if (credentials) "ann:sea%20sea@" else ""}127.0.0.1:$port"

  def close(): Unit = {
    listener.close()
    loops.stop()
    Await.result(loops.stopped, 20.seconds)
  }

  private abstract class Half(connection: Connection) extends ConnectionHandler {
    var other: Connection = null

    def onData(bytes: Array[Byte], from: Int, until: Int): Int = {
      other.write(bytes, from, until - from)
      until
    }
    def onEnd(): Unit                    = if (other ne null) other.shutdownOutput() else connection.close()
    def onDrained(): Unit                = ()
    def onDeadline(): Unit               = ()
    def onClosed(cause: Throwable): Unit = if (other ne null) other.close()
  }

  private final class Back(connection: Connection) extends Half(connection)

  private final class Front(connection: Connection) extends Half(connection) {
    override def onData(bytes: Array[Byte], from: Int, until: Int): Int =
      if (other ne null) super.onData(bytes, from, until)
      else {
        val text = new String(bytes, from, until - from, ISO_8859_1)
        if (!text.endsWith("\r\n\r\n")) from
        else {
          request = text
          val user = Base64.getEncoder.encodeToString("ann:sea sea".getBytes)
          if (credentials && !text.contains(s"\r\nProxy-Authorization: Basic $user\r\n"))
            say("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
          else if (text.startsWith("CONNECT ")) connect(text.split(' ')(1))
          else say(s"HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n$text")
          until
        }
      }

    private def connect(authority: String): Unit = {
      connects.incrementAndGet()
      val colon = authority.lastIndexOf(':')
      val to    = Address.Tcp(authority.substring(0, colon), authority.substring(colon + 1).toInt)
      if (answer ne null) say(answer)
      else
        Connector.connect(to, connection.loop) { back =>
          val handler = new Back(back)
          handler.other = connection
          other = back
          handler
        }.onComplete { result =>
          say(interim + (if (result.isSuccess)
                           "HTTP/1.1 200 Connection established\r\nContent-Length: 5\r\n\r\n"
                         else "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 3\r\n\r\nno\n"))
        }
    }

    /** In pieces, each in a turn of its own. */
    private def say(text: String): Unit = if (text.nonEmpty && connection.isOpen) {
      val bytes = text.take(piece).getBytes(ISO_8859_1)
      connection.write(bytes, 0, bytes.length)
      if (text.length > piece) { connection.loop.schedule(1000, () => say(text.drop(piece))); () }
    }
  }
}
