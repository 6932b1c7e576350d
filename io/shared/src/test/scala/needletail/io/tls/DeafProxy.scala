package needletail.io.tls

import java.io.IOException
import java.net.{InetAddress, InetSocketAddress, ServerSocket, Socket}

/**
 * Passes on what one client sends to a server, and what comes back. While it is deaf it reads next to nothing of the
 * latter.
 */
final class DeafProxy(to: Int) {
  private val listening        = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))
  private val server           = new Socket
  @volatile private var client = Option.empty[Socket]
  @volatile private var sent   = 0L
  private var isDeaf           = false // guarded by its own lock

  def port: Int = listening.getLocalPort

  /** Bytes that the client has sent. */
  def forwarded: Long = sent

  def deaf(yes: Boolean): Unit = synchronized {
    isDeaf = yes
    notifyAll()
  }

  private def awaitHearing(): Unit = synchronized(while (isDeaf) wait())

  private def thread(body: => Unit): Unit = {
    val running = new Thread(() =>
      try body
      catch { case _: IOException | _: InterruptedException => () } // one side has ended
    )
    running.setDaemon(true)
    running.start()
  }

  thread {
    val accepted = listening.accept()
    client = Some(accepted)
    server.setReceiveBufferSize(4096)
    server.setTcpNoDelay(true)
    server.connect(new InetSocketAddress("127.0.0.1", to))
    thread {
      val bytes = new Array[Byte](4096)
      var n     = server.getInputStream.read(bytes)
      while (n >= 0) {
        accepted.getOutputStream.write(bytes, 0, n)
        awaitHearing()
        n = server.getInputStream.read(bytes)
      }
      accepted.shutdownOutput()
    }
    val bytes = new Array[Byte](4096)
    var n     = accepted.getInputStream.read(bytes)
    while (n >= 0) {
      server.getOutputStream.write(bytes, 0, n)
      sent += n
      n = accepted.getInputStream.read(bytes)
    }
    server.shutdownOutput()
  }

  def close(): Unit = {
    deaf(false)
    listening.close()
    server.close()
    client.foreach(_.close())
  }
}
