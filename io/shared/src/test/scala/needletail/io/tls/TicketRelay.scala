package needletail.io.tls

import java.io.{DataInputStream, IOException}
import java.net.{InetAddress, ServerSocket, Socket}
import java.util.concurrent.{CountDownLatch, TimeUnit}

/**
 * Passes on what one client sends to a server, and what comes back up to the first record of full length. What is behind
 * that waits for `release`.
 */
final class TicketRelay(to: Int) {
  import TicketRelay.*

  private val listening        = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))
  private val server           = new Socket("127.0.0.1", to)
  @volatile private var client = Option.empty[Socket]
  private val passed, released = new CountDownLatch(1)

  def port: Int = listening.getLocalPort

  /** Waits until that record was passed on. Returns whether it was. */
  def awaitFull(seconds: Long): Boolean = passed.await(seconds, TimeUnit.SECONDS)

  def release(): Unit = released.countDown()

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
    server.setTcpNoDelay(true)
    thread {
      val in = new DataInputStream(server.getInputStream)
      while (true) {
        val head = new Array[Byte](HeadLength)
        in.readFully(head)
        val length = (head(3) & 0xff) << 8 | head(4) & 0xff
        val record = java.util.Arrays.copyOf(head, HeadLength + length)
        in.readFully(record, HeadLength, length)
        accepted.getOutputStream.write(record)
        if (length >= Full) {
          passed.countDown()
          released.await()
        }
      }
    }
    val bytes = new Array[Byte](4096)
    var n     = accepted.getInputStream.read(bytes)
    while (n >= 0) {
      server.getOutputStream.write(bytes, 0, n)
      n = accepted.getInputStream.read(bytes)
    }
    server.shutdownOutput()
  }

  /** Ends what the client gets, in the middle of the ticket. */
  def cut(): Unit = client.foreach(_.shutdownOutput())

  def close(): Unit = {
    release()
    listening.close()
    server.close()
    client.foreach(_.close())
  }
}

object TicketRelay {
  private final val HeadLength = 5
  private final val Full       = 16 * 1024
}
