package needletail.conformance.client

import java.io.IOException
import java.net.{InetSocketAddress, Socket, SocketException, SocketTimeoutException}
import java.nio.charset.StandardCharsets.ISO_8859_1
import javax.net.ssl.{SSLException, SSLSocket}

import needletail.testing.Certificate

/**
 * One connection, driven by hand. Text is Latin-1: one character is one byte. Over TLS each write is a record, FIN is
 * close_notify, and an end without that counts as a reset.
 *
 * @param tcp the connection below TLS, else `socket` itself
 */
final class Wire private (socket: Socket, tcp: Socket) extends AutoCloseable {
  private val in     = socket.getInputStream
  private val out    = socket.getOutputStream
  private val buffer = new Array[Byte](16384)
  private var from   = 0
  private var until  = 0

  /** This side's. */
  def port: Int = socket.getLocalPort

  /** Sends at once (no delay by Nagle's algorithm). False when the peer has gone. Can wait when the peer doesn't read. */
  def send(text: String): Boolean = send(text.getBytes(ISO_8859_1))

  def send(bytes: Array[Byte]): Boolean = send(bytes, 0, bytes.length)

  def send(bytes: Array[Byte], offset: Int, length: Int): Boolean =
    try {
      out.write(bytes, offset, length)
      true
    } catch { case _: IOException => false }

  /** Sends each byte in a write of its own. */
  def drip(bytes: Array[Byte]): Boolean = bytes.indices.forall(i => send(bytes, i, 1))

  /** The next byte; Wire.End, Wire.Reset or Wire.Silence when none came until the deadline (System.nanoTime). */
  def next(deadline: Long): Int =
    if (from < until) { from += 1; buffer(from - 1) & 0xff }
    else {
      val state = fill(deadline)
      if (state < 0) state else next(deadline)
    }

  /** Throws away what comes until the peer ends, a reset, or the deadline: the count, and how it ended. */
  def discard(deadline: Long): (Long, Int) = {
    var count = (until - from).toLong
    var state = fill(deadline)
    while (state > 0) {
      count += state
      state = fill(deadline)
    }
    (count, state)
  }

  /** Copies what has been read or comes next into the array: the number of bytes, or how it ended. */
  def read(into: Array[Byte], offset: Int, length: Int, deadline: Long): Int = {
    val state = if (from < until) until - from else fill(deadline)
    if (state < 0) state
    else {
      val taken = math.min(length, state)
      System.arraycopy(buffer, from, into, offset, taken)
      from += taken
      taken
    }
  }

  private def fill(deadline: Long): Int = {
    val left = (deadline - System.nanoTime()) / 1000000
    if (left <= 0) Wire.Silence
    else
      try {
        socket.setSoTimeout(math.min(left, 3600000L).toInt)
        val count = in.read(buffer)
        if (count < 0) Wire.End
        else {
          from = 0
          until = count
          count
        }
      } catch {
        case _: SocketTimeoutException => Wire.Silence
        case _: SocketException        => Wire.Reset
        case _: SSLException           => Wire.Reset
      }
  }

  /** Sends FIN; reading goes on. */
  def finish(): Unit =
    try socket.shutdownOutput()
    catch { case _: IOException => () }

  /** Sends RST. */
  def reset(): Unit =
    try {
      tcp.setSoLinger(true, 0)
      tcp.close()
    } catch { case _: IOException => () }

  def close(): Unit =
    try socket.close()
    catch { case _: IOException => () }
}

object Wire {
  val End     = -1
  val Reset   = -2
  val Silence = -3

  def connect(port: Int, receiveBuffer: Int = 0, tls: Boolean = false, timeout: Int = 20000): Wire = {
    val socket = new Socket()
    if (receiveBuffer > 0) socket.setReceiveBufferSize(receiveBuffer)
    socket.connect(new InetSocketAddress("127.0.0.1", port), timeout)
    socket.setTcpNoDelay(true)
    if (!tls) new Wire(socket, socket)
    else {
      val secured = trusting.getSocketFactory
        .createSocket(socket, "127.0.0.1", port, true)
        .asInstanceOf[SSLSocket]
      secured.setSoTimeout(timeout)
      secured.startHandshake()
      new Wire(secured, socket)
    }
  }

  private lazy val trusting = Certificate.trusting(Certificate.local.file)

  def in(millis: Long): Long = System.nanoTime() + millis * 1000000

  def latin1(text: String): Array[Byte] = text.getBytes(ISO_8859_1)

  def latin1(bytes: Array[Byte]): String = new String(bytes, ISO_8859_1)
}
