package needletail.io.system.tls

import javax.naming.NamingException
import javax.naming.ldap.LdapName
import javax.security.auth.x500.X500Principal

import scala.jdk.CollectionConverters.*

/** Distinguished names as text (RFC 2253), in the same form as OpenSSL's, so that a check reads both. */
private[tls] object DistinguishedNames {

  def text(name: X500Principal): String = plain(name.getName(X500Principal.RFC2253, Keywords.asJava))

  /** The values of the attributes of one kind, by its name in `text`; Nil if the JDK cannot read the name. */
  def values(name: X500Principal, attribute: String): Seq[String] =
    try
      for (
        relative <- new LdapName(name.getName(X500Principal.RFC2253, Keywords.asJava)).getRdns.asScala.toSeq;
        all      <- Option(relative.toAttributes.get(attribute)).toSeq;
        value    <- all.getAll.asScala.collect { case text: String => text }
      ) yield value
    catch { case _: NamingException => Nil }

  /** Names of attributes that RFC 2253 does not list, without which the JDK writes their values in hexadecimal. */
  private val Keywords = Map(
    "2.5.4.4"                   -> "SN",
    "2.5.4.5"                   -> "serialNumber",
    "2.5.4.9"                   -> "street",
    "2.5.4.12"                  -> "title",
    "2.5.4.13"                  -> "description",
    "2.5.4.15"                  -> "businessCategory",
    "2.5.4.16"                  -> "postalAddress",
    "2.5.4.17"                  -> "postalCode",
    "2.5.4.18"                  -> "postOfficeBox",
    "2.5.4.20"                  -> "telephoneNumber",
    "2.5.4.41"                  -> "name",
    "2.5.4.42"                  -> "GN",
    "2.5.4.43"                  -> "initials",
    "2.5.4.44"                  -> "generationQualifier",
    "2.5.4.45"                  -> "x500UniqueIdentifier",
    "2.5.4.46"                  -> "dnQualifier",
    "2.5.4.51"                  -> "houseIdentifier",
    "2.5.4.65"                  -> "pseudonym",
    "2.5.4.97"                  -> "organizationIdentifier",
    "0.9.2342.19200300.100.1.3" -> "mail",
    "1.2.840.113549.1.9.1"      -> "emailAddress",
    "1.2.840.113549.1.9.2"      -> "unstructuredName",
    "1.2.840.113549.1.9.8"      -> "unstructuredAddress",
    "1.3.6.1.4.1.311.60.2.1.1"  -> "jurisdictionL",
    "1.3.6.1.4.1.311.60.2.1.2"  -> "jurisdictionST",
    "1.3.6.1.4.1.311.60.2.1.3"  -> "jurisdictionC"
  )

  /**
   * With the attributes of each relative name in the opposite order, with hexadecimal digits in upper case, and without
   * the escapes that RFC 2253 does not require: of `=`, and of `#` except at the beginning of a value.
   */
  private def plain(name: String): String = {
    val text      = new java.lang.StringBuilder(name.length) // what is complete
    val attribute = new java.lang.StringBuilder
    var before = "" // the attributes that its relative name has before it
    var begin  = -1 // of its value; -1 if that has not begun
    var isHex  = false
    var at     = 0
    while (at < name.length) {
      val c = name.charAt(at)
      if (c == '\\' && at + 1 < name.length) {
        at += 1
        val escaped = name.charAt(at)
        if (escaped != '=' && (escaped != '#' || attribute.length == begin)) attribute.append(c)
        attribute.append(escaped)
      } else if (c == ',' || c == '+') {
        if (c == '+') before = s"+$attribute$before"
        else {
          text.append(attribute).append(before).append(c)
          before = ""
        }
        attribute.setLength(0)
        begin = -1
        isHex = false
      } else {
        if (c == '#' && attribute.length == begin) isHex = true
        attribute.append(if (isHex) Character.toUpperCase(c) else c)
        if (c == '=' && begin < 0) begin = attribute.length
      }
      at += 1
    }
    text.append(attribute).append(before).toString
  }
}
