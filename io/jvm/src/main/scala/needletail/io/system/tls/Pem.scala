package needletail.io.system.tls

import java.io.{ByteArrayInputStream, IOException}
import java.nio.charset.StandardCharsets.ISO_8859_1
import java.nio.file.Path
import java.security.GeneralSecurityException
import java.security.cert.{CRLException, CertificateException, CertificateFactory, X509CRL, X509Certificate}
import java.util.Base64

import scala.annotation.tailrec

import needletail.io.file.SmallFile
import needletail.io.tls.NotPem

/** Files in PEM (RFC 7468). What cannot be read is an IOException of one line that names the file. */
private[io] object Pem {

  /**
   * A part between `-----BEGIN label-----` and `-----END label-----`.
   *
   * @param isTraditional whether it is encrypted by OpenSSL's own format, with `Proc-Type: 4,ENCRYPTED`
   */
  final class Block(val label: String, val bytes: Array[Byte], val isTraditional: Boolean)

  /** The certificates in a file, at least one. */
  def certificates(file: Path): Vector[X509Certificate] = {
    val found = blocks(file, NotPem.Use.Certificates).filter(b =>
      b.label == "CERTIFICATE" || b.label == "X509 CERTIFICATE"
    )
    if (found.isEmpty)
      throw new IOException(s"$file has no X.509 certificates in PEM (-----BEGIN CERTIFICATE-----)")
    found.map { block =>
      try factory.generateCertificate(new ByteArrayInputStream(block.bytes)).asInstanceOf[X509Certificate]
      catch {
        case e: CertificateException =>
          throw new IOException(s"$file is damaged: invalid certificate (${line(e)})", e)
      }
    }
  }

  /** The lists of revoked certificates in a file, at least one. */
  def revocations(file: Path): Vector[X509CRL] = {
    val found = blocks(file, NotPem.Use.Lists, SmallFile.MostOfLists).filter(_.label == "X509 CRL")
    if (found.isEmpty)
      throw new IOException(s"$file has no certificate revocation list in PEM (-----BEGIN X509 CRL-----)")
    found.map { block =>
      try factory.generateCRL(new ByteArrayInputStream(block.bytes)).asInstanceOf[X509CRL]
      catch {
        case e: CRLException =>
          throw new IOException(s"$file is damaged: invalid certificate revocation list (${line(e)})", e)
      }
    }
  }

  /** All parts of a file that is used so, in order. */
  def blocks(file: Path, use: NotPem.Use, most: Long = SmallFile.Most): Vector[Block] = {
    val bytes = SmallFile.read(file, most)
    val text  = new String(bytes, ISO_8859_1)
    if (text.trim.isEmpty) throw new IOException(s"$file is empty")
    NotPem.error(file, bytes, use).foreach(e => throw e)
    val found = Vector.newBuilder[Block]

    @tailrec
    def go(from: Int): Unit = {
      val begin = text.indexOf(Begin, from)
      if (begin >= 0) {
        val close = text.indexOf(Dashes, begin + Begin.length)
        // never more of the file than a line: it may be a key
        if (close < 0 || text.substring(begin, close).exists(_ < ' '))
          throw new IOException(s"$file is damaged: a line with $Begin is not complete")
        val label = text.substring(begin + Begin.length, close)
        val start = close + Dashes.length
        val mark  = s"-----END $label-----"
        val end   = text.indexOf(mark, start)
        if (end < 0) throw new IOException(s"$file is damaged: $mark is missing")
        found += block(file, label, text.substring(start, end))
        go(end + mark.length)
      }
    }
    go(0)
    found.result()
  }

  private def block(file: Path, label: String, body: String): Block = {
    // Fields such as Proc-Type come first; none of their lines is base64 alone.
    val (fields, data) = body.linesIterator.partition(_.contains(":"))
    val isTraditional  = fields.exists(_.contains("ENCRYPTED"))
    val text           = data.map(_.trim).mkString
    try new Block(label, Base64.getDecoder.decode(if (isTraditional) "" else text), isTraditional)
    catch {
      case e: IllegalArgumentException =>
        throw new IOException(s"$file is damaged: the $label is not base64 (${e.getMessage})", e)
    }
  }

  /** The first line of an exception's message. */
  private[tls] def line(e: GeneralSecurityException): String =
    Option(e.getMessage).flatMap(_.linesIterator.nextOption()).getOrElse(e.toString)

  private def factory = CertificateFactory.getInstance("X.509")

  private final val Begin  = "-----BEGIN "
  private final val Dashes = "-----"
}
