package needletail.server.connection

import java.io.IOException
import java.net.{InetAddress, ServerSocket, Socket}
import java.nio.charset.StandardCharsets.ISO_8859_1

import scala.concurrent.{Await, Promise}
import scala.concurrent.duration._

import needletail.io.{Address, Connection, ConnectionHandler, Connector, EventLoops, Tls}
import needletail.io.tls.TlsSession

/** Asks servers on loopback over TLS, as `localhost`, on a new connection for each request. */
final class SecureClient(tls: Tls) {
  import SecureClient._

  /**
   * @param header what precedes the handshake, as a proxy in between would send it
   * @param after  what the server must have sent before it is asked; if that does not come it is not asked at all
   * @return all that the server has sent, and what the handshake has established
   */
  def ask(port: Int, header: Array[Byte] = Array.emptyByteArray, after: String = ""): (String, TlsSession) = {
    val loops  = new EventLoops(1, "client", daemon = true)
    val relay  = if (header.isEmpty) null else new Relay(port, header)
    val answer = Promise[(String, TlsSession)]()
    try {
      val loop = loops(0)
      val to   = Address.Tcp("127.0.0.1", if (relay eq null) port else relay.port)
      loop.execute { () =>
        Connector.connect(to, loop, tls = tls.to("localhost"))(new Collector(_, after, answer)).onComplete {
          result =>
            result.failed.foreach(answer.tryFailure)
            if (after.isEmpty) result.foreach(_.write(Request, 0, Request.length))
        }
        ()
      }
      Await.result(answer.future, 20.seconds)
    } finally {
      loops.stop()
      if (relay ne null) relay.close()
      Await.result(loops.stopped, 20.seconds)
    }
  }
}

object SecureClient {
  private val Request = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".getBytes(ISO_8859_1)

  private final class Collector(connection: Connection, after: String, answer: Promise[(String, TlsSession)])
      extends ConnectionHandler {
    private val received = new StringBuilder
    private var hasAsked = after.isEmpty

    def onData(bytes: Array[Byte], from: Int, until: Int): Int = {
      received.append(new String(bytes, from, until - from, ISO_8859_1))
      if (!hasAsked && received.indexOf(after) >= 0) {
        hasAsked = true
        connection.write(Request, 0, Request.length)
      }
      until
    }
    def onEnd(): Unit = {
      answer.trySuccess((received.toString, connection.tlsSession.get))
      connection.close()
    }
    def onDrained(): Unit                = ()
    def onDeadline(): Unit               = ()
    def onClosed(cause: Throwable): Unit = {
      answer.tryFailure(new IOException(s"closed after: $received", cause))
      ()
    }
  }

  /** Forwards one connection to `to`, where it sends `header` first. */
  private final class Relay(to: Int, header: Array[Byte]) {
    private val here     = InetAddress.getByName("127.0.0.1")
    private val listener = new ServerSocket(0, 1, here)

    def port: Int = listener.getLocalPort

    private def start(work: => Unit): Unit = {
      val thread = new Thread(() =>
        try work
        catch { case _: IOException => () }
      )
      thread.setDaemon(true)
      thread.start()
    }

    private def copy(from: Socket, into: Socket): Unit =
      try {
        val bytes = new Array[Byte](4096)
        var n     = from.getInputStream.read(bytes)
        while (n > 0) {
          into.getOutputStream.write(bytes, 0, n)
          n = from.getInputStream.read(bytes)
        }
      } finally { from.close(); into.close() }

    start {
      val client = listener.accept()
      val server = new Socket(here, to)
      server.getOutputStream.write(header)
      start(copy(server, client))
      copy(client, server)
    }

    def close(): Unit = listener.close()
  }
}
