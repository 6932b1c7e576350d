package needletail.testkit

import needletail.http.{Attachments, ConnectionSecurity, PeerCertificate}

/** The connection of a request in a test. */
private[testkit] final class TestConnection(
    val remoteAddress: String,
    val localAddress: String,
    val isSecure: Boolean,
    shown: Option[PeerCertificate]
) extends Attachments {
  override val security: Option[ConnectionSecurity] =
    if (isSecure) Some(ConnectionSecurity("TLSv1.3", "TLS_AES_128_GCM_SHA256", "http/1.1", "", shown))
    else None
}

/** Certificates of clients in tests, as a server passes them on once it has verified them. */
object TestPeer {

  /** See [[needletail.http.PeerCertificate]]; what a test does not name is made up. */
  def apply(
      subject: String,
      names: Seq[String] = Nil,
      issuer: String = "CN=Test Authority",
      serial: String = "01",
      expires: Long = 4102444800000L, // 2100
      sha256: String = "0" * 64
  ): PeerCertificate = PeerCertificate(subject, names, issuer, serial, expires, sha256)
}
