package needletail.server

import java.io.{ByteArrayOutputStream, IOException, InputStream}
import java.net.{InetSocketAddress, Socket}
import java.nio.charset.StandardCharsets.ISO_8859_1

/** A blocking socket that says what it is told; every wait ends after twenty seconds. */
final class RawClient(port: Int) {
  val socket = new Socket()
  // With a time limit, Scala Native's socket takes a connection for refused if the server has greeted by then.
  socket.connect(new InetSocketAddress("127.0.0.1", port))
  socket.setSoTimeout(20000)
  socket.setTcpNoDelay(true)
  private val in: InputStream = socket.getInputStream

  def send(text: String): this.type = {
    if (text.nonEmpty)
      socket.getOutputStream.write(text.getBytes(ISO_8859_1)) // natively an array needs an element
    socket.getOutputStream.flush()
    this
  }

  /** Reads until the text ends so. */
  def readUntil(end: String): String = {
    val got  = new ByteArrayOutputStream
    var byte = in.read()
    while (byte >= 0) {
      got.write(byte)
      if (byte == end.last && got.toString("ISO-8859-1").endsWith(end)) byte = -1 else byte = in.read()
    }
    got.toString("ISO-8859-1")
  }

  /** Everything up to the end of the connection. */
  def readAll(): String = {
    val got    = new ByteArrayOutputStream
    val buffer = new Array[Byte](8192)
    var n      = in.read(buffer)
    while (n >= 0) {
      got.write(buffer, 0, n)
      n = in.read(buffer)
    }
    got.toString("ISO-8859-1")
  }

  /** Has the other side ended the connection, orderly or not? Waits for it up to twenty seconds. */
  def isEnded: Boolean =
    try in.read() < 0
    catch {
      case _: java.net.SocketTimeoutException => false
      case _: IOException                     => true
    }

  def close(): Unit = socket.close()
}
