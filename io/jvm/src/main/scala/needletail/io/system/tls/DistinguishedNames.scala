package needletail.io.system.tls

import java.nio.charset.Charset
import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_16BE, UTF_8}
import java.util.HexFormat
import javax.security.auth.x500.X500Principal

import needletail.io.tls.Der

/**
 * Distinguished names as text (RFC 2253), in the same form as OpenSSL's, so that a check reads both. Not the JDK's own
 * text, which reads all kinds of strings as UTF-8 before Java 21.
 */
private[tls] object DistinguishedNames {

  /** The name with its last attribute first. */
  def text(name: X500Principal): String =
    relatives(name) match {
      case Some(all) => all.reverse.map(_.reverse.map(_.text).mkString("+")).mkString(",")
      case None      => name.getName(X500Principal.RFC2253)
    }

  /** The values of the attributes of one kind, by its name in `text`, that are strings. */
  def values(name: X500Principal, attribute: String): Seq[String] =
    for (
      relative <- relatives(name).getOrElse(Nil);
      one      <- relative if Keywords.get(one.kind).contains(attribute);
      value    <- one.string
    ) yield value

  /** The relative names, each with its attributes; None if they are malformed. */
  private def relatives(name: X500Principal): Option[Seq[Seq[Attribute]]] =
    for (
      whole <- Der.of(name.getEncoded);
      all   <- whole.elements;
      each = all.flatMap(relative);
      if each.size == all.size
    ) yield each

  private def relative(set: Der): Option[Seq[Attribute]] = set.elements.map(_.flatMap(_.elements).collect {
    case Seq(kind, value) if kind.tag == Der.ObjectNumber => new Attribute(dotted(kind.content), value)
  })

  /** @param kind the number of its type, with dots */
  private final class Attribute(val kind: String, value: Der) {

    /** None for a value that is no string. */
    def string: Option[String] = charset(value.tag).map(new String(value.content, _))

    def text: String = {
      val shown =
        Keywords.get(kind).flatMap(_ => string) // OpenSSL does not look into what it has no name for
      s"${Keywords.getOrElse(kind, kind)}=${shown.fold(s"#${Hex.formatHex(value.whole)}")(escaped)}"
    }
  }

  private val Hex = HexFormat.of.withUpperCase

  /** As OpenSSL reads the kinds of strings, by their tags (X.680 section 8.4). */
  private def charset(tag: Int): Option[Charset] = tag match {
    case 12                               => Some(UTF_8)
    case 18 | 19 | 20 | 22 | 23 | 24 | 26 => Some(ISO_8859_1) // also TeletexString
    case 28                               => Some(Charset.forName("UTF-32BE"))
    case 30                               => Some(UTF_16BE)   // BMPString
    case _                                => None
  }

  /** The number of an object, of the content of its element (X.690 section 8.19). */
  private def dotted(content: Array[Byte]): String = {
    val ends    = content.indices.filter(content(_) >= 0).map(_ + 1)
    val numbers = (0 +: ends).zip(ends).map { case (from, until) => number(content, from, until) }
    numbers match {
      case first +: others =>
        val top = first.min(BigInt(80)) / 40
        (top +: (first - top * 40) +: others).mkString(".")
      case _ => ""
    }
  }

  /**
   * The number in these bytes, of seven bits each. In halves: a peer that nobody trusts yet can show some of thousands of
   * bytes, and with one byte after the other each would take milliseconds of a loop.
   */
  private def number(bytes: Array[Byte], from: Int, until: Int): BigInt =
    if (until - from <= 8) (from until until).foldLeft(0L)((n, i) => n << 7 | bytes(i) & 0x7f)
    else {
      val middle = (from + until) / 2
      number(bytes, from, middle) << 7 * (until - middle) | number(bytes, middle, until)
    }

  /** OpenSSL's short names of attributes. */
  private val Keywords = Map(
    "2.5.4.3"                    -> "CN",
    "2.5.4.4"                    -> "SN",
    "2.5.4.5"                    -> "serialNumber",
    "2.5.4.6"                    -> "C",
    "2.5.4.7"                    -> "L",
    "2.5.4.8"                    -> "ST",
    "2.5.4.9"                    -> "street",
    "2.5.4.10"                   -> "O",
    "2.5.4.11"                   -> "OU",
    "2.5.4.12"                   -> "title",
    "2.5.4.13"                   -> "description",
    "2.5.4.15"                   -> "businessCategory",
    "2.5.4.16"                   -> "postalAddress",
    "2.5.4.17"                   -> "postalCode",
    "2.5.4.18"                   -> "postOfficeBox",
    "2.5.4.20"                   -> "telephoneNumber",
    "2.5.4.41"                   -> "name",
    "2.5.4.42"                   -> "GN",
    "2.5.4.43"                   -> "initials",
    "2.5.4.44"                   -> "generationQualifier",
    "2.5.4.45"                   -> "x500UniqueIdentifier",
    "2.5.4.46"                   -> "dnQualifier",
    "2.5.4.51"                   -> "houseIdentifier",
    "2.5.4.65"                   -> "pseudonym",
    "2.5.4.97"                   -> "organizationIdentifier",
    "0.9.2342.19200300.100.1.1"  -> "UID",
    "0.9.2342.19200300.100.1.3"  -> "mail",
    "0.9.2342.19200300.100.1.25" -> "DC",
    "1.2.840.113549.1.9.1"       -> "emailAddress",
    "1.2.840.113549.1.9.2"       -> "unstructuredName",
    "1.2.840.113549.1.9.8"       -> "unstructuredAddress",
    "1.3.6.1.4.1.311.60.2.1.1"   -> "jurisdictionL",
    "1.3.6.1.4.1.311.60.2.1.2"   -> "jurisdictionST",
    "1.3.6.1.4.1.311.60.2.1.3"   -> "jurisdictionC"
  )

  /** A value with the escapes of RFC 2253 section 2.4, and control characters in hexadecimal. */
  private def escaped(value: String): String = {
    val text = new StringBuilder(value.length)
    for (i <- value.indices) {
      val c      = value.charAt(i)
      val isLast = i == value.length - 1
      val isEdge = c == ' ' && (i == 0 || isLast) || c == '#' && i == 0 && !isLast
      if (c < ' ' || c == 0x7f) text.append('\\').append(Hex.toHexDigits(c.toByte))
      else {
        if (isEdge || ",+\"\\<>;".indexOf(c.toInt) >= 0) text.append('\\')
        text.append(c)
      }
    }
    text.toString
  }
}
