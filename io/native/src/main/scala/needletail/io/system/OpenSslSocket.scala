package needletail.io.system

import scala.scalanative.unsafe.*

import java.io.IOException

import needletail.io.kernel.KernelError
import needletail.io.platform.Interest

/**
 * A socket secured by TLS: plain bytes on this side, encrypted bytes on the network. See needletail_tls_socket.c, which
 * does the work.
 *
 * A client performs the handshake while it connects, a server when it reads. Its computations run on the loop: about
 * a millisecond for an RSA key.
 *
 * @param connection made for the descriptor of `plain`, which this socket takes over
 * @param name       of the peer, for messages
 */
private[io] final class OpenSslSocket(plain: KernelSocket, private var connection: Ptr[Byte], name: String)
    extends KernelSocket(plain.fd) {
  import OpenSslSocket.*

  private var isReset = false
  takeName(plain)

  private def numbers: Ptr[CInt]         = connection.asInstanceOf[Ptr[CInt]]
  private def has(flag: Int): Boolean    = (connection ne null) && (!numbers & flag) != 0
  override def isSecure: Boolean         = true
  override def isShakingHands: Boolean   = !has(Secured)
  override def holdsInput: Boolean       = has(HoldsInput)
  override def owesOutput: Boolean       = has(OwesOutput)
  override def awaits: Int               = if (has(AwaitsWrite)) Interest.Write else Interest.Read
  override def heldBytes: Int            = if (connection eq null) 0 else numbers(1)
  private def check(): Unit              = if (connection eq null) throw new KernelError("the connection is closed")

  override def finishConnect(): Boolean = {
    check()
    (isConnected || super.finishConnect()) && done(OpenSslFunctions.handshake(connection)) == 1
  }

  override def read(bytes: Array[Byte], from: Int, count: Int): Int = {
    check()
    done(OpenSslFunctions.read(connection, bytes.at(from), count))
  }

  override def write(bytes: Array[Byte], from: Int, count: Int): Int = {
    check()
    done(OpenSslFunctions.write(connection, bytes.at(from), count))
  }

  override def sendOwed(): Unit = if (connection ne null) { done(OpenSslFunctions.sendOwed(connection)); () }

  override def shutdownOutput(): Unit = if (connection ne null) { done(OpenSslFunctions.end(connection)); () }

  override def resetOnClose(): Unit = {
    isReset = true
    super.resetOnClose()
  }

  override def close(): Unit = {
    val ending = connection
    if (ending ne null) {
      connection = null
      OpenSslFunctions.close(ending, if (isReset) 1 else 0)
    }
    super.close()
  }

  /** What a call returned: bytes, -1 for the end, or an exception. */
  private def done(result: Int): Int = {
    val flags = !numbers
    if ((flags & NoInput) != 0 || (flags & ShortInput) != 0 && !unbounded) usedUp(Interest.Read)
    if ((flags & NoRoom) != 0) usedUp(Interest.Write)
    if (result >= 0) result
    else if (result == KernelSocket.EndOfInput) -1
    else throw (if (result == Failed) failure() else KernelError.exception(result))
  }

  private def failure(): IOException = {
    val why = fromCString(connection + ReasonAt)
    new KernelError(numbers(2) match {
      case 1 => s"the certificate of $name is not trusted: $why"
      case 2 => s"the certificate is not for $name: $why"
      case 3 => s"$name does not use TLS on that port"
      case 4 => "the connection ended without closing its TLS stream: data may be missing"
      case 5 => s"$name ended the connection in the middle of the TLS handshake"
      case 6 => s"$name sends too many TLS messages without data"
      case _ => s"no TLS with $name: $why"
    })
  }
}

private[io] object OpenSslSocket {
  private final val Failed   = Int.MinValue + 1
  private final val ReasonAt = 12

  // Flags, as in needletail_tls_socket.c.
  private final val NoInput     = 1
  private final val ShortInput  = 2
  private final val NoRoom      = 4
  private final val HoldsInput  = 8
  private final val OwesOutput  = 16
  private final val Secured     = 32
  private final val AwaitsWrite = 64
}
