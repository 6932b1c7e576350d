package needletail.io.tls

import java.io.IOException
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}

import needletail.io.{Tls, TlsIdentity}
import needletail.io.system.tls.TlsLibrary
import needletail.io.system.tls.TlsLibrary.{AwsLc, BoringSsl}
import needletail.testing.{Authority, Suite, TemporaryDirectories}

/** Errors in the files of a TLS configuration. */
class TlsFilesSuite extends Suite with TemporaryDirectories {
  private lazy val authority = newAuthority()
  private lazy val local     = authority.issue("DNS:localhost,IP:127.0.0.1")
  private lazy val rsa       = authority.issue("DNS:localhost,IP:127.0.0.1", "rsa")

  private def config(issued: Authority#Issued): TlsServerConfig =
    TlsServerConfig(Seq(TlsCertificate(issued.chain, issued.key)))

  test("invalid files: an error of one line, which names the file and the reason") {
    assume(Tls.isKnown, "no TLS")
    val locked  = authority.converted(local.key, "pkcs8 -topk8 -passout pass:secret -in IN -out OUT")
    val damaged = authority.file("damaged.pem")
    def why(chain: Path, key: Path, password: Option[String] = None): String = {
      val text = intercept[IOException](Tls.server(TlsServerConfig(Seq(TlsCertificate(
        chain,
        key,
        password
      ))))).getMessage
      assert(!text.contains("\n"), text)
      text
    }
    def says(text: String, file: Path, words: String): Unit =
      assert(text.contains(file.toString) && text.contains(words), text)
    def holding(text: String): Path = { Files.write(damaged, text.getBytes); damaged }
    says(why(local.chain, authority.issue("DNS:a").key), local.chain, "is not that of the certificate")
    says(why(local.chain, locked), locked, "is encrypted, and there is no password")
    says(why(local.chain, locked, Some("wrong")), locked, "the password")
    says(why(holding(""), local.key), damaged, "is empty")
    says(why(holding("nothing"), local.key), damaged, "has no X.509 certificates")
    val whole = new String(Files.readAllBytes(local.chain))
    says(
      why(holding(whole.substring(0, whole.length / 2)), local.key),
      damaged,
      "-----END CERTIFICATE----- is missing"
    )
    says(
      why(holding(whole + whole.dropRight(40)), local.key),
      damaged,
      "-----END CERTIFICATE----- is missing"
    )
    says(why(holding(whole + whole.replace("MII", "!!!")), local.key), damaged, "is damaged")
    val secret = new String(Files.readAllBytes(local.key))
    // nothing of a key is told, which may go to a log
    for (
      cut <-
        Seq(secret.replaceFirst("KEY-----\n", "KEY----\n"), whole + secret.replaceFirst("KEY-----", "KEY"))
    )
      assertEquals(
        why(local.chain, holding(cut)),
        s"$damaged is damaged: a line with -----BEGIN  is not complete"
      )
    val first = secret.indexOf("\nM") + 1
    for (at <- Seq(first, first + 20, first + 70)) // a character is lost
      says(why(local.chain, holding(secret.patch(at, "", 1))), damaged, "is damaged")
    for (bits <- Seq(512, 1024, 2040)) {
      val weak = authority.issue("DNS:localhost", s"rsa:$bits")
      says(
        why(weak.chain, weak.key),
        weak.chain,
        s"has a key that is too weak: RSA key of $bits bits; the minimum is 2048"
      )
    }
    val short = authority.issue("DNS:localhost", "ec -pkeyopt ec_paramgen_curve:prime192v1")
    if (System.getProperty("java.vm.name") == "Scala Native") // the JDK knows no such curve
      says(
        why(short.chain, short.key),
        short.chain,
        "has a key that is too weak: EC key of 192 bits; the minimum is 224"
      )
    val signer = newAuthority("Rsa", algorithm = "rsa")
    val pss    = "-md sha1 -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:20"
    for ((by, how) <- Seq(authority -> "-md sha1", signer -> "-md sha1", signer -> pss)) {
      val old = by.issue("DNS:localhost", signed = how)
      says(
        why(old.chain, old.key),
        old.chain,
        "has a certificate that peers reject, as its signature is too weak: signature by SHA-1; the minimum is SHA-224"
      )
    }
    says(
      why(java.nio.file.Paths.get("/dev/zero"), local.key),
      java.nio.file.Paths.get("/dev/zero"),
      "regular file"
    )
    says(why(holding(whole + " " * (1 << 20)), local.key), damaged, "larger than 1 MiB")
    says(why(holding(whole.replace("MII", "!!!")), local.key), damaged, "is damaged")
    val nowhere = authority.file("nowhere")
    assertEquals(why(local.chain, nowhere), s"$nowhere cannot be read: No such file or directory")
    val loop = Files.createSymbolicLink(authority.file("loop"), authority.file("loop"))
    for (unreadable <- Seq(loop, local.chain.resolve("below"))) {
      val text = why(local.chain, unreadable)
      assert(text.startsWith(s"$unreadable cannot be read: "), text)
      assert(!text.drop(unreadable.toString.length).contains(unreadable.toString), text) // once is enough
    }
    val text = intercept[IOException](
      Tls.server(config(local).copy(clients = Some(TlsClientAuth(holding("x")))))
    ).getMessage
    says(text, damaged, "has no X.509 certificates")
    def clientsBy(file: Path, lists: Option[Path]): String = intercept[IOException](
      Tls.server(config(local).copy(clients = Some(TlsClientAuth(file, revoked = lists))))
    ).getMessage
    says(clientsBy(holding(whole + whole.replace("MII", "!!!")), None), damaged, "is damaged")
    authority.revoke()
    val list = new String(Files.readAllBytes(authority.revoked))
    says(clientsBy(local.chain, Some(holding(list + list.replace("\nMI", "\n!!")))), damaged, "is damaged")
    Tls.server(config(local).copy(clients =
      Some(TlsClientAuth(authority.file, revoked = Some(holding(list + " " * (2 << 20)))))
    )) // those of large authorities have several megabytes
    says(clientsBy(local.chain, Some(holding(list + " " * (16 << 20)))), damaged, "larger than 16 MiB")
    says(
      clientsBy(local.chain, Some(holding(list + list.dropRight(30)))),
      damaged,
      "X509 CRL----- is missing"
    )
  }

  test("a key of another kind than the certificate's: both files, and both kinds") {
    assume(Tls.isKnown, "no TLS")
    def why(chain: Path, key: Path): String =
      intercept[IOException](Tls.server(TlsServerConfig(Seq(TlsCertificate(chain, key))))).getMessage
    def written(name: String, files: Path*): Path =
      Files.write(authority.file(name), files.flatMap(Files.readAllBytes(_)).toArray)
    val edwards     = authority.issue("DNS:localhost", "ed25519")
    val traditional = Seq(
      authority.converted(rsa.key, "rsa -traditional -in IN -out OUT") -> "RSA",
      authority.converted(local.key, "ec -in IN -out OUT")             -> "EC"
    )
    val keys = Seq(local.key -> "EC", rsa.key -> "RSA", edwards.key -> "Ed25519") ++ traditional
    for (
      (chain, own)  <- Seq(local.chain -> "EC", rsa.chain -> "RSA", edwards.chain -> "Ed25519");
      (key, itsOwn) <- keys if itsOwn != own
    ) {
      assertEquals(
        why(chain, key),
        s"the key of $key ($itsOwn) is not that of the certificate in $chain ($own)"
      )
      val both = written("kinds.pem", chain, local.chain)
      assertEquals(
        why(both, key),
        s"the key of $key ($itsOwn) is not that of the first of the 2 certificates in $both ($own): put its own first"
      )
    }
  }

  test("a key that is encrypted in a way that is not supported is not said to have a wrong password") {
    assume(Tls.isKnown, "no TLS")
    def why(key: Path): String = intercept[IOException](
      Tls.server(TlsServerConfig(Seq(TlsCertificate(rsa.chain, key, Some("secret")))))
    ).getMessage
    val old = authority.converted(rsa.key, "rsa -traditional -aes128 -passout pass:secret -in IN -out OUT")
    assertEquals(
      why(old),
      s"$old is encrypted in an old format that is not supported (openssl pkcs8 -topk8 makes a new one)"
    )
    val strange = authority.converted(
      rsa.key,
      "pkcs8 -topk8 -v1 PBE-SHA1-DES -provider legacy -provider default -passout pass:secret -in IN -out OUT"
    )
    val text = why(strange)
    assert(text.startsWith(s"$strange is encrypted in a way that is not supported"), text)
  }

  test("files in DER or PKCS #12: the error says so, and names the command that makes PEM of them") {
    assume(Tls.isKnown, "no TLS")
    authority.revoke()
    def server(chain: Path = local.chain, key: Path = local.key, list: Path = authority.revoked): Unit = {
      val clients = TlsClientAuth(authority.file, revoked = Some(list))
      Tls.server(TlsServerConfig(Seq(TlsCertificate(chain, key)), clients = Some(clients)))
      ()
    }
    def der(file: Path, kind: String): Path = authority.converted(file, s"$kind -outform der -in IN -out OUT")
    val pkcs12                              = authority.converted(
      local.chain,
      s"pkcs12 -export -passout pass:secret -inkey ${local.key} -in IN -out OUT"
    )
    val endless = authority.file("endless.p12")
    Files.write(endless, endlessSequence(Files.readAllBytes(pkcs12)))
    server()
    // what it is, what is said of it, and the use of what the command makes
    val cases = Seq[(Path, String, String, Path => Unit)](
      (pkcs12, "a PKCS #12 file", "pkcs12 -nokeys", file => server(chain = file)),
      (endless, "a PKCS #12 file", "pkcs12 -nokeys", file => server(chain = file)),
      (pkcs12, "a PKCS #12 file", "pkcs12 -nocerts -noenc", file => server(key = file)),
      (der(local.chain, "x509"), "a certificate in DER", "x509 -inform der", file => server(chain = file)),
      (
        der(rsa.chain, "x509"),
        "a certificate in DER",
        "x509 -inform der",
        file => server(chain = file, key = rsa.key)
      ),
      (der(local.key, "pkey"), "a private key in DER", "pkey -inform der", file => server(key = file)),
      (der(local.key, "ec"), "a private key in DER", "pkey -inform der", file => server(key = file)),
      (
        der(rsa.key, "rsa -traditional"),
        "a private key in DER",
        "pkey -inform der",
        file => server(rsa.chain, file)
      ),
      (
        der(local.key, "pkcs8 -topk8 -passout pass:secret"),
        "a private key in DER",
        "pkey -inform der",
        file => server(key = file)
      ),
      (
        der(authority.revoked, "crl"),
        "a certificate revocation list in DER",
        "crl -inform der",
        file => server(list = file)
      )
    )
    for ((file, is, by, use) <- cases) {
      val text = intercept[IOException](use(file)).getMessage
      val out  = text.drop(text.lastIndexOf(' ') + 1)
      assertEquals(text, s"$file is $is, and PEM is needed: openssl $by -in $file -out $out")
      val needsPassword = by.startsWith("pkcs12") || by.startsWith("pkey")
      if (file != endless)
        use(authority.converted(
          file,
          s"$by -in IN -out OUT${if (needsPassword) " -passin pass:secret" else ""}"
        ))
    }
    // where another kind of file is needed, no command helps
    for (other <- Seq(der(local.key, "pkey"), der(authority.revoked, "crl"), authority.file("ca.cnf")))
      assertEquals(
        intercept[IOException](server(chain = other)).getMessage,
        s"$other has no X.509 certificates in PEM (-----BEGIN CERTIFICATE-----)"
      )
    assertEquals(
      intercept[IOException](server(list = pkcs12)).getMessage,
      s"$pkcs12 has no certificate revocation list in PEM (-----BEGIN X509 CRL-----)"
    )
  }

  /** The same with an outer sequence that ends with a mark, as Java writes it. */
  private def endlessSequence(der: Array[Byte]): Array[Byte] = {
    val digits = if ((der(1) & 0xff) < 128) 0 else der(1) & 0x7f
    Array(0x30, 0x80).map(_.toByte) ++ der.drop(2 + digits) ++ Array[Byte](0, 0)
  }

  test("of several certificates, the error names the file that it is about") {
    assume(Tls.isKnown, "no TLS")
    val stranger = authority.issue("DNS:other.example")
    val cut      = authority.file("cut.pem")
    Files.write(cut, Files.readAllBytes(stranger.chain).dropRight(40))
    def why(second: (Path, Path), third: (Path, Path)): String =
      intercept[IOException](Tls.server(TlsServerConfig(
        (Seq(local.chain -> local.key) :+ second :+ third).map { case (chain, key) =>
          TlsCertificate(chain, key)
        }
      ))).getMessage
    assertEquals(
      why(rsa.chain -> rsa.key, stranger.chain -> local.key),
      s"the key of ${local.key} is not that of the certificate in ${stranger.chain}"
    )
    assertEquals(
      why(cut -> stranger.key, rsa.chain -> rsa.key),
      s"$cut is damaged: -----END CERTIFICATE----- is missing"
    )
    val weak = authority.issue("DNS:weak.example", "rsa:1024")
    val text = why(rsa.chain -> rsa.key, weak.chain -> weak.key)
    assert(text.startsWith(s"${weak.chain} has a key that is too weak: "), text)
  }

  test("files and a password by their names") {
    assume(Tls.isKnown, "no TLS")
    val locked = authority.converted(local.key, "pkcs8 -topk8 -passout pass:secret -in IN -out OUT")
    val server = TlsServerConfig(Seq(TlsCertificate(local.chain.toString, locked.toString, Some("secret"))))
    assertEquals(Tls.server(server).certificates.size, 1)
  }

  test("a password that is not ASCII is that in UTF-8") {
    assume(Tls.isKnown, "no TLS")
    val password = "Schl\u00fcssel \u2713"
    val file     = authority.file("password")
    Files.write(file, password.getBytes(UTF_8))
    for (kind <- Seq("-v2 aes-256-cbc", "-v2 aes-128-cbc -v2prf hmacWithSHA512")) {
      val key = authority.converted(local.key, s"pkcs8 -topk8 $kind -passout file:$file -in IN -out OUT")
      def server(password: String): TlsIdentity =
        Tls.server(TlsServerConfig(Seq(TlsCertificate(local.chain, key, Some(password)))))
      val isSupported = !(kind.contains("SHA512") && TlsLibrary.isOneOf(BoringSsl, AwsLc))
      if (isSupported) assertEquals(server(password).certificates.size, 1)
      val why = intercept[IOException](server(password + "x")).getMessage
      if (isSupported) assert(why.contains(s"the password for $key is wrong"), why)
      else assert(why.startsWith(s"$key is encrypted in a way that is not supported"), why)
    }
  }

  private def saidOfKey(key: Path): String =
    intercept[IOException](Tls.server(TlsServerConfig(Seq(TlsCertificate(local.chain, key))))).getMessage

  test("a file that may not be read") {
    assume(Tls.isKnown, "no TLS")
    val key = authority.converted(local.key, "pkcs8 -topk8 -nocrypt -in IN -out OUT")
    assume(key.toFile.setReadable(false) && !key.toFile.canRead, "the superuser may read all files")
    assertEquals(saidOfKey(key), s"$key cannot be read: Permission denied")
  }

  test("files of the kernel's that cannot be read, whoever asks: the same words on all platforms") {
    assume(Tls.isKnown, "no TLS")
    for (
      (name, why) <- Seq(
        "/proc/self/mem"                  -> "Input/output error",
        "/sys/bus/platform/drivers_probe" -> "Permission denied"
      )
    ) {
      val file = java.nio.file.Paths.get(name)
      if (Files.exists(file)) assertEquals(saidOfKey(file), s"$name cannot be read: $why")
    }
    val length = java.nio.file.Paths.get("/proc/self/cmdline") // which has no size, and can be read
    if (Files.exists(length))
      assertEquals(
        saidOfKey(length),
        s"$length has no private key in PEM (-----BEGIN PRIVATE KEY-----)"
      )
  }
}
