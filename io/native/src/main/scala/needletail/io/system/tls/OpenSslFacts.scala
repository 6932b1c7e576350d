package needletail.io.system.tls

import scala.scalanative.unsafe.*

import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}

import needletail.io.dns.AddressText
import needletail.io.tls.{CertificateInfo, CertificateText, RevocationLists, TlsSession}

/** What certificates and sessions say; see needletail_tls_facts.c. */
private[tls] object OpenSslFacts {

  /** The first certificate of a file, and the kind of its key; None if it cannot be read. */
  def certificate(file: PemFile): Option[(CertificateInfo, String)] = {
    val fields = read(OpenSslFunctions.certificateFacts(file.bytes.at(0), file.bytes.length, _))
    if (fields.length <= Size) None else Some((info(fields, 0), kindOfKey(fields(Size))))
  }

  /** By the beginning of a SubjectPublicKeyInfo in DER (RFC 5280 section 4.1.2.7), as Java names it. */
  private def kindOfKey(der: Array[Byte]): String = {
    val begin = hex(der.take(24))
    KindsOfKeys.collectFirst { case (number, kind) if begin.contains(number) => kind }.getOrElse(
      "unknown key"
    )
  }

  private val KindsOfKeys = Seq(
    "06092a864886f70d010101" -> "RSA",
    "06092a864886f70d01010a" -> "RSA-PSS",
    "06072a8648ce3d0201"     -> "EC",
    "06032b6570"             -> "Ed25519",
    "06032b6571"             -> "Ed448"
  )

  /** The issuers whose lists are needed by what these certificates have issued, and whether there is one that counts. */
  def needed(trusted: PemFile, lists: PemFile): Seq[(String, Boolean)] = {
    val (own, all) = (trusted.bytes, lists.bytes)
    val fields     = read(OpenSslFunctions.neededLists(own.at(0), own.length, all.at(0), all.length, _))
    fields.toSeq.grouped(2).collect { case Seq(name, is) => (new String(name, UTF_8), is.nonEmpty) }.toSeq
  }

  /** A file's lists of revoked certificates that count at some time. */
  def lists(file: PemFile, trusted: Option[PemFile]): Seq[RevocationLists.Dated] = {
    val own    = trusted.fold(Array.emptyByteArray)(_.bytes)
    val from   = if (own.isEmpty) null else own.at(0)
    val fields =
      read(OpenSslFunctions.listFacts(file.bytes.at(0), file.bytes.length, from, own.length, _)).toSeq
    val known = fields.grouped(ListSize).filter(_(4).nonEmpty).map { list =>
      val issuer = new String(list.head, UTF_8)
      val scope  =
        list(2) // if it is there, onlyContainsUserCerts or onlyContainsCACerts: see needletail_tls_lists.c
      def isOf(tag: Int) = scope.length < 3 || (scope(2) & 0xff) == tag
      val kind           = RevocationLists.Kind(
        comparable(issuer),
        signer = list(5).toSeq,
        key = RevocationLists.keyIdentifier(list(1)),
        ofUsers = isOf(0x81),
        ofAuthorities = isOf(0x82)
      )
      RevocationLists.Dated(kind, millis(list(3)), millis(list(4)), issuer)
    }
    known.toSeq
  }

  /** Roughly as names are compared (RFC 5280 section 7.1). */
  private def comparable(name: String): String =
    name.toLowerCase.split("[\\\\ ]+").filter(_.nonEmpty).mkString(" ")

  /** @param isServer whether the name is the one that the client requested; otherwise it is `name` */
  def session(connection: Ptr[Byte], isServer: Boolean, name: String, nanos: Long): TlsSession = {
    val fields     = read(OpenSslFunctions.sessionFacts(connection, _))
    def at(i: Int) = if (i < fields.length) new String(fields(i), UTF_8) else ""
    TlsSession(
      version = at(0),
      cipher = at(1),
      protocol = at(2),
      serverName = if (isServer) at(3).toLowerCase else name,
      peer = if (fields.length < 5 + Size) None else Some(info(fields, 5)),
      isResumed = at(4).nonEmpty,
      nanos = nanos
    )
  }

  /** What `length` bytes say of a certificate. */
  def certificate(facts: Ptr[Byte], length: Int): CertificateInfo = info(split(facts, length), 0)

  /** The peer that the calling thread has just refused. To be asked for once. */
  def refused(): Option[Refused] = {
    val fields      = read(OpenSslFunctions.refusedFacts(_))
    def at(i: Int)  = new String(fields(Size + i), UTF_8)
    def day(i: Int) = dateOf(fields(Size + i)).take(8).patch(6, "-", 0).patch(4, "-", 0)
    if (fields.length < Size + 5) None
    else Some(new Refused(info(fields, 0), at(0), at(1), at(2), day(3), day(4)))
  }

  /**
   * @param certificate the peer's
   * @param issuer      of the one in its chain that is wrong
   * @param owner       whose the wrong one is; empty if it is the peer's
   * @param weakness    why the wrong one is too weak; empty if it is not
   * @param from        from which day on the wrong one is valid
   * @param until       until which
   */
  final class Refused(
      val certificate: CertificateInfo,
      val issuer: String,
      owner: String,
      weakness: String,
      from: String,
      until: String
  ) {

    /** Whose the wrong one is if it is not the peer's. */
    def authority: Option[String] = if (owner.isEmpty) None else Some(owner)

    def weak: String = {
      val why = if (weakness.isEmpty) "the system's policy demands a stronger key or signature" else weakness
      if (owner.isEmpty) why
      else s"that of its authority ${CertificateText.foreign(owner)}, by its $why"
    }

    /** What is wrong if it has expired, or is not valid yet. */
    def outOfDate(isOver: Boolean): String =
      if (owner.nonEmpty)
        s"is not trusted: ${CertificateText.outOfDate(owner, isOver, if (isOver) until else from)}"
      else if (isOver) "has expired"
      else "is not valid yet"
  }

  /** All certificates of a file, each with its SubjectPublicKeyInfo. */
  def certificates(file: PemFile): Seq[(CertificateInfo, Seq[Byte])] =
    for ((from, count) <- file.blocks) yield {
      val fields = read(OpenSslFunctions.certificateFacts(file.bytes.at(from), count, _))
      if (fields.length <= Size) throw file.damaged("certificate")
      (info(fields, 0), fields(Size).toSeq)
    }

  private def read(f: Ptr[CInt] => Ptr[Byte]): Array[Array[Byte]] = {
    val length = stackalloc[CInt]()
    val facts  = f(length)
    if (facts eq null) Array.empty
    else
      try split(facts, !length)
      finally OpenSslFunctions.freeFacts(facts)
  }

  private def split(facts: Ptr[Byte], length: Int): Array[Array[Byte]] = {
    val all = Array.newBuilder[Array[Byte]]
    var at  = 0
    while (at + 4 <= length) {
      var n = 0
      for (i <- 0 until 4) n = n << 8 | facts(at + i) & 0xff
      at += 4
      val field = new Array[Byte](n)
      for (i <- 0 until n) field(i) = facts(at + i)
      all += field
      at += n
    }
    all.result()
  }

  /** The fields of one certificate, and of one list. */
  private final val Size     = 8
  private final val ListSize = 6

  private def info(fields: Array[Array[Byte]], from: Int): CertificateInfo = CertificateInfo(
    subject = new String(fields(from), UTF_8),
    names = alternatives(fields(from + 6)),
    issuer = new String(fields(from + 1), UTF_8),
    serial = new String(fields(from + 7), UTF_8) + serial(fields(from + 2)),
    notBefore = millis(fields(from + 3)),
    notAfter = millis(fields(from + 4)),
    sha256 = hex(fields(from + 5))
  )

  private def hex(bytes: Array[Byte]): String = bytes.map(b => f"${b & 0xff}%02x").mkString

  private def serial(bytes: Array[Byte]): String = {
    val digits = bytes.dropWhile(_ == 0)
    if (digits.isEmpty) "00" else hex(digits).toUpperCase
  }

  /** The digits of UTCTime or GeneralizedTime, with four of the year; empty if it is damaged. */
  private def dateOf(text: Array[Byte]): String = {
    val digits = new String(text, ISO_8859_1).takeWhile(c => c >= '0' && c <= '9')
    if (digits.length == 14) digits
    else if (digits.length == 12) (if (digits.take(2).toInt < 50) "20" else "19") + digits
    else ""
  }

  /** UTCTime or GeneralizedTime, which certificates have to the second and in UTC (RFC 5280 section 4.1.2.5). */
  private def millis(text: Array[Byte]): Long = {
    val full = dateOf(text)
    if (full.isEmpty) 0
    else {
      def number(from: Int, count: Int) = full.substring(from, from + count).toInt
      val seconds                       = number(8, 2) * 3600 + number(10, 2) * 60 + number(12, 2)
      (days(number(0, 4), number(4, 2), number(6, 2)) * 86400 + seconds) * 1000
    }
  }

  /** Days from 1970 to a date, which may be before. */
  private def days(year: Int, month: Int, day: Int): Long = {
    val y       = year.toLong - (if (month <= 2) 1 else 0) // years begin in March, so that leap days are last
    val inMarch = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    365 * y + Math.floorDiv(y, 4L) - Math.floorDiv(y, 100L) + Math.floorDiv(y, 400L) + inMarch - 719468
  }

  /** Subject alternative names in DER (RFC 5280 section 4.2.1.6). */
  private def alternatives(der: Array[Byte]): Seq[String] = {
    val names = Seq.newBuilder[String]
    var at    = 0

    /** The length at `at`, which is moved behind it; -1 if it is damaged. */
    def length(): Int =
      if (at >= der.length) -1
      else {
        var n     = der(at) & 0xff
        var bytes = if (n < 0x80) 0 else n & 0x7f
        at += 1
        if (bytes > 0) n = 0
        if (bytes > 3 || at + bytes > der.length) -1
        else {
          while (bytes > 0) {
            n = n << 8 | der(at) & 0xff
            at += 1
            bytes -= 1
          }
          if (n > der.length - at) -1 else n
        }
      }
    at = 1
    var isSound = der.length > 2 && length() >= 0
    while (isSound && at < der.length) {
      val tag = der(at) & 0xff
      at += 1
      val n = length()
      isSound = n >= 0
      if (isSound) {
        def text = new String(der, at, n, ISO_8859_1)
        tag match {
          case 0x81                        => names += s"email:$text"
          case 0x82                        => names += s"DNS:$text"
          case 0x86                        => names += s"URI:$text"
          case 0x87 if (n == 4 || n == 16) =>
            names += s"IP:${AddressText.host(java.util.Arrays.copyOfRange(der, at, at + n))}"
          case _ => ()
        }
        at += n
      }
    }
    names.result()
  }

  /** The CN of a name in the form of RFC 2253, in lower case; the most specific if there are several. */
  def commonName(subject: String): Option[String] = {
    val mark   = "CN="
    val length = subject.length
    var at     = 0 // where an attribute begins
    while (at < length && !subject.startsWith(mark, at)) {
      while (at < length && subject.charAt(at) != ',' && subject.charAt(at) != '+')
        at += (if (subject.charAt(at) == '\\') 2 else 1)
      at += 1
    }
    if (at >= length) None
    else {
      val from  = at + mark.length
      val until = subject.indexWhere(c => c == ',' || c == '+' || c == '\\', from)
      Some(subject.substring(from, if (until < 0) length else until).toLowerCase)
    }
  }
}
