package needletail.io

import java.nio.file.{Files, Path}
import java.util.concurrent.TimeUnit

import needletail.io.tls.TlsCertificate

/**
 * An authority that issues certificates, by the program `openssl`, which shares no code with the JVM's TLS and none of
 * ours. Its files last until the program ends.
 */
final class TestAuthority(name: String) {
  import TestAuthority.*

  private val folder = Files.createTempDirectory("authority")
  folder.toFile.deleteOnExit()

  private def file(path: String): Path = {
    val made = folder.resolve(path)
    made.toFile.deleteOnExit()
    made
  }

  private val key = file("authority.key")

  /** Its own certificate. */
  val certificate: Path = file("authority.pem")

  run(
    Seq("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", s"/CN=$name") ++
      Seq("-keyout", s"$key", "-out", s"$certificate", "-days", "3", "-addext", "keyUsage=critical,keyCertSign,cRLSign")
  )

  /**
   * A certificate for `names` (`DNS:localhost,IP:127.0.0.1`).
   *
   * @param days until it expires; negative if it has
   * @param kind of the key, for `openssl genpkey`
   */
  def issue(file: String, names: String, days: Int = 2, kind: Seq[String] = Ecdsa): TlsCertificate = {
    val (own, request, chain) =
      (this.file(s"$file.key"), this.file(s"$file.csr"), this.file(s"$file.pem"))
    val extensions = this.file(s"$file.ext")
    Files.write(extensions, s"subjectAltName=$names\nkeyUsage=digitalSignature\n".getBytes)
    run(Seq("genpkey", "-out", s"$own") ++ kind)
    run(Seq("req", "-new", "-key", s"$own", "-subj", s"/CN=$file", "-out", s"$request"))
    run(
      Seq("x509", "-req", "-in", s"$request", "-CA", s"$certificate", "-CAkey", s"$key", "-days", s"$days") ++
        Seq("-CAcreateserial", "-CAserial", s"${this.file("serial")}", "-extfile", s"$extensions", "-out", s"$chain")
    )
    TlsCertificate(chain, own)
  }

  /** The same certificate with its key encrypted. */
  def encrypted(of: TlsCertificate, password: String): Path = {
    val made = file("encrypted.key")
    run(Seq("pkcs8", "-topk8", "-in", s"${of.key}", "-out", s"$made", "-passout", s"pass:$password"))
    made
  }

  /** A list of revoked certificates that has these. */
  def revoking(revoked: TlsCertificate*): Path = {
    val (index, number, settings, list) = (file("index"), file("number"), file("settings"), file("revoked.pem"))
    Files.write(index, Array.emptyByteArray)
    Files.write(number, "01\n".getBytes)
    Files.write(
      settings,
      s"[ca]\ndefault_ca=own\n[own]\ndatabase=$index\ncrlnumber=$number\ndefault_md=sha256\ndefault_crl_days=2\n".getBytes
    )
    val own = Seq("ca", "-config", s"$settings", "-cert", s"$certificate", "-keyfile", s"$key")
    revoked.foreach(one => run(own ++ Seq("-revoke", s"${one.chain}")))
    run(own ++ Seq("-gencrl", "-out", s"$list"))
    list
  }
}

object TestAuthority {
  val Ecdsa: Seq[String] = Seq("-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256")
  val Rsa: Seq[String]   = Seq("-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048")
  val Weak: Seq[String]  = Seq("-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024")

  /** Whether there is a program `openssl`. */
  lazy val isThere: Boolean =
    try {
      run(Seq("version"))
      true
    } catch { case _: java.io.IOException => false }

  private def run(arguments: Seq[String]): Unit = {
    val output  = Files.createTempFile("openssl", ".txt")
    val process = new ProcessBuilder(("openssl" +: arguments): _*)
      .redirectErrorStream(true)
      .redirectOutput(output.toFile)
      .start()
    val isOver = process.waitFor(60, TimeUnit.SECONDS)
    val said   = new String(Files.readAllBytes(output))
    Files.delete(output)
    if (!isOver || process.exitValue != 0)
      throw new IllegalStateException(s"openssl ${arguments.mkString(" ")}: $said")
  }
}
