package needletail.io.tls

import java.io.IOException
import java.nio.charset.StandardCharsets.ISO_8859_1
import java.nio.file.Path
import java.util.Base64

/** When lists of revoked certificates (CRLs) expire. It reads no more of them; who verifies a list reads all of it. */
private[io] object RevocationLists {

  /** When the first of some lists in PEM expires, in milliseconds since 1970; None if that is not said. */
  def expiry(pem: Array[Byte]): Option[Long] = {
    val text = new String(pem, ISO_8859_1)
    Block.findAllMatchIn(text).flatMap { found =>
      try nextUpdate(Base64.getMimeDecoder.decode(found.group(1)))
      catch { case _: IndexOutOfBoundsException | _: IllegalArgumentException => None } // it is damaged
    }.minOption
  }

  /** For a file with a list that does not say when it expires: it would be good for ever. */
  def endless(file: Path): IOException = new IOException(
    s"$file has a certificate revocation list without nextUpdate (RFC 5280 section 5.1.2.5)"
  )

  private val Block = "(?s)-----BEGIN X509 CRL-----(.*?)-----END X509 CRL-----".r

  /** RFC 5280 section 5.1: nextUpdate follows version, signature, issuer and thisUpdate; all but two are optional. */
  private def nextUpdate(der: Array[Byte]): Option[Long] = {
    var at = content(der, content(der, 0)) // of the list, and of what is signed in it
    if (der(at) == Integer) at = end(der, at)
    at = end(der, end(der, end(der, at)))
    if (der(at) == UtcTime || der(at) == GeneralizedTime) Some(time(der, at)) else None
  }

  /** Where the content of the element at `at` begins (X.690 section 8.1). */
  private def content(der: Array[Byte], at: Int): Int = {
    val length = der(at + 1)
    at + 2 + (if (length >= 0) 0 else length & 0x7f)
  }

  private def end(der: Array[Byte], at: Int): Int = {
    val from  = content(der, at)
    val first = der(at + 1).toInt
    if (first >= 0) from + first
    else from + (at + 2 until from).foldLeft(0)((n, i) => n << 8 | (der(i) & 0xff))
  }

  /** `YYMMDDhhmmssZ`, of 1950 to 2049, or `YYYYMMDDhhmmssZ` (RFC 5280 section 4.1.2.5). */
  private def time(der: Array[Byte], at: Int): Long = {
    val digits = new String(der, content(der, at), end(der, at) - content(der, at) - 1, ISO_8859_1)
    val years  = digits.length - 10
    def two(from: Int): Int = digits.substring(from, from + 2).toInt
    val written             = digits.substring(0, years).toInt
    val year = if (years > 2) written else if (written >= 50) 1900 + written else 2000 + written
    val days = daysSince1970(year, two(years), two(years + 2))
    (((days * 24 + two(years + 4)) * 60 + two(years + 6)) * 60 + two(years + 8)) * 1000
  }

  /** In the Gregorian calendar. The year begins in March, so that the leap day is its last. */
  private def daysSince1970(year: Int, month: Int, day: Int): Long = {
    val y = if (month > 2) year else year - 1
    365L * y + y / 4 - y / 100 + y / 400 + (153 * ((month + 9) % 12) + 2) / 5 + day - 1 - 719468
  }

  private final val Integer: Byte         = 0x02
  private final val UtcTime: Byte         = 0x17
  private final val GeneralizedTime: Byte = 0x18
}
