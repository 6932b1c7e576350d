package needletail.io.system.tls

import scala.scalanative.unsafe.*

import java.io.IOException

import needletail.io.tls.{KeyFaults, RevocationLists, TlsProfile}

/** Contexts of OpenSSL, and what servers and clients set alike. */
private[tls] object OpenSslSettings {
  private final val Tls12 = 0x0303
  private final val Tls13 = 0x0304

  private[tls] val Newer = "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"
  private[tls] val Older =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:" +
      "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305"
  private[tls] val Groups = "X25519:P-256:P-384"

  private final val Endless    = -1
  private final val NoneCounts = -2

  /**
   * A new context, as `f` completes it. It is released if `f` fails.
   *
   * @param sessionSeconds 0: no sessions are resumed; otherwise for how long after their full handshake those of a client
   *                       are
   */
  def context(
      isServer: Boolean,
      profile: TlsProfile,
      sessionSeconds: Int
  )(f: Ptr[Byte] => Unit): Ptr[Byte] = {
    OpenSsl.load()
    val made = OpenSslFunctions.context(if (isServer) 1 else 0, sessionSeconds)
    if (made eq null) throw OpenSsl.outOfMemory
    try {
      use(made, if (profile == TlsProfile.Modern) Tls13 else Tls12, Older, Newer, Groups)
      f(made)
      made
    } catch {
      case e: Throwable =>
        OpenSslFunctions.release(made)
        throw e
    }
  }

  /** Throws an IOException that says what of these the library does not support. */
  def use(context: Ptr[Byte], least: Int, older: String, newer: String, groups: String): Unit =
    Zone.acquire { implicit zone =>
      val wrong = OpenSslFunctions.profile(
        context,
        least,
        Tls13,
        toCString(older),
        toCString(newer),
        toCString(groups)
      )
      if (wrong ne null) throw unsupported(fromCString(wrong))
    }

  private def unsupported(what: String): IOException =
    new IOException(s"TLS is not available: OpenSSL does not support the $what that are to be used")

  def protocols(context: Ptr[Byte], names: Seq[String]): Unit = if (names.nonEmpty) {
    val bytes = names.flatMap(name => name.length.toByte +: name.getBytes("US-ASCII")).toArray
    if (OpenSslFunctions.protocols(context, bytes.at(0), bytes.length) == 0)
      throw unsupported(s"protocols (${names.mkString(", ")})")
  }

  def trust(context: Ptr[Byte], trusted: PemFile): Unit =
    if (OpenSslFunctions.trust(context, trusted.bytes.at(0), trusted.bytes.length) == 0)
      throw trusted.damaged("certificate")

  def revoked(context: Ptr[Byte], lists: Option[RevokedFile]): Unit = lists.foreach { known =>
    val file  = known.file
    val count = OpenSslFunctions.revoked(
      context,
      file.bytes.at(0),
      file.bytes.length,
      known.change.fold(0L)(_ / 1000)
    )
    if (count == NoneCounts) throw RevocationLists.noneCounts(file.file)
    if (count == Endless) throw RevocationLists.endless(file.file)
    if (count <= 0) throw file.damaged("certificate revocation list")
  }

  def own(context: Ptr[Byte], own: OwnCertificate): Unit = {
    val wrong = Zone.acquire { implicit zone =>
      OpenSslFunctions.certificate(
        context,
        own.chain.bytes.at(0),
        own.chain.bytes.length,
        own.key.bytes.at(0),
        own.key.bytes.length,
        own.password.fold(null: CString)(toCString(_))
      )
    }
    if (wrong ne null) throw problem(own, fromCString(wrong))
  }

  private def problem(own: OwnCertificate, text: String): IOException = {
    val (chain, key) = (own.chain.file, own.key.file)
    text match {
      case "no certificate"              => own.chain.damaged("certificate")
      case s"not its key: $its, $wanted" =>
        KeyFaults.ofAnother(key, chain, own.chain.certificates, Some(its -> wanted))
      case "no key" if own.isEncrypted && own.password.isEmpty => KeyFaults.encrypted(key)
      case "no key" if own.isEncrypted                         => KeyFaults.wrongPassword(key)
      case "no key"                                            => own.key.damaged("private key")
      case "not supported" if own.isEncrypted                  => KeyFaults.unsupported(key, "")
      case "not supported"                                     => own.key.damaged("private key")
      case "ee key too small" | "ca key too small"             => KeyFaults.weak(chain, Demanded)
      case "ca md too weak"                                    => KeyFaults.weakSignature(chain, Demanded)
      case other if other.startsWith("signature by ")          => KeyFaults.weakSignature(chain, other)
      case other if other.contains("; the minimum is ")        => KeyFaults.weak(chain, other)
      case other => new IOException(s"$chain with $key cannot be used: $other")
    }
  }

  private final val Demanded = "the system's policy demands a stronger one"
}
