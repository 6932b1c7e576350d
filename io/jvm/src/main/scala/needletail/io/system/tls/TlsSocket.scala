package needletail.io.system.tls

import java.io.IOException
import java.nio.ByteBuffer
import java.nio.channels.SocketChannel
import java.security.cert.X509Certificate
import javax.net.ssl.SSLEngineResult.{HandshakeStatus, Status}
import javax.net.ssl.{ExtendedSSLSession, SSLEngine, SSLException, SSLPeerUnverifiedException}

import scala.annotation.tailrec

import needletail.io.platform.Interest
import needletail.io.system.NioSocket
import needletail.io.tls.{CertificateInfo, TlsCounts, TlsSession}

/**
 * A socket secured by TLS: plain bytes on this side, encrypted bytes on the network. Encrypted bytes pass through the
 * poller's buffer, so an idle connection owns none.
 *
 * A client performs the handshake while it connects, a server when it reads. A server's computations run on threads of
 * their own, see HandshakeThreads; a client's on the loop.
 *
 * A peer can make the engine send by itself: a TLS 1.3 key update may request another (RFC 8446 section 4.6.3). If
 * the kernel does not take such output, it is owed, and nothing is read until it is sent. Records without data are
 * limited relative to those with data. Renegotiation (RFC 5246 section 7.4.1.1) is refused with an alert.
 *
 * @param name    of the peer, for messages
 * @param counts  a server's; null for a client
 * @param toPlain what is sent to a peer that does not speak TLS; null for nothing
 * @param check   a server's own check of its clients' certificates, which the engine makes in full handshakes only
 */
private[io] class TlsSocket(
    channel: SocketChannel,
    engine: SSLEngine,
    name: String,
    counts: TlsCounts,
    toPlain: Array[Byte],
    check: Option[CertificateInfo => Boolean]
) extends NioSocket(channel) {
  import TlsSocket.*

  private val created   = System.currentTimeMillis
  private var isCounted = counts ne null // until the handshake is over

  @volatile private var established: TlsSession = null // read on any thread, also after the end

  @volatile private var isComputing = false // tasks of the handshake run on another thread
  private var resume: Runnable      = null

  private var isBegun   = false
  private var isSecured = false
  private var begun     = 0L    // when, and then how long it took, in nanoseconds
  private var isReset   = false
  private var isHeard   = false // whether the peer has sent anything
  private var awaited   = Interest.Write
  private var greetings = 0     // handshake records read
  private var idle      = 0     // records read since without data, less those with data

  // Input: encrypted bytes of an incomplete record, or that found no room; decrypted bytes that found no room.
  private var held: Array[Byte]   = null
  private var isWhole             = false // whether `held` may begin with a complete record
  private var spilled: ByteBuffer = null
  private var isChannelAtEnd      = false
  private var isEndTold           = false

  // Output: encrypted bytes that the kernel has not taken, and the number of plain bytes in them that `write` has not
  // reported as taken: they are passed to it again, and reported when the kernel has taken them.
  private var pending: ByteBuffer = null
  private var owed                = 0
  private var isOwn               = false // whether `pending` ends with output of the engine itself
  private var isEndSaid           = false // whether to shut down the output once nothing is pending

  // Connecting

  override def finishConnect(): Boolean =
    // Not before it is watched: bytes pass through the poller's buffer.
    isSecured || super.finishConnect() && (transfer ne null) && secure()

  override def awaits: Int = awaited

  private def secure(): Boolean =
    try {
      if (!isBegun) {
        isBegun = true
        begun = System.nanoTime
        engine.beginHandshake()
      }
      if (shakeHands()) {
        if (!isNewest) forbidRenegotiation()
        if (mayBeResumed) check.foreach(checkAgain)
        isSecured = true
        begun = System.nanoTime - begun
        established = describe()
        if (isCounted) {
          isCounted = false
          counts.completed(isResumed)
        }
      }
      isSecured
    } catch {
      case e: SSLException     => throw TlsFailure.of(e, name)
      case e: RuntimeException => throw unexpected(e)
    }

  private def isNewest: Boolean = engine.getSession.getProtocol == Newest

  /** A session that is resumed is older than its connection: nothing else tells it. */
  private def mayBeResumed: Boolean = engine.getSession.getCreationTime < created

  /** The same for engines that know a session's age in whole seconds only, like Conscrypt's. */
  private def isResumed: Boolean = {
    val made = engine.getSession.getCreationTime
    made < (if (made % 1000 == 0) created - created % 1000 else created)
  }

  private def checkAgain(check: CertificateInfo => Boolean): Unit = {
    val isAccepted =
      try peer.forall(check)
      catch {
        case e: Exception => throw new IOException(s"the certificate of $name could not be checked", e)
      }
    if (!isAccepted) throw new IOException(s"the certificate of $name is not accepted: ${TlsFailure.Refused}")
  }

  private def peer: Option[CertificateInfo] =
    try
      engine.getSession.getPeerCertificates.headOption.collect {
        case certificate: X509Certificate => Certificates.info(certificate)
      }
    catch { case _: SSLPeerUnverifiedException => None }

  override def session: TlsSession = established

  private def describe(): TlsSession = {
    val session = engine.getSession
    val asked   = session match {
      case extended: ExtendedSSLSession if counts ne null => ServerKeys.nameIn(extended)
      case _ if counts eq null                            => name
      case _                                              => null
    }
    val protocol = engine.getApplicationProtocol
    TlsSession(
      session.getProtocol,
      session.getCipherSuite,
      if (protocol eq null) "" else protocol,
      if (asked eq null) "" else asked,
      peer,
      isResumed,
      begun
    )
  }

  /**
   * Enables only a cipher suite for a kind of key that no server has, so that another handshake fails with the alert
   * `handshake_failure`; where it is not known, only the newest version, which ends in `protocol_version`.
   */
  private def forbidRenegotiation(): Unit =
    if (engine.getSupportedCipherSuites.contains(Impossible)) engine.setEnabledCipherSuites(Array(Impossible))
    else engine.setEnabledProtocols(Array(Newest))

  /** For exceptions of the engine that are not SSLExceptions: on unexpected input it throws others too. */
  private def unexpected(e: RuntimeException): IOException =
    new IOException(s"TLS with $name failed: $e", e)

  @tailrec
  private def shakeHands(): Boolean = engine.getHandshakeStatus match {
    case HandshakeStatus.NEED_TASK =>
      if (isOffLoop) computeElsewhere()
      else {
        runTasks()
        shakeHands()
      }
    case _ if engine.isOutboundDone => throw new IOException(s"the TLS handshake with $name was interrupted")
    case HandshakeStatus.NEED_WRAP  =>
      wrapOwn()
      if (drain()) shakeHands() else waitFor(Interest.Write)
    case HandshakeStatus.NEED_UNWRAP | HandshakeStatus.NEED_UNWRAP_AGAIN =>
      if (greet()) shakeHands() else waitFor(Interest.Read)
    case _ => drain() || waitFor(Interest.Write)
  }

  private def isOffLoop: Boolean = resume ne null

  /** Has the tasks run by another thread, which then makes the loop read again. */
  private def computeElsewhere(): Boolean = {
    isComputing = true
    HandshakeThreads.execute { () =>
      try runTasks()
      finally {
        isComputing = false
        resume.run()
      }
    }
    false
  }

  override def resumeBy(f: Runnable): Unit = resume = f

  override def permitted(bits: Int): Int =
    if (isOwn) bits & ~Interest.Read | Interest.Write
    else if (isComputing) bits & ~Interest.Read
    else bits

  private def waitFor(interest: Int): Boolean = {
    awaited = interest
    false
  }

  /** Processes one handshake record of the server, if it has arrived. */
  private def greet(): Boolean = {
    val in = fill()
    if (isPlain(in)) refusePlain()
    val none   = ByteBuffer.allocate(engine.getSession.getApplicationBufferSize)
    val result = engine.unwrap(in, none)
    val isUsed = result.bytesConsumed > 0
    keep(in, result.getStatus)
    if (result.getStatus == Status.CLOSED || isChannelAtEnd && !isUsed)
      throw new IOException(s"$name ended the connection in the middle of the TLS handshake")
    if (isUsed) greetings += 1
    if (greetings > MaxGreetings) throw new SSLException("too many records in one TLS handshake")
    isUsed
  }

  /** Whether the first byte cannot begin a record of a handshake (RFC 8446 section 5.1) or an alert. */
  private def isPlain(in: ByteBuffer): Boolean =
    (toPlain ne null) && greetings == 0 && in.hasRemaining && in.get(in.position) != 22 && in.get(
      in.position
    ) != 21

  private def refusePlain(): Nothing = {
    put(ByteBuffer.wrap(toPlain))
    isBegun = false // it gets no alert
    throw new IOException(s"$name does not use TLS")
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

  /** Whether there is input here for which no readiness will be reported. */
  override def holdsInput: Boolean =
    !isOwn && !isComputing && ((spilled ne null) || isWhole || isInterrupted || engine.isInboundDone && !isEndTold)

  override def heldBytes: Int =
    (if (held eq null) 0 else held.length) + (if (spilled eq null) 0 else spilled.capacity)

  /** Whether the handshake continues without input, because what it waited for has been written. */
  private def isInterrupted: Boolean = isBegun && !isSecured && awaited == Interest.Write

  override def isShakingHands: Boolean = !isSecured

  override def awaitedRecord: Int = if (isCounted && isHeard && !isComputing) greetings else -1

  override def read(bytes: Array[Byte], from: Int, count: Int): Int =
    try
      if (isOwn || isComputing || !isSecured && !secure()) 0
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
          "the connection ended without closing its TLS stream: data may be missing"
        )
      else 0
    }

  private def decrypt(in: ByteBuffer, bytes: Array[Byte], from: Int, count: Int): Int = {
    var done   = 0
    var status = Status.OK
    var barren = 0 // records without data; they cost more than their bytes
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

  /** Returns a buffer with the held bytes and newly read ones. */
  private def fill(): ByteBuffer = {
    val in = transfer
    in.clear()
    restore(in)
    val n = channel.read(in)
    isChannelAtEnd = n < 0
    if (n > 0 && !isHeard) {
      isHeard = true
      if (isCounted) counts.began()
    }
    in.flip()
    in
  }

  private def restore(in: ByteBuffer): Unit = if (held ne null) {
    in.put(held)
    held = null
  }

  /** Keeps what was not used. */
  private def keep(in: ByteBuffer, status: Status): Unit = {
    isWhole = in.hasRemaining && status == Status.OK
    held = rest(in)
  }

  // Writing

  override def write(bytes: Array[Byte], from: Int, count: Int): Int =
    try writeSecured(bytes, from, count)
    catch { case e: RuntimeException => throw unexpected(e) }

  private def writeSecured(bytes: Array[Byte], from: Int, count: Int): Int =
    if (!isSecured) throw new IOException("the TLS handshake is not complete")
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

  /** Encrypts the engine's own output. */
  private def wrapOwn(): Unit = {
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

  override def sendOwed(): Unit = { drain(); () }

  /** Sends what is in the poller's buffer; what the kernel does not take becomes pending. */
  private def send(): Boolean = {
    val out = transfer
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

  /** Writes what the kernel takes, with one system call. */
  private[io] def put(encrypted: ByteBuffer): Int = channel.write(encrypted)

  /** Writes pending output. Returns whether none is left. */
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
    try if (channel.isOpen && isBegun && !isComputing && !isReset && (isHeard || engine.getUseClientMode))
        sayEnd()
    catch { case _: IOException | _: RuntimeException => () } // the connection ends in any case
    finally {
      if (isCounted) {
        isCounted = false
        counts.broken(isHeard)
      }
      super.close()
    }
  }

  /** Sends a closure alert (RFC 8446 §6.1) or an error alert, as far as the kernel takes it at once. */
  private def sayEnd(): Unit = {
    engine.closeOutbound()
    if ((transfer ne null) && !engine.isOutboundDone) wrapOwn()
  }
}

private[io] object TlsSocket {
  private val Nothing = ByteBuffer.allocate(0)

  private final val Newest     = "TLSv1.3"
  private final val Impossible = "TLS_DHE_DSS_WITH_AES_128_GCM_SHA256"

  /** Records that one handshake may come in; a client with a certificate needs some ten. */
  private final val MaxGreetings = 256

  /** Records without data that one read takes, so that the loop gets to its other connections. */
  private final val MaxBarren = 8

  /**
   * How many more of the records after the handshake may carry no data than carry some. Session tickets and new keys
   * do, and legitimate peers send some few of each.
   */
  private final val MaxIdle = 32

  /** A copy of the remaining bytes; null if there are none. */
  private def rest(buffer: ByteBuffer): Array[Byte] =
    if (!buffer.hasRemaining) null
    else {
      val bytes = new Array[Byte](buffer.remaining)
      buffer.get(bytes)
      bytes
    }
}
