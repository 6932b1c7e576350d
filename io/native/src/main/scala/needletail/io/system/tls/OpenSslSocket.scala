package needletail.io.system.tls

import scala.scalanative.unsafe.*

import java.io.IOException

import needletail.io.kernel.KernelError
import needletail.io.platform.{ConnectionOptions, Interest, Socket}
import needletail.io.system.KernelSocket
import needletail.io.tls.{
  CertificateInfo,
  CertificateText,
  ClosedInHandshake,
  HandshakeFailure,
  PlainPeer,
  RevocationLists,
  TlsClientConfig,
  TlsCounts,
  TlsRefusal,
  TlsSession
}

/**
 * A socket secured by TLS: plain bytes on this side, encrypted bytes on the network. See needletail_tls_socket.c, which
 * does the work.
 *
 * A client performs the handshake while it connects, a server when it reads. Its computations run on the loop: about
 * a millisecond for an RSA key.
 *
 * @param plain      what it is secured over, and takes over
 * @param number     its descriptor, or its number in `Elsewhere`
 * @param connection made for that number
 * @param name       of the peer, for messages
 * @param counts     a server's; null for a client
 * @param toPlain    what is sent to a peer that does not speak TLS; null for nothing
 * @param check      a server's own check of its clients' certificates
 */
private[tls] final class OpenSslSocket(
    plain: Socket,
    number: Int,
    private var connection: Ptr[Byte],
    name: String,
    counts: TlsCounts,
    toPlain: Array[Byte],
    check: Option[ClientCertificateCheck]
) extends KernelSocket(number) {
  import OpenSslSocket.*

  // Another platform's socket; null for the system's, whose descriptor this takes over.
  private val elsewhere: Socket = plain match {
    case _: KernelSocket => null
    case other           => other
  }

  private var isReset   = false
  private var isCounted = counts ne null              // until the handshake is over
  private var reason    = HandshakeFailure.Incomplete // what it is counted as unless it is completed
  private var isBegun   = false                       // whether it is counted as under way
  private var begunAt   = 0L                          // when the handshake began, by the system's clock
  private var isPlain   = false                       // the peer does not use TLS: bytes pass as they are
  private var isFailed  = false // reading has failed: what comes is of no use, and passes as it is
  private var isAlerted = false // whether an alert was written then

  @volatile private var established: TlsSession = null // read on any thread, also after the end

  plain match {
    case kernel: KernelSocket => takeName(kernel)
    case _                    => ()
  }
  if (isCounted) counts.opened()

  override private[needletail] def carrier: Socket = if (elsewhere eq null) this else elsewhere

  private def numbers: Ptr[CInt]       = connection.asInstanceOf[Ptr[CInt]]
  private def isDone: Boolean          = established ne null // the server's last output is taken, too
  private def has(flag: Int): Boolean  = (connection ne null) && (!numbers & flag) != 0
  override def isSecure: Boolean       = true
  override def isShakingHands: Boolean =
    !isPlain && !isFailed && !(if (counts eq null) has(Secured) else isDone)
  override def holdsInput: Boolean       = has(HoldsInput) && !mustWriteFirst && !isPlain && !isFailed
  override def owesOutput: Boolean       = has(OwesOutput)
  override def writesAfterInput: Boolean = has(AwaitsInput)
  override def permitted(bits: Int): Int =
    if (!owesOutput)
      if (isCounted) bits & ~Interest.Write
      else if (writesAfterInput) bits & ~Interest.Write | Interest.Read
      else bits
    else if (has(HeldBack) || mustWriteFirst) bits & ~Interest.Read | Interest.Write
    else bits | Interest.Write

  /** Whether a server's handshake waits to write: `read` returns nothing until then, so its loop would spin. */
  private def mustWriteFirst: Boolean = isCounted && owesOutput

  override def awaits: Int    = if (has(AwaitsWrite)) Interest.Write else Interest.Read
  override def heldBytes: Int = if ((connection eq null) || isPlain) 0 else numbers(1)

  private var taken = 0L // its last 32 bits are those of the library's count, which overflows

  override def encryptedTaken: Long = {
    if (connection ne null) taken += Integer.toUnsignedLong(OpenSslFunctions.taken(connection) - taken.toInt)
    taken
  }

  override def unacknowledged: Int =
    if (elsewhere eq null) super.unacknowledged else elsewhere.unacknowledged

  private def live: Ptr[Byte] = {
    if (connection eq null) throw new KernelError("the connection is closed")
    connection
  }

  override def session: TlsSession = established

  override def handshakeFailure: HandshakeFailure = reason

  override def awaitedRecord: Int = if (isCounted && isBegun) OpenSslFunctions.flights(live) else -1

  override def refuseHandshake(): Unit = {
    reason = HandshakeFailure.Refused
    resetOnClose()
  }

  override def isSilent: Boolean          = isCounted && !isBegun
  override def computesHandshake: Boolean = isCounted

  override def finishConnect(): Boolean =
    (if (elsewhere eq null) isConnected || super.finishConnect() else elsewhere.finishConnect()) && {
      begins()
      done(OpenSslFunctions.handshake(live)) == 1
    } && {
      establish()
      true
    }

  private def begins(): Unit = if (begunAt == 0) begunAt = System.nanoTime

  private def facts(): TlsSession =
    OpenSslFacts.session(connection, counts ne null, name, System.nanoTime - begunAt)

  /** Copies the results of the handshake, which are otherwise freed with the connection. */
  private def establish(): Unit = if (established eq null)
    established = facts()

  override def tryRead(bytes: Array[Byte], from: Int, count: Int): Int = {
    val shaken = if (isCounted) shakeHands() else 0
    if (shaken < 0) shaken
    else if (isCounted) 0
    else if (isPlain || isFailed)
      if (elsewhere eq null) super.tryRead(bytes, from, count) else elsewhere.read(bytes, from, count)
    else settled(OpenSslFunctions.read(live, bytes.at(from), count))
  }

  override def failureOf(result: Int): IOException =
    if (result == Failed) failure() else super.failureOf(result)

  override def write(bytes: Array[Byte], from: Int, count: Int): Int =
    if (isPlain)
      if (elsewhere eq null) super.write(bytes, from, count) else elsewhere.write(bytes, from, count)
    else done(OpenSslFunctions.write(live, bytes.at(from), count))

  /** A server's part of the handshake, as far as it gets. Returns a failure as `tryRead` does, otherwise 0 or 1. */
  private def shakeHands(): Int = if (owesOutput) 0
  else {
    begins()
    val result = check.fold(OpenSslFunctions.handshake(live))(_.during(OpenSslFunctions.handshake(live)))
    if (!isBegun && has(Heard)) {
      isBegun = true
      counts.began()
    }
    val state = settled(result)
    if (state == 1) {
      val session = facts()
      if (has(Resumed)) check.foreach { own =>
        reason = HandshakeFailure.Certificate // unless it is accepted: then the handshake is complete
        own.require(session.peer, ownerOf(session.peer))
      }
      established = session
      isCounted = false
      counts.completed(session)
    }
    state
  }

  override def sendOwed(): Unit = if (connection ne null) { done(OpenSslFunctions.sendOwed(connection)); () }

  override def shutdownOutput(): Unit =
    if (isPlain) if (elsewhere eq null) super.shutdownOutput() else elsewhere.shutdownOutput()
    else if (connection ne null) { done(OpenSslFunctions.end(connection)); () }

  override def resetOnClose(): Unit = {
    isReset = true
    if (elsewhere eq null) super.resetOnClose() else elsewhere.resetOnClose()
  }

  override def configure(options: ConnectionOptions): Unit =
    if (elsewhere eq null) super.configure(options) else elsewhere.configure(options)

  override def probeWhenSilent(idleSeconds: Int): Unit =
    if (elsewhere eq null) super.probeWhenSilent(idleSeconds) else elsewhere.probeWhenSilent(idleSeconds)

  override def remoteAddress: String = if (elsewhere eq null) super.remoteAddress else elsewhere.remoteAddress
  override def localAddress: String  = if (elsewhere eq null) super.localAddress else elsewhere.localAddress

  override def close(): Unit = {
    val ending = connection
    if (ending ne null) {
      connection = null
      OpenSslFunctions.close(ending, if (isReset) 1 else 0)
      uncount()
    }
    if (elsewhere eq null) super.close()
    else {
      Elsewhere.forget(number)
      elsewhere.close()
    }
  }

  override def tellsFailure(): Boolean =
    (counts ne null) && isAlerted && !owesOutput && {
      isFailed = true
      uncount()
      true
    }

  private def uncount(): Unit = if (isCounted) {
    isCounted = false
    counts.broken(isBegun, reason)
  }

  /** The result of a call: bytes, -1 for the end, or an exception. */
  private def done(result: Int): Int = {
    val n = settled(result)
    if (n < -1) throw failureOf(n)
    n
  }

  /** The same, with the failures of `tryRead`. */
  private def settled(result: Int): Int = {
    val flags = !numbers
    if ((flags & NoInput) != 0 || (flags & ShortInput) != 0 && !unbounded) usedUp(Interest.Read)
    if ((flags & NoRoom) != 0) usedUp(Interest.Write)
    if (result == KernelSocket.EndOfInput) -1
    else if (result == -1) throw failureOf(result) // EPERM, of the number that means the end here
    else result
  }

  private def failure(): IOException = {
    val why = fromCString(OpenSslFunctions.why(connection))
    reason = kindOf(OpenSslFunctions.kind(connection), why)
    isAlerted = !Untold.contains(OpenSslFunctions.kind(connection))
    if (OpenSslFunctions.kind(connection) == Refused && check.nonEmpty)
      check.get.refusal(ownerOf(OpenSslFacts.refused().map(_.certificate)))
    else if (OpenSslFunctions.kind(connection) == Plain && (toPlain ne null)) {
      isPlain = true
      uncount()
      new PlainPeer(s"$name does not use TLS", toPlain, isProxied = why == "PROXY")
    } else if (OpenSslFunctions.kind(connection) == Cut) new ClosedInHandshake(name)
    else failure(why)
  }

  private def kindOf(kind: Int, why: String): HandshakeFailure =
    if (kind == NoCertificate || kind > Untrusted) HandshakeFailure.Certificate
    else if (kind == NotTls || kind == Plain) HandshakeFailure.Plain
    else if (kind == Truncated || kind == Cut) HandshakeFailure.Incomplete
    else if (kind == RefusedName) HandshakeFailure.Protocol
    else if (why.toLowerCase.contains("alert") || why == UnknownName) HandshakeFailure.Alert
    else HandshakeFailure.Protocol

  private def failure(why: String): IOException = {
    val kind = OpenSslFunctions.kind(connection)
    val text = failureText(kind, why)
    if (kind == NoCertificate) TlsRefusal.ofCertificate(TlsRefusal.Missing, text)
    else if (kind > Untrusted) TlsRefusal.ofCertificate(refusedFor(kind - Untrusted), text)
    else if (kind == RefusedName) TlsRefusal.ofClient(TlsRefusal.Name, text)
    else if (text == HandshakeFailure.NoVersion) TlsRefusal.ofClient(TlsRefusal.Version, text)
    else if (why == UnknownName) TlsRefusal.byAlert("alert unrecognized name", text)
    else if (kindOf(kind, why) eq HandshakeFailure.Alert) TlsRefusal.byAlert(why, text)
    else new KernelError(text)
  }

  private def failureText(number: Int, why: String): String =
    number match {
      case NoCertificate        => s"$name has shown no certificate"
      case NotTls               => s"$name does not use TLS${if (counts eq null) " on that port" else ""}"
      case Truncated            => "the connection ended without closing its TLS stream: data may be missing"
      case Flood if why.isEmpty => s"$name sends too many TLS messages without data"
      case Plain                => s"$name does not use TLS"
      case RefusedName          => s"no TLS with $name: $why"
      case kind if kind > Untrusted                                          => refusal(kind - Untrusted, why)
      case _ if (counts ne null) && HandshakeFailure.isOfOwnCertificate(why) =>
        HandshakeFailure.notAccepted(why)
      case _ if (counts ne null) && why == "unsupported protocol" => HandshakeFailure.NoVersion
      case _ if HandshakeFailure.isOfCertificate(why)             =>
        s"no TLS with $name, which refuses the certificate that it was shown, or wants one: $why"
      case _ if established ne null => s"the TLS connection with $name failed: $why"
      case _                        => s"no TLS with $name: $why"
    }

  private def ownerOf(shown: Option[CertificateInfo]): String =
    if (counts eq null) name else shown.fold(name)(CertificateText.owner(name, _))

  private def refusedFor(error: Int): String = error match {
    case 62 | 63 | 64 | 1002   => TlsRefusal.Misnamed
    case 10                    => TlsRefusal.Expired
    case 9                     => TlsRefusal.Early
    case 23                    => TlsRefusal.Revoked
    case 1004 | 1005 | 1006    => TlsRefusal.Unchecked
    case 1003 | 66 | 67 | 68   => TlsRefusal.Weak
    case 50                    => TlsRefusal.NotPinned
    case 2 | 18 | 19 | 20 | 21 => TlsRefusal.Untrusted
    case _                     => TlsRefusal.Invalid
  }

  /** By OpenSSL's numbers of errors, X509_V_ERR_…, and those of needletail_tls.h. */
  private def refusal(error: Int, why: String): String = {
    val shown        = OpenSslFacts.refused()
    def issuer       = shown.fold("its issuer")(_.issuer)
    def authority    = shown.flatMap(_.authority)
    def peers        = if (counts eq null) "servers" else "clients"
    val unacceptable = error match {
      case 62 | 63 | 64          => s"is not for $name: $why"
      case 1002                  => s"is not for $name: ${TlsClientConfig.Nameless}"
      case 10                    => shown.fold("has expired")(_.outOfDate(isOver = true))
      case 9                     => shown.fold("is not valid yet")(_.outOfDate(isOver = false))
      case 23                    => "was revoked"
      case 1004                  => RevocationLists.unchecked(RevocationLists.missing(issuer))
      case 1005                  => RevocationLists.unchecked(RevocationLists.expired(issuer))
      case 1006                  => RevocationLists.unchecked(RevocationLists.invalid(issuer))
      case 1003 | 66 | 67 | 68   => s"is too weak: ${shown.fold(why)(_.weak)}"
      case 50                    => "is not accepted: none of its keys is pinned"
      case 2 | 18 | 19 | 20 | 21 => "is not trusted: its issuer is unknown"
      case 25                    => s"is not trusted: ${CertificateText.PathTooLong}"
      case 26                    => s"is not trusted: ${CertificateText.notFor(peers, authority)}"
      case 47 | 48               => s"is not trusted: ${CertificateText.unpermitted(authority)}"
      case 79                    => s"is not trusted: ${authority.fold(why)(CertificateText.mayNotIssue(_))}"
      case _                     => s"is not trusted: $why"
    }
    if (unacceptable.startsWith("is not for ")) s"the certificate $unacceptable"
    else s"the certificate of ${ownerOf(shown.map(_.certificate))} $unacceptable"
  }
}

private[tls] object OpenSslSocket {

  /** The number by which OpenSSL's side knows a socket. */
  def numberOf(plain: Socket): Int = plain match {
    case kernel: KernelSocket => kernel.fd
    case other                =>
      Elsewhere.use
      Elsewhere.number(other)
  }

  private final val Failed        = Int.MinValue + 1
  private final val NoCertificate = 1
  private final val NotTls        = 3
  private final val Truncated     = 4
  private final val Cut           = 5
  private final val Flood         = 6
  private final val Plain         = 7
  private final val RefusedName   = 8
  private val Untold              = Set(Truncated, Cut, Flood, Plain) // for these OpenSSL writes no alert
  private final val Untrusted     = 1000
  private final val Refused       = Untrusted + 1001

  /** What OpenSSL says of the alert unrecognized_name. */
  private final val UnknownName = "tlsv1 unrecognized name"

  // Flags, as in needletail_tls_connection.h.
  private final val NoInput     = 1
  private final val ShortInput  = 2
  private final val NoRoom      = 4
  private final val HoldsInput  = 8
  private final val OwesOutput  = 16
  private final val HeldBack    = 512
  private final val AwaitsInput = 1024
  private final val Secured     = 32
  private final val AwaitsWrite = 64
  private final val Resumed     = 128
  private final val Heard       = 256
}
