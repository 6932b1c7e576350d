package needletail.simulation.tls

import java.io.{ByteArrayOutputStream, IOException}

import needletail.io.platform.{ConnectionOptions, Socket}

/** By a socket that secures one in memory. */
private final class SocketTalk(memory: MemorySocket, socket: Socket, isClient: Boolean) extends TlsTalk {
  private val scratch = new Array[Byte](20000)
  private val plain   = new ByteArrayOutputStream
  private var taken   = 0 // of `plain`

  var isSecured       = false
  var isEnded         = false
  var failure: String = null
  var peer: String    = ""

  goOn()

  private def guarded(action: => Unit): Unit =
    try if (failure == null) action
    catch { case e: IOException => failure = e.toString }

  def receive(bytes: Array[Byte], count: Int): Unit = if (failure == null) {
    memory.incoming.write(bytes, 0, count)
    goOn()
  }

  private def goOn(): Unit = guarded {
    if (isClient && !isSecured) isSecured = socket.finishConnect()
    if (!isClient || isSecured) {
      var n = 0
      while ({
        n = socket.read(scratch, 0, scratch.length)
        if (n > 0) plain.write(scratch, 0, n)
        n > 0 || n == 0 && socket.holdsInput
      }) ()
      if (n < 0) isEnded = true
      if (!socket.isShakingHands) isSecured = true
    }
    if (isSecured && peer.isEmpty && socket.session != null) peer = socket.session.peer.fold("")(_.subject)
  }

  def output(): Array[Byte] = {
    val bytes = memory.outgoing.toByteArray
    memory.outgoing.reset()
    bytes
  }

  def hasPlain: Boolean = taken < plain.size

  def take(bytes: Array[Byte], from: Int, count: Int): Int = {
    val n = math.min(count, plain.size - taken)
    System.arraycopy(plain.toByteArray, taken, bytes, from, n)
    taken += n
    if (!hasPlain) {
      plain.reset()
      taken = 0
    }
    n
  }

  def send(bytes: Array[Byte], from: Int, count: Int): Unit = guarded {
    var done = 0
    while (done < count) {
      val n = socket.write(bytes, from + done, count - done)
      if (n == 0) throw new IOException("it takes nothing")
      done += n
    }
  }

  def end(): Unit       = guarded(socket.shutdownOutput())
  def beginAnew(): Unit = throw new UnsupportedOperationException
  def close(): Unit     = socket.close()
}

/** Bytes in memory, which come and go as its owner says. */
private final class MemorySocket extends Socket {
  val incoming = new ByteArrayOutputStream
  val outgoing = new ByteArrayOutputStream

  def read(bytes: Array[Byte], from: Int, count: Int): Int = {
    val all = incoming.toByteArray
    val n   = math.min(count, all.length)
    System.arraycopy(all, 0, bytes, from, n)
    incoming.reset()
    incoming.write(all, n, all.length - n)
    n
  }

  def write(bytes: Array[Byte], from: Int, count: Int): Int = {
    outgoing.write(bytes, from, count)
    count
  }

  def finishConnect(): Boolean                    = true
  def shutdownOutput(): Unit                      = ()
  def resetOnClose(): Unit                        = ()
  def configure(options: ConnectionOptions): Unit = ()
  def remoteAddress: String                       = ""
  def localAddress: String                        = ""
  override def close(): Unit                      = ()
}
