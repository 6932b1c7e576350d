package needletail.io.system.tls

import java.io.IOException
import java.nio.ByteBuffer
import java.nio.channels.SocketChannel
import javax.net.ssl.SSLEngineResult.{HandshakeStatus, Status}
import javax.net.ssl.{SSLEngine, SSLException}

import needletail.io.tls.{CertificateInfo, HandshakeFailure, TlsCounts}

/**
 * A socket secured by TLS: plain bytes on this side, encrypted bytes on the network. An idle connection owns no buffer.
 *
 * A peer can make the engine send by itself: a TLS 1.3 key update may request another (RFC 8446 section 4.6.3). If
 * the kernel does not take such output, it is owed, and nothing is read until it is sent. Records without data are
 * limited relative to those with data.
 *
 * @param isInline whether the engine may compute a server's handshake while it reads, and not as tasks
 */
private[io] class TlsSocket(
    channel: SocketChannel,
    engine: SSLEngine,
    name: String,
    counts: TlsCounts,
    toPlain: Array[Byte],
    check: Option[CertificateInfo => Boolean],
    names: Boolean = false,
    isInline: Boolean = false
) extends HandshakingSocket(channel, engine, name, counts, toPlain, check, names, isInline) {
  import TlsSocket.*

  private var idle = 0 // records read since without data, less those with data

  // Decrypted bytes that found no room.
  private var spilled: ByteBuffer = null
  private var isEndTold           = false

  // The number of plain bytes in pending output that `write` has not reported as taken: they are passed to it again, and
  // reported as the kernel takes them.
  private var owed = 0

  // Why writing has failed: for good, as encrypted bytes are lost.
  private var broken: IOException = null

  // Reading

  override def isSecure: Boolean          = true
  override def computesHandshake: Boolean = isInline && isCounted

  /** Whether there is input here for which no readiness will be reported. */
  override def holdsInput: Boolean =
    !isHeldBack && !isComputing && !isFailed && ((spilled ne null) || isWhole || isInterrupted || engine.isInboundDone && !isEndTold)

  override def heldBytes: Int =
    (if (held eq null) 0 else held.length) + (if (spilled eq null) 0 else spilled.capacity)

  override def read(bytes: Array[Byte], from: Int, count: Int): Int =
    try
      if (isPlain || isFailed) super.read(bytes, from, count)
      else if (isHeldBack || isComputing || !isSecured && !secure()) 0
      else readSecured(bytes, from, count)
    catch {
      // a TLS 1.3 client has completed its handshake before the server looks at its certificate
      case e: SSLException if HandshakeFailure.isOfCertificate(String.valueOf(e.getMessage)) =>
        throw explained(e)
      case e: RuntimeException => throw unexpected(e)
    }

  private def readSecured(bytes: Array[Byte], from: Int, count: Int): Int =
    if (spilled ne null) takeSpilled(bytes, from, count)
    else if (engine.isInboundDone) tellEnd()
    else {
      val n = decrypt(fill(), bytes, from, count)
      if (n > 0) n
      else if (engine.isInboundDone) tellEnd()
      else if (isChannelAtEnd && !isWhole) // with records left, the next read continues
        throw new IOException(
          "the connection ended without closing its TLS stream: data may be missing"
        )
      else 0
    }

  private def decrypt(in: ByteBuffer, bytes: Array[Byte], from: Int, count: Int): Int = {
    var done   = 0
    var status = Status.OK
    var barren = 0 // records without data; they cost more than their bytes
    while (
      status == Status.OK && in.hasRemaining && done < count && (spilled eq null) && !isHeldBack && barren < MaxBarren
    ) {
      val size     = engine.getSession.getApplicationBufferSize
      val isDirect = count - done >= size
      val out    = if (isDirect) ByteBuffer.wrap(bytes, from + done, count - done) else buffers.scratch(size)
      val result = engine.unwrap(in, out)
      status = result.getStatus
      if (isDirect) done += result.bytesProduced
      else if (result.bytesProduced > 0) {
        out.flip()
        val n = math.min(out.remaining, count - done)
        out.get(bytes, from + done, n)
        done += n
        if (out.hasRemaining) spilled = ByteBuffer.wrap(EncryptedSocket.rest(out))
      }
      if (status == Status.BUFFER_OVERFLOW) throw new SSLException("a TLS record is too long")
      if (result.bytesProduced > 0) idle = math.max(0, idle - 1)
      else if (result.bytesConsumed > 0) {
        barren += 1
        idle += 1
        if (idle > MaxIdle)
          throw new SSLException(s"$name sends too many TLS messages without data")
      }
      if (status == Status.OK) answerOwn(in, result.getHandshakeStatus)
    }
    keep(in, status)
    done
  }

  /** Sends the engine's own output, such as new keys (RFC 8446 section 4.6.3). */
  private def answerOwn(in: ByteBuffer, asked: HandshakeStatus): Unit = {
    if (asked == HandshakeStatus.NEED_TASK) runTasks()
    if (engine.getHandshakeStatus == HandshakeStatus.NEED_WRAP) {
      keep(in, Status.OK) // the output passes through the same buffer
      wrapOwn()
      in.clear()
      restore(in)
      in.flip()
    }
    if (
      asked != HandshakeStatus.NOT_HANDSHAKING && asked != HandshakeStatus.FINISHED && !isNewest && !engine.isOutboundDone
    )
      throw new SSLException(s"$name requested TLS renegotiation, which is not supported")
  }

  private def tellEnd(): Int = {
    isEndTold = true
    -1
  }

  private def takeSpilled(bytes: Array[Byte], from: Int, count: Int): Int = {
    val n = math.min(count, spilled.remaining)
    spilled.get(bytes, from, n)
    if (!spilled.hasRemaining) spilled = null
    n
  }

  // Writing

  override def write(bytes: Array[Byte], from: Int, count: Int): Int =
    if (isPlain) super.write(bytes, from, count) else writeSecured(bytes, from, count)

  private def writeSecured(bytes: Array[Byte], from: Int, count: Int): Int =
    if (!isSecured) {
      drain() // the handshake's own output goes first
      0
    } else {
      if (broken ne null) throw broken
      var done = 0
      try {
        done = drainSome(count)
        if (done < 0) {
          done = math.min(owed, count)
          owed -= done
          while (owed == 0 && (pending eq null) && done < count) {
            val end  = encrypt(bytes, from + done, from + count) - from
            val made = transfer.position()
            if (send()) done = end
            else {
              owed = end - done
              done += account(made, count)
            }
          }
        }
        done
      } catch {
        case e: IOException      => cannotWrite(e, done)
        case e: RuntimeException => cannotWrite(unexpected(e), done)
      }
    }

  /** What was written before it failed is reported first. */
  private def cannotWrite(why: IOException, done: Int): Int = {
    broken = why
    if (done > 0) done else throw why
  }

  /**
   * Writes pending output. While some is left, reports about as many plain bytes as were written, but never the last one:
   * so its owner sees that the peer reads. Returns -1 if none is left.
   */
  private def drainSome(count: Int): Int = {
    val before = if (pending eq null) 0 else pending.remaining
    if (drain()) -1 else account(before, count)
  }

  /**
   * The number of plain bytes, at most `count`, to report for encrypted ones of which `before` were to be written and
   * some are pending. Never fewer than the peer can have decrypted: it may have acted upon them.
   */
  private def account(before: Int, count: Int): Int = {
    val n = math.max(0, math.min(math.min(before - pending.remaining, owed - 1), count))
    owed -= n
    n
  }

  /** Encrypts as many records as the buffer has room for. Returns the index up to which bytes are encrypted. */
  private def encrypt(bytes: Array[Byte], from: Int, until: Int): Int = {
    val out    = transfer
    val in     = ByteBuffer.wrap(bytes, from, until - from)
    val record = engine.getSession.getPacketBufferSize
    out.clear()
    while (in.hasRemaining && out.remaining >= record) {
      val result = engine.wrap(in, out)
      // The engine may send something of its own first: new keys, after very many bytes.
      if (result.getStatus != Status.OK || result.bytesConsumed == 0 && result.bytesProduced == 0)
        throw new IOException("the TLS stream was ended")
    }
    in.position()
  }
}

private[io] object TlsSocket {

  /** Records without data that one read takes, so that the loop gets to its other connections. */
  private final val MaxBarren = 8

  /**
   * How many more of the records after the handshake may carry no data than carry some. Session tickets and new keys
   * do, and legitimate peers send some few of each.
   */
  private final val MaxIdle = 32
}
