package needletail.io.tls

import java.io.IOException
import java.nio.charset.StandardCharsets.ISO_8859_1
import java.nio.file.Path

/**
 * Files of certificates and keys in DER (X.690), PKCS #7 (RFC 2315) or PKCS #12 (RFC 7292), which come from other
 * programs, where PEM is needed.
 */
private[io] object NotPem {

  /** What a file is needed for. */
  sealed abstract class Use(
      private[NotPem] val what: String,
      private[NotPem] val byDer: String,
      private[NotPem] val byPkcs12: String,
      private[NotPem] val out: String
  )
  object Use {
    case object Certificates extends Use("certificate", "x509 -inform der", "pkcs12 -nokeys", "chain.pem")
    case object Key   extends Use("private key", "pkey -inform der", "pkcs12 -nocerts -noenc", "key.pem")
    case object Lists extends Use("certificate revocation list", "crl -inform der", "", "list.pem")
  }

  /** If `bytes` are what is needed, but not in PEM: the error, which names the file and what makes PEM of it. */
  def error(file: Path, bytes: Array[Byte], use: Use): Option[IOException] = {
    def said(is: String, by: String) =
      Some(new IOException(s"$file is $is, and PEM is needed: openssl $by -in $file -out ${use.out}"))
    formOf(bytes) match {
      case Pkcs7(form) if use == Use.Certificates =>
        said("a PKCS #7 file", s"pkcs7$form -print_certs")
      case Pkcs12 if use.byPkcs12.nonEmpty => said("a PKCS #12 file", use.byPkcs12)
      case Der(what) if what == use.what   => said(s"a $what in DER", use.byDer)
      case _                               => None
    }
  }

  private sealed trait Form
  private final case class Pkcs7(form: String) extends Form
  private case object Pkcs12                   extends Form
  private final case class Der(what: String)   extends Form
  private case object Other                    extends Form

  private final val Integer     = 0x02
  private final val BitString   = 0x03
  private final val OctetString = 0x04
  private final val Sequence    = 0x30
  private final val Choice      = 0xa0

  private final val ObjectIdentifier = 0x06

  /** Instead of a length; greater numbers are that of its digits. */
  private final val Endless = 128

  private def formOf(bytes: Array[Byte]): Form = elements(bytes, 0, bytes.length) match {
    case Seq(all) if all.tag == Sequence =>
      val parts = elements(bytes, all.from, all.until)
      parts.map(_.tag) match {
        case Seq(Sequence, Sequence, BitString) => signed(bytes, parts.head)
        case Seq(Sequence, OctetString)         => Der(Use.Key.what) // PKCS #8, encrypted
        case Integer +: Sequence +: rest if isVersion(bytes, parts.head, 3) && rest.forall(isSequenceOrEnd) =>
          Pkcs12
        case Seq(ObjectIdentifier, Choice) => Pkcs7(" -inform der")
        // PKCS #8, SEC 1 and PKCS #1
        case Integer +: Sequence +: OctetString +: _                       => Der(Use.Key.what)
        case Integer +: OctetString +: _                                   => Der(Use.Key.what)
        case tags if tags.length >= 9 && tags.take(9).forall(_ == Integer) => Der(Use.Key.what)
        case _                                                             => Other
      }
    case _ if startsWith(bytes, "-----BEGIN PKCS7-----") => Pkcs7("")
    case _                                               => Other
  }

  private def startsWith(bytes: Array[Byte], text: String): Boolean =
    new String(bytes, 0, Math.min(bytes.length, text.length), ISO_8859_1) == text

  /** What is signed: a certificate has five sequences, a list says when it was made, and neither is true of a request. */
  private def signed(bytes: Array[Byte], content: Element): Form = {
    val tags = elements(bytes, content.from, content.until).map(_.tag)
    if (tags.exists(tag => tag == 0x17 || tag == 0x18)) Der(Use.Lists.what)
    else if (tags.count(_ == Sequence) >= 5) Der(Use.Certificates.what)
    else Other
  }

  /** The end is that of a sequence without a length. */
  private def isSequenceOrEnd(tag: Int): Boolean = tag == Sequence || tag == 0

  private def isVersion(bytes: Array[Byte], element: Element, version: Int): Boolean =
    element.until - element.from == 1 && bytes(element.from) == version

  /** Where the content of an element is. */
  private final class Element(val tag: Int, val from: Int, val until: Int)

  /**
   * The elements in a part of the bytes; none if they are damaged. The length of one that ends with a mark (BER) counts as
   * the rest: PKCS #12 is written so by some programs, and only how it begins is looked at.
   */
  private def elements(bytes: Array[Byte], from: Int, until: Int): Vector[Element] = {
    val found = Vector.newBuilder[Element]
    var at    = from
    while (at >= 0 && at < until)
      elementAt(bytes, at, until) match {
        case Some(element) =>
          found += element
          at = element.until
        case None => at = -1
      }
    if (at < 0) Vector.empty else found.result()
  }

  private def elementAt(bytes: Array[Byte], at: Int, until: Int): Option[Element] =
    if (at + 2 > until) None
    else {
      val first  = bytes(at + 1) & 0xff
      val digits = if (first <= Endless) 0 else first - Endless
      val start  = at + 2 + digits
      if (digits > 3 || start > until) None
      else {
        val length =
          if (first < Endless) first
          else if (first == Endless) until - start
          else bytes.slice(at + 2, start).foldLeft(0)((n, byte) => n << 8 | (byte & 0xff))
        if (length > until - start) None else Some(new Element(bytes(at) & 0xff, start, start + length))
      }
    }
}
