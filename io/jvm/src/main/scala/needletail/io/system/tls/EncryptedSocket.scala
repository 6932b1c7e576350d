package needletail.io.system.tls

import java.nio.ByteBuffer
import java.nio.channels.SocketChannel
import javax.net.ssl.SSLEngine
import javax.net.ssl.SSLEngineResult.{HandshakeStatus, Status}

import needletail.io.platform.TransferBuffers
import needletail.io.system.NioSocket

/**
 * The encrypted side of a socket secured by TLS: bytes of records from and to the kernel, and what the engine sends by
 * itself. They pass through the poller's buffer; what a peer sent a part of, and what the kernel does not take, is kept
 * here. Output of the engine itself that the kernel does not take is pending ("owed").
 */
private[tls] abstract class EncryptedSocket(channel: SocketChannel, engine: SSLEngine)
    extends NioSocket(channel) {
  import EncryptedSocket.*

  // Another poller than the system's supplies no buffers.
  if (carrier ne this) buffers = new TransferBuffers(ByteBuffer.allocate(TransferBuffers.Usual))

  // Input: encrypted bytes of an incomplete record, or that found no room.
  protected var held: Array[Byte] = null
  protected var isWhole           = false // whether `held` may begin with a complete record
  protected var isChannelAtEnd    = false
  protected var isHeard           = false // whether the peer has sent anything

  /** Whether the peer does not use TLS: bytes pass as they are. */
  protected var isPlain = false

  /** Whether reading has failed, and what is still read is of no use: bytes pass as they are. */
  protected var isFailed = false

  // Output: encrypted bytes that the kernel has not taken.
  protected var pending: ByteBuffer = null
  protected var isOwn               = false // whether `pending` ends with output of the engine itself
  private var isEndSaid             = false // whether to shut down the output once nothing is pending

  /** Called when the peer has sent something for the first time. */
  protected def heard(): Unit

  // Input

  /** Returns a buffer with the held bytes and newly read ones. */
  protected def fill(): ByteBuffer = {
    val in = transfer
    in.clear()
    restore(in)
    val n = channel.read(in)
    isChannelAtEnd = n < 0
    if (n > 0 && !isHeard) {
      isHeard = true
      heard()
    }
    in.flip()
    in
  }

  protected def restore(in: ByteBuffer): Unit = if (held ne null) {
    in.put(held)
    held = null
  }

  /** Keeps what was not used. */
  protected def keep(in: ByteBuffer, status: Status): Unit = {
    isWhole = in.hasRemaining && status == Status.OK
    held = rest(in)
  }

  // Output

  /** Encrypts the engine's own output. */
  protected def wrapOwn(): Unit = {
    val out = transfer
    out.clear()
    var goOn = true
    while (goOn) {
      val result = engine.wrap(Nothing, out)
      goOn = result.getStatus == Status.OK && result.bytesProduced > 0 &&
        result.getHandshakeStatus == HandshakeStatus.NEED_WRAP
    }
    if (!send()) isOwn = true
  }

  /** Whether the kernel has not taken some of the engine's own output. */
  override def owesOutput: Boolean = isOwn

  /**
   * Whether nothing is read: what the engine answers to what it reads has to go first, so that it stays bounded. Not for
   * the closure alert, the last output there is: a peer that ends its own stream may read it only when this side reads.
   */
  protected def isHeldBack: Boolean = isOwn && !engine.isOutboundDone

  override def sendOwed(): Unit = { drain(); () }

  /** Sends what is in the poller's buffer; what the kernel does not take becomes pending. */
  protected def send(): Boolean = {
    val out = transfer
    out.flip()
    if (pending eq null) {
      take(out)
      if (out.hasRemaining) pending = ByteBuffer.wrap(rest(out))
    } else {
      val both = ByteBuffer.allocate(pending.remaining + out.remaining)
      both.put(pending).put(out).flip()
      pending = both
    }
    pending eq null
  }

  private var taken = 0L

  override def encryptedTaken: Long = taken

  /** Writes what the kernel takes, with one system call. */
  private def take(encrypted: ByteBuffer): Unit = taken += put(encrypted)

  private[io] def put(encrypted: ByteBuffer): Int = channel.write(encrypted)

  /** Writes pending output. Returns whether none is left. */
  protected def drain(): Boolean = {
    if (pending ne null) {
      take(pending)
      if (!pending.hasRemaining) {
        pending = null
        isOwn = false
        if (isEndSaid) super.shutdownOutput()
      }
    }
    pending eq null
  }

  // The end

  override def shutdownOutput(): Unit = {
    if (!isPlain) sayEnd()
    if (pending eq null) super.shutdownOutput() else isEndSaid = true
  }

  /** Sends a closure alert (RFC 8446 §6.1) or an error alert, as far as the kernel takes it at once. */
  protected def sayEnd(): Unit = {
    engine.closeOutbound()
    if ((transfer ne null) && !engine.isOutboundDone) wrapOwn()
  }
}

private[tls] object EncryptedSocket {
  private val Nothing = ByteBuffer.allocate(0)

  /** A copy of the remaining bytes; null if there are none. */
  private[tls] def rest(buffer: ByteBuffer): Array[Byte] =
    if (!buffer.hasRemaining) null
    else {
      val bytes = new Array[Byte](buffer.remaining)
      buffer.get(bytes)
      bytes
    }
}
