package needletail.io.system.tls

import scala.scalanative.unsafe.*

import java.io.IOException

import needletail.async.Survivable
import needletail.io.tls.{CertificateInfo, TlsRefusal}

/**
 * A server's own check of its clients' certificates, for one connection. OpenSSL asks it within the handshake, on the
 * handshake's thread, so that a client which is refused gets an alert.
 */
private[tls] final class ClientCertificateCheck(check: CertificateInfo => Boolean) {

  /** Runs a handshake of a server that has this check: perhaps within another's check. */
  def during(handshake: => Int): Int = {
    val outer = ClientCertificateCheck.asked.get
    ClientCertificateCheck.asked.set(this)
    try {
      val result = handshake
      rethrowFatal()
      result
    } finally
      if (outer eq null) ClientCertificateCheck.asked.remove() else ClientCertificateCheck.asked.set(outer)
  }

  private var failure: Throwable = null

  private def rethrowFatal(): Unit = if ((failure ne null) && !Survivable(failure)) throw failure

  private def accepts(certificate: CertificateInfo): Boolean =
    try check(certificate)
    catch {
      case e: Throwable =>
        failure = e
        false
    }

  /** Throws an IOException if the client's certificate is refused, as for a session that it has resumed. */
  def require(peer: Option[CertificateInfo], owner: => String): Unit =
    if (!peer.forall(accepts)) {
      rethrowFatal()
      throw refusal(owner)
    }

  /** @param owner of the certificate, for messages */
  def refusal(owner: String): IOException =
    TlsRefusal.ofCertificate(
      TlsRefusal.OwnCheck,
      s"the certificate of $owner is not accepted: it was rejected by the server's own check" +
        (if (failure eq null) "" else s", which threw $failure"),
      failure
    )
}

private[tls] object ClientCertificateCheck {
  private val asked = new ThreadLocal[ClientCertificateCheck]

  /** What C calls. Nothing must be thrown through it. */
  val function: CFuncPtr2[Ptr[Byte], CInt, CInt] =
    CFuncPtr2.fromScalaFunction((facts: Ptr[Byte], length: CInt) =>
      try {
        val check = asked.get
        if ((check ne null) && check.accepts(OpenSslFacts.certificate(facts, length))) 1 else 0
      } catch { case _: Throwable => 0 }
    )
}
