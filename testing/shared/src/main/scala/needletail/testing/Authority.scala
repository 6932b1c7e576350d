package needletail.testing

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}

/**
 * A private authority that issues certificates, by the program `openssl`; [[TemporaryDirectories]] makes one.
 *
 * @param folder for its files, which is empty
 * @param name of its certificate's subject
 * @param by   who has issued its certificate; None: itself
 * @param uses what its key may be used for; empty: that is not said
 * @param algorithm of its key, as for `issue`
 * @param basic of its basicConstraints; empty: it has none
 * @param more  another extension of its certificate, such as `extendedKeyUsage = clientAuth`
 */
final class Authority(
    folder: Path,
    name: String,
    by: Option[Authority] = None,
    uses: String = "keyCertSign, cRLSign",
    algorithm: String = "ec",
    basic: String = "CA:TRUE",
    more: String = ""
) {
  private val config = file("ca.cnf")
  private val key    = file("ca.key")
  private var issued = 0

  /** Its own certificate, in PEM. */
  val file: Path = file("ca.pem")

  /** Its list of revoked certificates, in PEM; complete after `revoke`. */
  val revoked: Path = file("ca.crl")

  write(file("index.txt"), "")
  write(file("index.txt.attr"), "unique_subject = no\n")
  write(
    config,
    s"""[ca]
       |default_ca = here
       |[here]
       |database = $folder/index.txt
       |new_certs_dir = $folder
       |certificate = $file
       |private_key = $key
       |default_md = sha256
       |default_crl_days = 2
       |rand_serial = yes
       |policy = any
       |[any]
       |commonName = supplied
       |organizationName = optional
       |serialNumber = optional
       |emailAddress = optional
       |[req]
       |distinguished_name = dn
       |[dn]
       |[v3_ca]
       |${if (basic.isEmpty) "" else s"basicConstraints = critical, $basic"}
       |${if (uses.isEmpty) "" else s"keyUsage = critical, $uses"}
       |subjectKeyIdentifier = hash
       |$more
       |""".stripMargin
  )
  by match {
    case None         => request(s"-x509 -extensions v3_ca -days 2 -out $file")
    case Some(issuer) =>
      request(s"-out ${file("ca.csr")}")
      openssl(
        s"x509 -req -in ${file("ca.csr")} -CA ${issuer.file} -CAkey ${issuer.key} -CAcreateserial -days 2 " +
          s"-extfile $config -extensions v3_ca -out $file"
      )
  }

  private def request(more: String): Unit = ask(s"-newkey ${kindOf(algorithm)} -nodes -keyout $key $more")

  private def ask(more: String): Unit = openssl(s"req -new -config $config $more -subj", s"/CN=$name")

  /** Replaces its certificate by another of the same key, which is valid from and until these, as 20261231235959Z. */
  def renew(from: String, until: String): Unit = {
    ask(s"-key $key -out ${file("ca.csr")}")
    val signer = by.fold(s"-selfsign -keyfile $key -config $config")(issuer => s"-config ${issuer.config}")
    openssl(
      s"ca -batch -notext -preserveDN $signer -in ${file("ca.csr")} -out $file -startdate $from -enddate $until " +
        s"-extfile $config -extensions v3_ca"
    )
  }

  /** Another certificate of its name and key, issued by that authority. */
  def issuedBy(issuer: Authority): Path = {
    val made = file(s"by-${issuer.file.getParent.getFileName}.pem")
    ask(s"-key $key -out ${file("ca.csr")}")
    openssl(
      s"x509 -req -in ${file("ca.csr")} -CA ${issuer.file} -CAkey ${issuer.key} -CAcreateserial -days 2 " +
        s"-extfile $config -extensions v3_ca -out $made"
    )
    made
  }

  /** Replaces its certificate by one of version 1, which has no extensions, and is signed by itself. */
  def renewWithoutExtensions(): Unit = {
    ask(s"-key $key -out ${file("ca.csr")}")
    openssl(s"x509 -req -in ${file("ca.csr")} -signkey $key -days 2 -out $file")
  }

  private def kindOf(algorithm: String): String = algorithm match {
    case "rsa" => "rsa:2048"
    case "ec"  => "ec -pkeyopt ec_paramgen_curve:prime256v1"
    case other => other
  }

  /** A certificate with its key. */
  final class Issued(val chain: Path, val key: Path)

  /** Its own certificate, and its key. */
  def itself: Issued = new Issued(file, key)

  /**
   * @param names     subject alternative names: `DNS:localhost,IP:127.0.0.1`; without any if it is empty
   * @param algorithm `ec`, `rsa` or `ed25519`
   * @param subject   its common name
   * @param until     until when it is valid, as 20261231235959Z, instead of for some days
   * @param further   other attributes of its subject, such as `emailAddress`; with `+` before it, in one relative name
   *                  with the one before
   * @param isExpired whether it is not valid any more
   * @param days      how long it is valid
   * @param more      another extension, such as `crlDistributionPoints = URI:http://...`
   * @param signed    how it is signed, as options of `openssl ca`
   * @param known     the file of its key; without one a new key is made
   * @param strings   the kinds of strings of its subject, as `string_mask` of `openssl req`; UTF-8 if it is empty
   */
  def issue(
      names: String,
      algorithm: String = "ec",
      subject: String = "needletail",
      isExpired: Boolean = false,
      days: Int = 2,
      until: String = "",
      further: Seq[(String, String)] = Nil,
      more: String = "",
      signed: String = "",
      known: Option[Path] = None,
      strings: String = ""
  ): Issued = {
    issued += 1
    val (chain, secret)  = (file(s"$issued.pem"), known.getOrElse(file(s"$issued.key")))
    val (request, extra) = (file(s"$issued.csr"), file(s"$issued.ext"))
    val alternatives     = if (names.isEmpty) "" else s"subjectAltName = $names\n"
    write(extra, s"${alternatives}basicConstraints = CA:FALSE\n$more\n")
    val asked =
      file(s"$issued.cnf") // arguments of programs are in ASCII on some machines, and this is in UTF-8
    val named = (("CN" -> subject) +: further).map { case (name, value) =>
      s"$name = ${value.flatMap(c => if ("\\#$\"".indexOf(c.toInt) >= 0) s"\\$c" else s"$c")}\n"
    }
    val mask = if (strings.isEmpty) "" else s"string_mask = $strings\n"
    write(asked, s"[req]\nprompt = no\nutf8 = yes\n${mask}distinguished_name = dn\n[dn]\n${named.mkString}")
    val own = if (known.isEmpty) s"-newkey ${kindOf(algorithm)} -nodes -keyout $secret" else s"-key $secret"
    openssl(s"req -new -config $asked $own -out $request")
    val dates =
      if (isExpired) "-startdate 20200101000000Z -enddate 20200102000000Z"
      else if (until.nonEmpty) s"-enddate $until"
      else s"-days $days"
    val how = s"-batch -notext -preserveDN -config $config -extfile $extra $signed"
    openssl(s"ca $how -in $request -out $chain $dates")
    new Issued(chain, secret)
  }

  /** Makes certificates invalid by `revoked`; without any, that list is empty. */
  def revoke(certificates: Authority#Issued*): Unit = {
    certificates.foreach(c => openssl(s"ca -config $config -revoke ${c.chain}"))
    openssl(s"ca -config $config -gencrl -out $revoked")
  }

  /** Replaces the list of revoked certificates by one that has expired, or does at another time, as 20261231235959Z. */
  def expireList(at: String = "20200102000000Z", from: String = "20200101000000Z"): Unit =
    openssl(s"ca -config $config -gencrl -crl_lastupdate $from -crl_nextupdate $at -out $revoked")

  /** Replaces it by one in which the authority's name is spelled so. */
  def spellList(name: String): Unit = {
    val spelled = file("spelled.pem")
    openssl(s"req -new -x509 -key $key -subj /CN=$name -days 2 -out $spelled")
    openssl(s"ca -config $config -gencrl -cert $spelled -keyfile $key -out $revoked")
  }

  /**
   * Replaces it by one that does not say when it ends, against RFC 5280 section 5.1.2.5.
   *
   * @param extension as for `listWith`
   */
  def endlessList(extension: String = ""): Unit = {
    if (extension.isEmpty) revoke() else listWith(extension)
    changeList(fields => fields.patch(if (hasVersion(fields)) 4 else 3, Nil, 1))
  }

  /** Adds an extension, in DER, to each entry of its list; they must have none. */
  def extendEntries(extension: Seq[Byte]): Unit = {
    revoke()
    changeList { fields =>
      val version = if (hasVersion(fields)) Nil else Seq(Der.element(0x02, Seq(1.toByte))) // the second
      val at      = if (hasVersion(fields)) 5 else 4
      val entries = Der.elements(Der.content(fields(at))).map { entry =>
        Der.element(0x30, Der.content(entry) ++ Der.element(0x30, extension))
      }
      version ++ fields.updated(at, Der.element(0x30, entries.flatten))
    }
  }

  private def hasVersion(fields: Seq[Seq[Byte]]): Boolean = fields.head.head == 2 // it is optional

  /** Changes the fields of its list that are signed (RFC 5280 section 5.1.2), each in DER. */
  private def changeList(change: Seq[Seq[Byte]] => Seq[Seq[Byte]]): Unit = {
    val (der, signed, signature) = (file("list.der"), file("list.signed"), file("list.signature"))
    openssl(s"crl -in $revoked -outform der -out $der")
    val parts   = Der.elements(Der.content(Files.readAllBytes(der).toSeq)) // what is signed, and how
    val changed = Der.element(0x30, change(Der.elements(Der.content(parts.head))).flatten)
    Files.write(signed, changed.toArray)
    openssl(s"dgst -sha256 -sign $key -out $signature $signed")
    val bits = Der.element(0x03, 0.toByte +: Files.readAllBytes(signature).toSeq)
    val list = Der.element(0x30, changed ++ parts(1) ++ bits).toArray
    val text = java.util.Base64.getMimeEncoder.encodeToString(list)
    write(revoked, s"-----BEGIN X509 CRL-----\n$text\n-----END X509 CRL-----\n")
  }

  /** Replaces the list of revoked certificates by one that expires in so many hours. */
  def listForHours(hours: Int): Unit = openssl(s"ca -config $config -gencrl -crlhours $hours -out $revoked")

  /**
   * Replaces the list of revoked certificates by one with this extension, such as `issuingDistributionPoint = ...`; by one
   * that has expired at a time if that is given, as 20200102000000Z.
   */
  def listWith(extension: String, at: String = "", from: String = "20200101000000Z"): Unit = {
    val extended = file("list.cnf")
    write(extended, new String(Files.readAllBytes(config), UTF_8) + s"[list]\n$extension\n")
    val dates = if (at.isEmpty) "" else s"-crl_lastupdate $from -crl_nextupdate $at"
    openssl(s"ca -config $extended -gencrl -crlexts list $dates -out $revoked")
  }

  /** Converts a key by `openssl` with these arguments, in which `IN` and `OUT` are replaced by its file and the new one. */
  def converted(key: Path, arguments: String): Path = {
    issued += 1
    val made = file(s"$issued.key")
    openssl(arguments.replace("IN", key.toString).replace("OUT", made.toString))
    made
  }

  /** A file in its folder. */
  def file(name: String): Path = folder.resolve(name)

  private def write(path: Path, text: String): Unit = { Files.write(path, text.getBytes(UTF_8)); () }

  /** `last` is one more argument, that may have spaces. */
  private def openssl(arguments: String, last: String*): Unit = {
    val output  = file("output")
    val command = "openssl" +: (arguments.split(' ').toSeq.filter(_.nonEmpty) ++ last)
    val process = new ProcessBuilder(command*).redirectErrorStream(true)
      .redirectOutput(ProcessBuilder.Redirect.to(output.toFile)).start()
    if (process.waitFor() != 0)
      throw new IllegalStateException(
        s"${command.mkString(" ")} failed: ${new String(Files.readAllBytes(output), UTF_8)}"
      )
  }
}
