package needletail.io.tls

import java.nio.charset.StandardCharsets.UTF_8

/** Certificates in messages. */
private[needletail] object CertificateText {

  /** The name that readers of messages know it by: the first of its alternative names, otherwise its subject. */
  def shown(certificate: CertificateInfo): String = firstName(certificate).getOrElse(certificate.subject)

  /** Its subject, which may be empty (RFC 5280 section 4.1.2.6); then the first of its alternative names. */
  def subjectOf(certificate: CertificateInfo): String =
    if (certificate.subject.nonEmpty) certificate.subject else firstName(certificate).getOrElse("")

  private def firstName(certificate: CertificateInfo): Option[String] =
    certificate.names.headOption.map(name => name.drop(name.indexOf(':') + 1))

  def origin(certificate: CertificateInfo, file: Any, kindOfKey: String): String =
    s"$file (${shown(certificate)}, $kindOfKey)"

  /**
   * Whose certificate was refused, for messages: `the client (CN=Bob,O=Staff; issuer CN=Staff CA; serial 1A2B)`. In its
   * names, which may be anybody's invention, a semicolon is escaped (RFC 2253).
   */
  def owner(peer: String, certificate: CertificateInfo): String = {
    val serial = foreign(certificate.serial)
    // a subject has its semicolons escaped, and an alternative name has not
    val name =
      if (certificate.subject.nonEmpty) certificate.subject else subjectOf(certificate).replace(";", "\\;")
    s"$peer (${foreign(name)}; issuer ${foreign(certificate.issuer)}; serial $serial)"
  }

  /**
   * What is wrong with an authority that is not valid now.
   *
   * @param day of its end, as 2026-12-31; or of its beginning, if that is still to come
   */
  def outOfDate(authority: String, isOver: Boolean, day: String): String =
    s"its authority ${foreign(authority)} ${if (isOver) "expired on" else "is not valid before"} $day"

  // What else is wrong with a path: with the certificate of an authority that has this name, or with the peer's

  def unpermitted(authority: Option[String]): String =
    s"${subject(authority)} has a name that an authority does not permit"

  /** @param peers `clients` or `servers` */
  def notFor(peers: String, authority: Option[String]): String =
    s"${subject(authority)} is not for TLS $peers"

  def mayNotIssue(authority: String): String =
    s"its authority ${foreign(authority)} may not issue certificates"

  final val PathTooLong = "one of its authorities permits fewer others below it"

  private def subject(authority: Option[String]): String =
    authority.fold("it")(name => s"its authority ${foreign(name)}")

  /** A name in a certificate of a peer who is not trusted: cut, and what does not show is escaped as in RFC 2253. */
  def foreign(name: String): String = {
    val shown = if (name.length <= Longest) name else cut(name) + "…"
    if (shown.isEmpty) "without a name"
    else shown.map(c => if (isHidden(c)) escaped(c) else c.toString).mkString
  }

  /** Not between the halves of a character. */
  private def cut(name: String): String =
    name.take(if (Character.isHighSurrogate(name.charAt(Longest - 1))) Longest - 1 else Longest)

  private final val Longest = 100

  /** Control characters, also those that change the direction of text, and what else has no width. */
  private def isHidden(c: Char): Boolean =
    c < ' ' || (c >= 0x7f && c < 0xa0) || c == 0xad || c == 0x061c || c == 0x180e || (c >= 0x200b && c <= 0x200f) ||
      (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff

  private def escaped(c: Char): String =
    c.toString.getBytes(UTF_8).map(b => f"\\${b & 0xff}%02X").mkString
}
