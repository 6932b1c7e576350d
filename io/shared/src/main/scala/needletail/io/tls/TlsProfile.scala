package needletail.io.tls

/**
 * Which protocol versions and ciphers are allowed: Mozilla's profiles of the same names, as far as the platform has
 * their ciphers.
 */
sealed abstract class TlsProfile(val name: String) {
  override def toString: String = name
}

object TlsProfile {

  /** TLS 1.3, and 1.2 with forward secrecy and authenticated encryption only: no CBC, no key exchange by RSA. */
  case object Intermediate extends TlsProfile("intermediate")

  /** TLS 1.3 only. */
  case object Modern extends TlsProfile("modern")

  /** All profiles. */
  val all: List[TlsProfile] = List(Intermediate, Modern)

  /** The profile with that name: `intermediate` or `modern`. */
  def named(name: String): Option[TlsProfile] = all.find(_.name == name)

  /** The names of the cipher suites for TLS 1.3 (RFC 8446) and, if `Intermediate`, those for TLS 1.2, best first. */
  private[io] def ciphers(profile: TlsProfile): Seq[String] = profile match {
    case Modern       => Newest
    case Intermediate => Newest ++ Older
  }

  private val Newest = Seq("TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256")

  private val Older = Seq(
    "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
    "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
    "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
    "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
    "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
    "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256"
  )
}
