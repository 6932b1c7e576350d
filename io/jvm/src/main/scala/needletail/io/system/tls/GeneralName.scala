package needletail.io.system.tls

import java.nio.charset.StandardCharsets.ISO_8859_1
import java.security.cert.X509Certificate
import java.util.Locale.ROOT
import javax.security.auth.x500.X500Principal

import needletail.io.tls.Der

/**
 * A name of a certificate, or a base of name constraints (RFC 5280 sections 4.2.1.6 and 4.2.1.10).
 *
 * @param kind  the number of its tag
 * @param value its content in DER
 */
private[tls] final class GeneralName(val kind: Int, private val value: Array[Byte]) {
  import GeneralName.*

  private def text: String = new String(value, ISO_8859_1)

  /** Whether it is a host's with a dot at its end, which a certificate must not have (RFC 5280 section 4.2.1.6). */
  def isAbsoluteHost: Boolean = kind == Host && text.endsWith(".")

  /**
   * Whether a name of the same kind is within this base, by the rules of OpenSSL, so that both platforms refuse the same
   * certificates: those of RFC 5280, and a dot in front stands for all hosts below. None if it cannot be told.
   */
  def includes(name: GeneralName): Option[Boolean] = kind match {
    case Email     => mailbox(name.text)
    case Host      => Some(isAbove(name.text))
    case Directory => isPrefix(name)
    case Uri       => hostIn(name.text).map(isHost)
    case Address   => if (name.value.length == 4 || name.value.length == 16) Some(isNet(name)) else None
    case _         => None
  }

  private def isAbove(host: String): Boolean = {
    val base = if (text.isEmpty || text.startsWith(".")) text else s".$text"
    host.equalsIgnoreCase(text) || host.length > base.length && hasEnd(host, base)
  }

  private def mailbox(name: String): Option[Boolean] = {
    val (at, own) = (name.lastIndexOf('@'), text.lastIndexOf('@'))
    if (at < 0) None
    else
      Some(
        if (own < 0 && text.startsWith(".")) name.length > text.length && hasEnd(name, text)
        else
          name.substring(at + 1).equalsIgnoreCase(text.substring(own + 1)) &&
          (own <= 0 || name.substring(0, at) == text.substring(0, own))
      )
  }

  private def isHost(host: String): Boolean =
    if (text.startsWith(".")) host.length > text.length && hasEnd(host, text) else host.equalsIgnoreCase(text)

  private def isPrefix(name: GeneralName): Option[Boolean] =
    for (
      whole <- Der.of(value);
      own   <- whole.elements;
      other <- Der.of(name.value);
      parts <- other.elements
    )
      yield own.length <= parts.length && own.zip(parts).forall { case (a, b) => isSame(a, b) }

  private def isNet(name: GeneralName): Boolean = {
    val n = name.value.length
    value.length == 2 * n && (0 until n).forall(i => ((name.value(i) ^ value(i)) & value(n + i)) == 0)
  }
}

private[tls] object GeneralName {
  final val Email     = 1
  final val Host      = 2
  final val Directory = 4
  final val Uri       = 6
  final val Address   = 7

  private final val AlternativeNames = "2.5.29.17"

  /** By its element in DER. */
  def of(element: Der): GeneralName = new GeneralName(element.tag & 0x1f, element.content)

  /**
   * The names of a certificate: its subject with the e-mail addresses in it, and its alternative names. None if these are
   * malformed.
   *
   * @param isClient whether it is a client's own, whose common name counts as a host's if it looks like one, and there is
   *                 no other
   */
  def all(certificate: X509Certificate, isClient: Boolean): Option[Seq[GeneralName]] =
    alternatives(certificate).map { own =>
      val subject = certificate.getSubjectX500Principal
      val mail    = DistinguishedNames.values(subject, "emailAddress").map(named(Email, _))
      val hosts   =
        if (!isClient || own.exists(_.kind == Host)) Nil
        else DistinguishedNames.values(subject, "CN").filter(isHostLike).map(named(Host, _))
      val name = if (subject.getName.isEmpty) Nil else Seq(new GeneralName(Directory, subject.getEncoded))
      name ++ mail ++ own ++ hosts
    }

  private def alternatives(certificate: X509Certificate): Option[Seq[GeneralName]] =
    certificate.getExtensionValue(AlternativeNames) match {
      case null  => Some(Nil)
      case value =>
        for (octets <- Der.of(value); names <- Der.of(octets.content); all <- names.elements)
          yield all.map(of)
    }

  private def named(kind: Int, text: String): GeneralName = new GeneralName(kind, text.getBytes(ISO_8859_1))

  /** Whether it has several labels, of letters, digits, underscores and inner hyphens. */
  private def isHostLike(name: String): Boolean =
    name.contains('.') && name.split("\\.", -1).forall { label =>
      label.nonEmpty && !label.startsWith("-") && !label.endsWith("-") && label.forall(isOfLabel)
    }

  private def isOfLabel(c: Char): Boolean =
    c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_'

  /** The host of a URI, which must have one. */
  private def hostIn(uri: String): Option[String] = {
    val at = uri.indexOf("://")
    if (at < 0 || uri.indexOf(':') != at) None
    else Some(uri.substring(at + 3).takeWhile(c => c != ':' && c != '/')).filter(_.nonEmpty)
  }

  private def hasEnd(name: String, end: String): Boolean =
    name.toLowerCase(ROOT).endsWith(end.toLowerCase(ROOT))

  /** Whether two relative names are the same, as names are compared (RFC 5280 section 7.1). */
  private def isSame(one: Der, other: Der): Boolean =
    try principal(one) == principal(other)
    catch { case _: IllegalArgumentException => false }

  private def principal(relative: Der): X500Principal = {
    val one = relative.whole
    new X500Principal(Der.element(Der.Sequence, one))
  }
}
