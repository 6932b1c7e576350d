package needletail.io.system.tls

import java.io.IOException
import java.nio.ByteBuffer
import java.nio.channels.SocketChannel
import java.util.concurrent.Executor
import javax.net.ssl.SSLEngineResult.{HandshakeStatus, Status}
import javax.net.ssl.{SSLEngine, SSLException}

import scala.annotation.tailrec

import needletail.async.Survivable
import needletail.io.platform.Interest
import needletail.io.tls.{CertificateInfo, ClosedInHandshake, HandshakeFailure, HandshakeRefused, PlainPeer}
import needletail.io.tls.{TlsCounts, TlsRefusal, TlsSession, UnexpectedHeader}

/**
 * The handshake of a socket secured by TLS, and what it has established. A client performs it while it connects, a
 * server when it reads. A server's computations run on threads of their own, see HandshakeThreads; a client's on the
 * loop. Renegotiation (RFC 5246 section 7.4.1.1) is refused with an alert.
 *
 * @param name    of the peer, for messages
 * @param counts  a server's; null for a client
 * @param toPlain what is sent to a peer that does not speak TLS; null for nothing
 * @param names   whether the certificate must be for `name` by a DNS name, or be for an address: the JDK, which has compared
 *   it, takes the common name of one that has none, and an asterisk anywhere (RFC 9525 section 6.3)
 * @param check   a server's own check of its clients' certificates, which the engine makes in full handshakes only
 * @param isInline whether the engine may call a user's check while it reads, and not in a task
 */
private[tls] abstract class HandshakingSocket(
    channel: SocketChannel,
    engine: SSLEngine,
    name: String,
    counts: TlsCounts,
    toPlain: Array[Byte],
    check: Option[CertificateInfo => Boolean],
    names: Boolean,
    isInline: Boolean
) extends EncryptedSocket(channel, engine) {
  import HandshakingSocket.*

  private var chosen   = 0L // when the engine began to choose a session, milliseconds since 1970
  private var isChosen = false
  protected var isCounted = counts ne null              // until the handshake is over
  private var failure     = HandshakeFailure.Incomplete // what it is counted as unless it is completed

  @volatile private var established: TlsSession = null // read on any thread, also after the end

  @volatile protected var isComputing = false // tasks of the handshake run on another thread
  @volatile private var isRefused     = false // or are not run at all
  private var taskError: Throwable    = null  // of a task of the engine
  private var resume: Runnable        = null
  private var elsewhere: Executor     = null

  private var isBegun     = false
  protected var isSecured = false
  private var begun       = 0L // when, and then how long it took, in nanoseconds
  private var isReset     = false
  private var awaited     = Interest.Write
  private var greetings   = 0  // handshake records read
  private var most        = 0  // how many of them are to be read in this turn
  private var flights     = 0  // of handshake records written

  private var isUnexpected = false // whether the first record is none of a handshake
  private var isAlerted    = false // and that has been said

  if (isCounted) counts.opened()

  protected def heard(): Unit = if (isCounted) counts.began()

  override def finishConnect(): Boolean =
    // Not before it is watched: bytes pass through the poller's buffer.
    isSecured || super.finishConnect() && (transfer ne null) && secure()

  override def awaits: Int = awaited

  protected def secure(): Boolean =
    try {
      most = greetings + (if (counts eq null) MaxGreetings + 1 else MostGreetings)
      if (!isBegun) {
        isBegun = true
        begun = System.nanoTime
        if (counts eq null) choose()
        engine.beginHandshake()
      }
      if (shakeHands()) {
        if (!isNewest) forbidRenegotiation()
        if (check.nonEmpty && Established.mayBeResumed(engine, chosen)) {
          failure = HandshakeFailure.Certificate // unless it is accepted: then the handshake is complete
          check.foreach(Established.checkAgain(engine, name, _))
        }
        if (names) Established.checkNames(engine, name)
        isSecured = true
        begun = System.nanoTime - begun
        established = Established.session(engine, name, isServer = counts ne null, chosen, begun)
        if (isCounted) {
          isCounted = false
          counts.completed(established)
        }
      }
      isSecured
    } catch {
      case e: SSLException =>
        failure = TlsFailure.kind(e)
        throw explained(e)
      case e: RuntimeException =>
        failure = HandshakeFailure.Protocol
        throw unexpected(e)
      case e: TlsRefusal => throw e // of `checkNames`, which says everything
      // the kernel's, which says nothing of TLS: the connection itself was made
      case e: IOException
          if (counts eq null) && !e.isInstanceOf[ClosedInHandshake] && !engine.isOutboundDone =>
        throw new IOException(s"the TLS handshake with $name failed: ${Option(e.getMessage).getOrElse(e)}", e)
    }

  protected def isNewest: Boolean = engine.getSession.getProtocol == Newest

  private def choose(): Unit = {
    isChosen = true
    chosen = System.currentTimeMillis
  }

  override def session: TlsSession = established

  override def handshakeFailure: HandshakeFailure = failure

  /**
   * Enables only a cipher suite for a kind of key that no server has, so that another handshake fails with the alert
   * `handshake_failure`; where it is not known, only the newest version, which ends in `protocol_version`.
   */
  private def forbidRenegotiation(): Unit =
    if (engine.getSupportedCipherSuites.contains(Impossible)) engine.setEnabledCipherSuites(Array(Impossible))
    else engine.setEnabledProtocols(Array(Newest))

  protected def explained(e: SSLException): IOException =
    TlsFailure.of(e, name, if (counts eq null) null else engine)

  /** For exceptions of the engine that are not SSLExceptions: on unexpected input it throws others too. */
  protected def unexpected(e: RuntimeException): IOException =
    new IOException(s"TLS with $name failed: $e", e)

  @tailrec
  private def shakeHands(): Boolean = engine.getHandshakeStatus match {
    case _ if taskError ne null => throw taskFailure
    case _ if isRefused         =>
      refuseHandshake()
      throw new HandshakeRefused
    case HandshakeStatus.NEED_TASK =>
      if (!isChosen) choose()
      if (isOffLoop) computeElsewhere()
      else {
        compute()
        shakeHands()
      }
    case _ if engine.isOutboundDone => throw new IOException(s"the TLS handshake with $name was interrupted")
    case HandshakeStatus.NEED_WRAP  =>
      wrapOwn()
      flights += 1
      if (drain()) shakeHands() else waitFor(Interest.Write)
    case HandshakeStatus.NEED_UNWRAP | HandshakeStatus.NEED_UNWRAP_AGAIN =>
      if (greetings < most && greet()) shakeHands() else waitFor(Interest.Read)
    case _ => drain() || waitFor(Interest.Write)
  }

  private def isOffLoop: Boolean = resume ne null

  /** Has the tasks run by another thread, unless it is closed by then; that makes the loop read again. */
  private def computeElsewhere(): Boolean = {
    isComputing = true
    val task = new HandshakeThreads.Task {
      def run(): Unit =
        try if (channel.isOpen) compute()
        finally computed()
      def refuse(): Unit = {
        isRefused = true
        computed()
      }
    }
    if (elsewhere ne null) elsewhere.execute(task) else HandshakeThreads.execute(task, isFresh = flights == 0)
    false
  }

  private def computed(): Unit = {
    isComputing = false
    resume.run()
  }

  override def refuseHandshake(): Unit = {
    failure = HandshakeFailure.Refused
    resetOnClose()
  }

  override def resumeBy(f: Runnable, threads: Executor): Unit = {
    resume = f
    elsewhere = threads
  }

  override def permitted(bits: Int): Int =
    if (isHeldBack) bits & ~Interest.Read | Interest.Write
    else {
      val sends = if (isOwn) bits | Interest.Write else if (isCounted) bits & ~Interest.Write else bits
      if (isComputing) sends & ~Interest.Read else sends
    }

  private def waitFor(interest: Int): Boolean = {
    awaited = interest
    false
  }

  /**
   * Processes handshake records that have arrived, as long as the engine needs no more than these. Returns whether there
   * was one. What is left is kept once for all of them: a peer can send records of a single byte.
   */
  private def greet(): Boolean = {
    val in     = if (isInline) apart(fill()) else fill()
    val before = greetings
    if ((counts ne null) && greetings == 0 && in.hasRemaining) checkFirst(in)
    if (!isChosen && greetings == 0) chosen = System.currentTimeMillis // for engines without tasks
    val size   = engine.getSession.getApplicationBufferSize
    val none   = if (isInline) ByteBuffer.allocate(size) else buffers.scratch(size)
    var at     = in.position
    var status = unwrap(in, none)
    // some engines may take nothing for now
    while (status == Status.OK && in.position > at && in.hasRemaining && greetings < most && needsInput) {
      at = in.position
      status = unwrap(in, none)
    }
    keep(in, status)
    if (status == Status.CLOSED || isChannelAtEnd && greetings == before)
      throw new ClosedInHandshake(name)
    if (greetings > MaxGreetings) throw new SSLException("too many records in one TLS handshake")
    greetings > before
  }

  /** In a buffer of its own: what the user's check does may write to other connections of the loop. */
  private def apart(in: ByteBuffer): ByteBuffer = {
    val copy = ByteBuffer.allocate(in.remaining)
    copy.put(in).flip()
    copy
  }

  private def needsInput: Boolean = engine.getHandshakeStatus == HandshakeStatus.NEED_UNWRAP

  private def unwrap(in: ByteBuffer, none: ByteBuffer): Status = {
    val at = in.position
    none.clear()
    val result =
      try engine.unwrap(in, none)
      catch {
        case _: SSLException if PlainAlert.isEnd(in, at) => throw new ClosedInHandshake(name)
        case e: SSLException                             => throw PlainAlert.in(in, at, e)
      }
    if (result.bytesConsumed > 0) greetings += 1
    result.getStatus
  }

  /** What begins with an alert, the engine may still explain. */
  private def checkFirst(in: ByteBuffer): Unit = {
    val kind = in.get(in.position)
    if (kind != Handshake && kind != Alert)
      if (kind >= LeastKind && kind <= MostKind) {
        isUnexpected = true
        failure = HandshakeFailure.Protocol
        throw new IOException(s"no TLS with $name: its first record is no part of a handshake")
      } else if (toPlain ne null) refusePlain(in)
  }

  private def refusePlain(in: ByteBuffer): Nothing = {
    isPlain = true
    isBegun = false // it gets no alert
    failure = HandshakeFailure.Plain
    uncount()
    throw new PlainPeer(s"$name does not use TLS", toPlain, UnexpectedHeader.isIn(in))
  }

  protected def runTasks(): Unit = {
    compute()
    if (taskError ne null) throw taskFailure
  }

  /**
   * Runs the engine's tasks. It keeps their exceptions and throws them when it continues, but not errors, such as a
   * StackOverflowError for a certificate; after one it would wait for the task forever.
   */
  private def compute(): Unit =
    try {
      var task = engine.getDelegatedTask
      while (task ne null) {
        task.run()
        task = engine.getDelegatedTask
      }
    } catch {
      case e: Throwable =>
        taskError = e
        if (!Survivable(e)) throw e
    }

  private def taskFailure: SSLException = new SSLException(taskError.toString, taskError)

  /** Whether the handshake continues without input, because what it waited for has been written. */
  protected def isInterrupted: Boolean = isBegun && !isSecured && awaited == Interest.Write

  override def isShakingHands: Boolean = !isSecured && !isPlain && !isFailed

  override def awaitedRecord: Int = if (isCounted && isHeard && !isComputing) flights else -1

  override def isSilent: Boolean = isCounted && !isHeard

  override def isComputingHandshake: Boolean = isComputing

  // The end

  override def tellsFailure(): Boolean =
    (counts ne null) && channel.isOpen && isBegun && isHeard && !isComputing && !isChannelAtEnd && !isRefused && {
      isFailed = true
      held = null
      uncount()
      try {
        sayEnd()
        drainFurther()
      } catch { case _: IOException | _: RuntimeException => false }
    }

  /** Writes pending output as long as the kernel takes any: it may take an alert in parts. Returns whether none is left. */
  private def drainFurther(): Boolean = {
    var left = Int.MaxValue
    while ((pending ne null) && pending.remaining < left) {
      left = pending.remaining
      drain()
    }
    pending eq null
  }

  /** For a first record that is none of a handshake the engine has no alert: it takes it for something else than TLS. */
  override protected def sayEnd(): Unit =
    if (!isUnexpected) super.sayEnd()
    else if (!isAlerted) {
      isAlerted = true
      transfer.clear()
      transfer.put(UnexpectedMessage)
      if (!send()) isOwn = true
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
      uncount()
      super.close()
    }
  }

  private def uncount(): Unit = if (isCounted) {
    isCounted = false
    counts.broken(isHeard, failure)
  }
}

private[tls] object HandshakingSocket {
  private final val Newest     = "TLSv1.3"
  private final val Impossible = "TLS_DHE_DSS_WITH_AES_128_GCM_SHA256"

  // Kinds of records (RFC 8446 section 5.1).
  private final val LeastKind = 20
  private final val Alert     = 21
  private final val Handshake = 22
  private final val MostKind  = 24

  /** A fatal alert `unexpected_message` (RFC 8446 section 6). */
  private val UnexpectedMessage = Array[Byte](21, 3, 3, 0, 2, 2, 10)

  /** Records that one handshake may come in; a client with a certificate needs some ten. */
  private final val MaxGreetings = 256

  /** Records of it that a server reads in one turn, so that the loop gets to its other connections. */
  private final val MostGreetings = 16
}
