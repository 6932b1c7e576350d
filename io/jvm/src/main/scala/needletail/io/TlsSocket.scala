package needletail.io

import java.io.IOException
import java.nio.ByteBuffer
import java.nio.channels.SocketChannel
import javax.net.ssl.{SSLEngine, SSLException}
import javax.net.ssl.SSLEngineResult.{HandshakeStatus, Status}

import scala.annotation.tailrec

/**
 * A stream secured by TLS: what is read and written is plain on this side and encrypted on the other.
 * Encrypted octets pass through the poller's own array, so that a connection that idles owns none of its own.
 *
 * A client makes the handshake while it connects, a server when it reads. What there is to compute for it is done on
 * the loop: a millisecond or so for a certificate.
 *
 * A peer can make the engine answer by itself: a TLS 1.3 key update asks for another (RFC 8446 section 4.6.3). Such an
 * answer that the kernel does not take is owed, nothing is read while one is, and records that carry no data have to be
 * paid for with records that do. To renegotiate (RFC 5246 section 7.4.1.1) is refused with an alert.
 *
 * @param name
 *   of the other end, for messages
 */
private[io] class TlsSocket(channel: SocketChannel, engine: SSLEngine, name: String)
    extends NioSocket(channel) {
  import TlsSocket.*

  private var isBegun   = false
  private var isSecured = false
  private var isReset   = false
  private var isHeard   = false // has the peer said anything?
  private var awaited   = Interest.Write
  private var greetings = 0     // records of the handshake that were read
  private var idle      = 0     // records since that carried no data, beyond those that did

  // Input: encrypted octets that are no whole record yet, or found no room; decrypted ones that found none.
  private var held: Array[Byte]   = null
  private var isWhole             = false // may `held` begin with a whole record?
  private var spilled: ByteBuffer = null
  private var isChannelAtEnd      = false
  private var isEndTold           = false

  // Output: encrypted octets that the kernel has not taken, and how many plain ones these are that `write` has not told
  // to be taken: it is given them again, and tells so when the kernel has them.
  private var pending: ByteBuffer = null
  private var owed                = 0
  private var isOwn               = false // does `pending` end with what the engine itself has to say?
  private var isEndSaid           = false // is the output to be shut down when nothing is pending any more?

  // Connecting

  override def finishConnect(): Boolean =
    // Not before it is watched: octets pass through the poller's array.
    isSecured || super.finishConnect() && (poller ne null) && secure()

  override def awaits: Int = awaited

  private def secure(): Boolean =
    try {
      if (!isBegun) {
        isBegun = true
        engine.beginHandshake()
      }
      if (shakeHands()) {
        isSecured = true
        if (!isNewest) forbidRenegotiation()
      }
      isSecured
    } catch {
      case e: SSLException     => throw TlsFailure.of(e, name)
      case e: RuntimeException => throw unexpected(e)
    }

  private def isNewest: Boolean = engine.getSession.getProtocol == Newest

  /** Another handshake fails with an alert, since none of the versions it may choose of can be chosen any more. */
  private def forbidRenegotiation(): Unit = engine.setEnabledProtocols(Array(Newest))

  /** The engine fails by itself too, on input that nobody has thought of. */
  private def unexpected(e: RuntimeException): IOException =
    new IOException(s"TLS with $name failed: $e", e)

  @tailrec
  private def shakeHands(): Boolean = engine.getHandshakeStatus match {
    case HandshakeStatus.NEED_TASK =>
      runTasks()
      shakeHands()
    case _ if engine.isOutboundDone => throw new IOException(s"the TLS handshake with $name was broken off")
    case HandshakeStatus.NEED_WRAP  =>
      wrapOwn()
      if (drain()) shakeHands() else waitFor(Interest.Write)
    case HandshakeStatus.NEED_UNWRAP | HandshakeStatus.NEED_UNWRAP_AGAIN =>
      if (greet()) shakeHands() else waitFor(Interest.Read)
    case _ => drain() || waitFor(Interest.Write)
  }

  private def waitFor(interest: Int): Boolean = {
    awaited = interest
    false
  }

  /** One of the server's records of the handshake, if it is here. */
  private def greet(): Boolean = {
    val in     = fill()
    val none   = ByteBuffer.allocate(engine.getSession.getApplicationBufferSize)
    val result = engine.unwrap(in, none)
    val isUsed = result.bytesConsumed > 0
    keep(in, result.getStatus)
    if (result.getStatus == Status.CLOSED || isChannelAtEnd && !isUsed)
      throw new IOException(s"$name ended the connection in the middle of the TLS handshake")
    if (isUsed) greetings += 1
    if (greetings > MaxGreetings) throw new SSLException("too many records for one handshake")
    isUsed
  }

  private def runTasks(): Unit = {
    var task = engine.getDelegatedTask
    while (task ne null) {
      task.run()
      task = engine.getDelegatedTask
    }
  }

  // Reading

  override def isSecure: Boolean = true

  /** Is there input here that no readiness will tell of? */
  override def holdsInput: Boolean =
    !isOwn && ((spilled ne null) || isWhole || isInterrupted || engine.isInboundDone && !isEndTold)

  override def heldBytes: Int =
    (if (held eq null) 0 else held.length) + (if (spilled eq null) 0 else spilled.capacity)

  /** Does the handshake go on without input, as what it waited for has been written? */
  private def isInterrupted: Boolean = isBegun && !isSecured && awaited == Interest.Write

  override def isShakingHands: Boolean = !isSecured

  override def read(bytes: Array[Byte], from: Int, count: Int): Int =
    try
      if (isOwn || !isSecured && !secure()) 0
      else readSecured(bytes, from, count)
    catch { case e: RuntimeException => throw unexpected(e) }

  private def readSecured(bytes: Array[Byte], from: Int, count: Int): Int =
    if (spilled ne null) takeSpilled(bytes, from, count)
    else if (engine.isInboundDone) tellEnd()
    else {
      val n = decrypt(fill(), bytes, from, count)
      if (n > 0) n
      else if (engine.isInboundDone) tellEnd()
      else if (isChannelAtEnd)
        throw new IOException(
          "the connection ended without the end of its TLS stream: something may be missing"
        )
      else 0
    }

  private def decrypt(in: ByteBuffer, bytes: Array[Byte], from: Int, count: Int): Int = {
    var done   = 0
    var status = Status.OK
    var barren = 0 // records without data; they cost more than their octets
    while (
      status == Status.OK && in.hasRemaining && done < count && (spilled eq null) && !isOwn && barren < MaxBarren
    ) {
      val size     = engine.getSession.getApplicationBufferSize
      val isDirect = count - done >= size
      val out = if (isDirect) ByteBuffer.wrap(bytes, from + done, count - done) else ByteBuffer.allocate(size)
      val result = engine.unwrap(in, out)
      status = result.getStatus
      if (isDirect) done += result.bytesProduced
      else if (result.bytesProduced > 0) {
        out.flip()
        spilled = out
        done += takeSpilled(bytes, from + done, count - done)
      }
      if (status == Status.BUFFER_OVERFLOW) throw new SSLException("a record is longer than records may be")
      if (result.bytesProduced > 0) idle = math.max(0, idle - 1)
      else if (result.bytesConsumed > 0) {
        barren += 1
        idle += 1
        if (idle > MaxIdle)
          throw new SSLException(s"$name sends TLS messages without data, and no end of them")
      }
      if (status == Status.OK) answerOwn(in, result.getHandshakeStatus)
    }
    keep(in, status)
    done
  }

  /** What the engine has to say for itself, such as new keys (RFC 8446 section 4.6.3). */
  private def answerOwn(in: ByteBuffer, asked: HandshakeStatus): Unit = {
    if (asked == HandshakeStatus.NEED_TASK) runTasks()
    if (engine.getHandshakeStatus == HandshakeStatus.NEED_WRAP) {
      keep(in, Status.OK) // what it says passes through the same array
      wrapOwn()
      in.clear()
      restore(in)
      in.flip()
    }
    if (
      asked != HandshakeStatus.NOT_HANDSHAKING && asked != HandshakeStatus.FINISHED && !isNewest && !engine.isOutboundDone
    )
      throw new SSLException(s"$name is to begin a TLS handshake anew, which is not done here")
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

  /** What was held and what has come. */
  private def fill(): ByteBuffer = {
    val in = poller.transfer
    in.clear()
    restore(in)
    val n = channel.read(in)
    isChannelAtEnd = n < 0
    if (n > 0) isHeard = true
    in.flip()
    in
  }

  private def restore(in: ByteBuffer): Unit = if (held ne null) {
    in.put(held)
    held = null
  }

  /** Keeps what is left. */
  private def keep(in: ByteBuffer, status: Status): Unit = {
    isWhole = in.hasRemaining && status == Status.OK
    held = rest(in)
  }

  // Writing

  override def write(bytes: Array[Byte], from: Int, count: Int): Int =
    try writeSecured(bytes, from, count)
    catch { case e: RuntimeException => throw unexpected(e) }

  private def writeSecured(bytes: Array[Byte], from: Int, count: Int): Int =
    if (!isSecured) throw new IOException("the TLS handshake is not over")
    else if (!drain()) 0
    else {
      var done = math.min(owed, count)
      owed -= done
      while (owed == 0 && (pending eq null) && done < count) {
        val end = encrypt(bytes, from + done, from + count) - from
        if (send()) done = end else owed = end - done
      }
      done
    }

  /** As many records as the array has room for; up to where. */
  private def encrypt(bytes: Array[Byte], from: Int, until: Int): Int = {
    val out    = poller.transfer
    val in     = ByteBuffer.wrap(bytes, from, until - from)
    val record = engine.getSession.getPacketBufferSize
    out.clear()
    while (in.hasRemaining && out.remaining >= record) {
      val result = engine.wrap(in, out)
      // It may have put something of its own before: new keys, after very many octets.
      if (result.getStatus != Status.OK || result.bytesConsumed == 0 && result.bytesProduced == 0)
        throw new IOException("the TLS stream was ended")
    }
    in.position()
  }

  /** What the engine itself has to say. */
  private def wrapOwn(): Unit = {
    val out = poller.transfer
    out.clear()
    var goOn = true
    while (goOn) {
      val result = engine.wrap(Nothing, out)
      goOn = result.getStatus == Status.OK && result.bytesProduced > 0 &&
        result.getHandshakeStatus == HandshakeStatus.NEED_WRAP
    }
    if (!send()) isOwn = true
  }

  /** Is there something of the engine's own that the kernel has not taken? */
  override def owesOutput: Boolean = isOwn

  override def sendOwed(): Unit = { drain(); () }

  /** Sends what is in the poller's array; what the kernel does not take is pending. */
  private def send(): Boolean = {
    val out = poller.transfer
    out.flip()
    if (pending eq null) {
      put(out)
      if (out.hasRemaining) pending = ByteBuffer.wrap(rest(out))
    } else {
      val both = ByteBuffer.allocate(pending.remaining + out.remaining)
      both.put(pending).put(out).flip()
      pending = both
    }
    pending eq null
  }

  /** One system call: what the kernel takes. */
  private[io] def put(encrypted: ByteBuffer): Int = channel.write(encrypted)

  /** Is nothing pending any more? */
  private def drain(): Boolean = {
    if (pending ne null) {
      put(pending)
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
    sayEnd()
    if (pending eq null) super.shutdownOutput() else isEndSaid = true
  }

  override def resetOnClose(): Unit = {
    isReset = true
    super.resetOnClose()
  }

  override def close(): Unit = {
    try if (channel.isOpen && isBegun && !isReset && (isHeard || engine.getUseClientMode)) sayEnd()
    catch { case _: IOException | _: RuntimeException => () } // it is over in any case
    finally super.close()
  }

  /** That this is the end (RFC 8446 §6.1), or what was wrong: as far as the kernel takes it at once. */
  private def sayEnd(): Unit = {
    engine.closeOutbound()
    if ((poller ne null) && !engine.isOutboundDone) wrapOwn()
  }
}

private object TlsSocket {
  private val Nothing = ByteBuffer.allocate(0)

  private final val Newest = "TLSv1.3"

  /** Records that one handshake may come in; a client with a certificate needs some ten. */
  private final val MaxGreetings = 256

  /** Records without data that one read takes, so that the loop gets to its other connections. */
  private final val MaxBarren = 8

  /**
   * How many more of the records after the handshake may carry no data than carry some. Session tickets and new keys
   * do, and legitimate peers send some few of each.
   */
  private final val MaxIdle = 32

  /** What is left of it; null for nothing. */
  private def rest(buffer: ByteBuffer): Array[Byte] =
    if (!buffer.hasRemaining) null
    else {
      val bytes = new Array[Byte](buffer.remaining)
      buffer.get(bytes)
      bytes
    }
}

/** Why there is no TLS with a server, in words for whoever asked for it. */
private object TlsFailure {
  def of(e: SSLException, name: String): IOException = {
    val said           = causes(e).flatMap(c => Option(c.getMessage)).toVector
    def has(t: String) = said.exists(_.contains(t))
    val text           =
      if (has("PKIX path building failed") || has("No trusted certificate") || has("path validation failed"))
        s"the certificate of $name is not trusted: ${said.last}"
      else if (has("subject alternative") || has("No name matching"))
        s"the certificate is not for $name: ${said.last}"
      else if (has("nrecognized SSL message")) s"$name does not speak TLS there"
      else s"no TLS with $name: ${said.headOption.getOrElse(e.toString)}"
    new IOException(text, e)
  }

  private def causes(e: Throwable): Iterator[Throwable] =
    Iterator.iterate(e)(_.getCause).takeWhile(_ ne null).take(8)
}
