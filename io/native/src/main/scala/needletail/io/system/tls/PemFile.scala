package needletail.io.system.tls

import java.io.IOException
import java.nio.charset.StandardCharsets.ISO_8859_1
import java.nio.file.Path
import java.util.Base64

import scala.collection.mutable

import needletail.io.file.SmallFile
import needletail.io.tls.{CertificateInfo, KeyFaults, ListExpiry, NotPem, RevocationLists, TlsCertificate}

/** The content of a PEM file (RFC 7468). */
private[tls] final class PemFile private (val file: Path, val bytes: Array[Byte]) {
  def damaged(what: String): IOException = new IOException(s"$file is damaged: invalid $what")

  /** Where its certificates begin, and how many bytes they have. */
  def blocks: Seq[(Int, Int)] = {
    val text = new String(bytes, ISO_8859_1)
    Iterator.iterate(text.indexOf(PemFile.Begin))(at => text.indexOf(PemFile.Begin, at + 1)).takeWhile(_ >= 0)
      .filter(at => PemFile.Certificates.contains(PemFile.labelAt(text, at + PemFile.Begin.length)))
      .map { at =>
        val end = text.indexOf("-----END ", at)
        (
          at,
          text.indexOf('\n', end) match {
            case -1   => text.length - at
            case line => line + 1 - at
          }
        )
      }.toSeq
  }

  /** The content of its certificates, in DER. */
  def encoded: Seq[Array[Byte]] = {
    val text = new String(bytes, ISO_8859_1)
    for ((from, _) <- blocks) yield {
      val begin = text.indexOf('\n', from) + 1
      try Base64.getMimeDecoder.decode(text.substring(begin, text.indexOf("-----END ", begin)))
      catch { case _: IllegalArgumentException => throw damaged("certificate") }
    }
  }

  def contains(label: String): Boolean = new String(bytes, ISO_8859_1).contains(label)

  /** How many certificates it has. */
  def certificates: Int = new String(bytes, ISO_8859_1).split(" CERTIFICATE-----").length / 2
}

private[tls] object PemFile {

  /** The labels that OpenSSL reads an X.509 certificate of. */
  private val Certificates = Set("CERTIFICATE", "X509 CERTIFICATE")

  def certificates(file: Path): PemFile =
    read(file, NotPem.Use.Certificates, "X.509 certificates", " CERTIFICATE-----")

  /** Not in OpenSSL's old format, which the library would read. */
  def key(file: Path): PemFile = {
    val found = read(file, NotPem.Use.Key, "private key", " PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----")
    if (found.contains("Proc-Type: 4,ENCRYPTED")) throw KeyFaults.oldFormat(file)
    found
  }

  def revoked(file: Path): PemFile =
    read(
      file,
      NotPem.Use.Lists,
      "certificate revocation list",
      " X509 CRL-----",
      most = SmallFile.MostOfLists
    )

  /** Throws an IOException with the reason if there is no file, no block with that label, or the block is incomplete. */
  private def read(
      file: Path,
      use: NotPem.Use,
      what: String,
      label: String,
      example: String = "",
      most: Long = SmallFile.Most
  ): PemFile = {
    val bytes = SmallFile.read(file, most)
    val text  = new String(bytes, ISO_8859_1)
    if (text.trim.isEmpty) throw new IOException(s"$file is empty")
    NotPem.error(file, bytes, use).foreach(e => throw e)
    checkEnds(file, text)
    if (beginOf(text, label) < 0)
      throw new IOException(
        s"$file has no $what in PEM (${if (example.isEmpty) "-----BEGIN" + label else example})"
      )
    new PemFile(file, bytes)
  }

  /** Throws an IOException if a block, the last one for instance, has no end. */
  private def checkEnds(file: Path, text: String): Unit = {
    var at = text.indexOf(Begin)
    while (at >= 0) {
      val label = labelAt(text, at + Begin.length)
      if (label.isEmpty) throw new IOException(s"$file is damaged: a line with $Begin is not complete")
      val mark = s"-----END $label-----"
      val end  = text.indexOf(mark, at)
      if (end < 0) throw new IOException(s"$file is damaged: $mark is missing")
      at = text.indexOf(Begin, end)
    }
  }

  /** Where the text after `-----BEGIN ` of a block begins whose label ends with `label`; -1 if there is none. */
  private def beginOf(text: String, label: String): Int = {
    var at = text.indexOf(Begin)
    while (at >= 0 && !(" " + labelAt(text, at + Begin.length) + "-----").endsWith(label))
      at = text.indexOf(Begin, at + 1)
    if (at < 0) -1 else at + Begin.length
  }

  /** Empty if there is none in the line: never more of the file, which may be a key. */
  private def labelAt(text: String, from: Int): String = {
    val until = text.indexOf("-----", from)
    val label = if (until < 0) "" else text.substring(from, until)
    if (label.exists(_ < ' ')) "" else label
  }

  private final val Begin = "-----BEGIN "
}

/**
 * Lists of revoked certificates, as read.
 *
 * @param trusted certificates, which may have signed them
 */
private[tls] final class RevokedFile(path: Path, trusted: Option[PemFile]) {
  val file: PemFile = PemFile.revoked(path)

  private val lists = {
    OpenSsl.load()
    OpenSslFacts.lists(file, trusted)
  }
  private val read = System.currentTimeMillis

  /** When those that count expire. */
  val expiries: Seq[ListExpiry] = RevocationLists.expiries(lists, path, read)

  /** When others than now count. */
  val change: Option[Long] = RevocationLists.change(lists, read)
}

/** A certificate and its key, as read. Throws an IOException that names the file and the error. */
private[tls] final class OwnCertificate(files: TlsCertificate) {
  val chain: PemFile           = PemFile.certificates(files.chain)
  val key: PemFile             = PemFile.key(files.key)
  val password: Option[String] = files.password

  def isEncrypted: Boolean = key.contains("ENCRYPTED")

  val (info: CertificateInfo, kindOfKey: String) = {
    OpenSsl.load()
    OpenSslFacts.certificate(chain).getOrElse(throw chain.damaged("certificate"))
  }

  /** The kind of the key matters where there are several for one name. */
  val hosts: Set[String] = {
    val names = info.names.collect { case s"DNS:$name" => name.toLowerCase }
    (if (names.nonEmpty) names else OpenSslFacts.commonName(info.subject).toSeq).toSet
  }
}

private[tls] object OwnCertificate {

  /** For which names each set of certificates is used, in the order of the first one's. */
  def byNames(all: Seq[OwnCertificate]): Seq[(Seq[OwnCertificate], Seq[String])] = {
    val its = mutable.LinkedHashMap.empty[String, Vector[OwnCertificate]]
    for (one <- all; name <- one.hosts) its(name) = its.getOrElse(name, Vector.empty) :+ one
    val names = mutable.LinkedHashMap.empty[Vector[OwnCertificate], Vector[String]]
    for ((name, some) <- its) names(some) = names.getOrElse(some, Vector.empty) :+ name
    names.toSeq
  }
}
