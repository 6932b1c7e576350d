package needletail.conformance.operation

import java.net.{InetAddress, ServerSocket}
import java.nio.file.{Files, Path}
import java.nio.file.attribute.PosixFilePermissions

import scala.concurrent.duration.{Duration, DurationInt}

import needletail.conformance.harness.Program
import needletail.testing.{Suite, TemporaryDirectories}

/**
 * Certificates and keys that cannot be used: the program says why in one line that names the file, and ends without
 * having listened. (STATED)
 */
class CertificateSuite extends Suite with TemporaryDirectories {
  override val munitTimeout: Duration = 120.seconds

  private lazy val authority = newAuthority()
  private lazy val good      = authority.issue("DNS:localhost")
  private lazy val other     = authority.issue("DNS:localhost")

  private def text(file: Path): String = new String(Files.readAllBytes(file), "US-ASCII")

  private def written(name: String, content: String): Path = {
    val file = authority.file(name)
    Files.write(file, content.getBytes("US-ASCII"))
    file
  }

  private def cut(file: Path): String = text(file).replaceFirst("(?s)-----END.*", "")

  /** It is told to listen where another does already: had it tried, it would complain of that. */
  private def ended(program: Path, chain: Path, key: Path, more: String*): (Int, Seq[String]) = {
    val taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))
    try {
      val arguments = Seq("--host", "127.0.0.1", "--port", taken.getLocalPort.toString) ++
        Seq("--cert", chain.toString, "--key", key.toString) ++ more
      Program.ended(program, arguments: _*)
    } finally taken.close()
  }

  /** @param used the chain and the key, and what is said */
  private def refused(what: String, more: => Seq[String] = Nil)(used: => (Path, Path, String)): Unit =
    Program.paths.foreach { program =>
      test(s"${program.getFileName}: $what is refused before the program listens (STATED)") {
        val (chain, key, why) = used
        val (status, lines)   = ended(program, chain, key, more: _*)
        assertEquals(lines.toList, List(why))
        assertEquals(status, 2)
      }
    }

  Program.paths.foreach { program =>
    test(s"${program.getFileName}: with what can be used it tries to listen") {
      val (status, lines) = ended(program, good.chain, good.key)
      assert(status != 0 && lines.exists(_.toLowerCase.contains("in use")), s"$status: $lines")
    }
  }

  refused("a key of another certificate") {
    (good.chain, other.key, s"the key of ${other.key} is not that of the certificate in ${good.chain}")
  }

  refused("an encrypted key, for which these programs take no password,") {
    val key = authority.converted(good.key, "pkcs8 -topk8 -in IN -passout pass:secret -out OUT")
    (good.chain, key, s"$key is encrypted, and there is no password for it")
  }

  refused("a certificate without an end") {
    val chain = written("cut.pem", cut(good.chain))
    (chain, good.key, s"$chain is damaged: -----END CERTIFICATE----- is missing")
  }

  refused("a key without an end") {
    val key = written("cut.key", cut(good.key))
    (good.chain, key, s"$key is damaged: -----END PRIVATE KEY----- is missing")
  }

  refused("a key where the certificate should be") {
    (good.key, good.key, s"${good.key} has no X.509 certificates in PEM (-----BEGIN CERTIFICATE-----)")
  }

  refused("a certificate where the key should be") {
    (good.chain, good.chain, s"${good.chain} has no private key in PEM (-----BEGIN PRIVATE KEY-----)")
  }

  refused("an empty certificate") {
    val chain = written("empty.pem", "")
    (chain, good.key, s"$chain is empty")
  }

  refused("an empty key") {
    val key = written("empty.key", "")
    (good.chain, key, s"$key is empty")
  }

  refused("a certificate that is not there") {
    val chain = authority.file("missing.pem")
    (chain, good.key, s"$chain cannot be read: No such file or directory")
  }

  refused("a key that is not there") {
    val key = authority.file("missing.key")
    (good.chain, key, s"$key cannot be read: No such file or directory")
  }

  refused("a key that it may not read") {
    val key = written("secret.key", text(good.key))
    Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("---------"))
    assume(!Files.isReadable(key), "root may read everything")
    (good.chain, key, s"$key cannot be read: Permission denied")
  }

  refused("an empty file of authorities", Seq("--client-ca", written("none.pem", "").toString)) {
    (good.chain, good.key, s"${authority.file("none.pem")} is empty")
  }

  refused("an empty list of revoked certificates", revoking(written("none.crl", ""))) {
    (good.chain, good.key, s"${authority.file("none.crl")} is empty")
  }

  Program.paths.foreach { program =>
    test(s"${program.getFileName}: a list of revoked certificates needs an authority (STATED)") {
      val (status, lines) = ended(program, good.chain, good.key, "--client-crl", authority.file.toString)
      assertEquals((status, lines.headOption), (2, Some("reference: --client-crl needs --client-ca")))
    }
  }

  private def revoking(lists: Path): Seq[String] =
    Seq("--client-ca", authority.file.toString, "--client-crl", lists.toString)

  refused("a PKCS #12 file instead of PEM") {
    val file = authority.converted(
      good.chain,
      s"pkcs12 -export -passout pass:secret -inkey ${good.key} -in IN -out OUT"
    )
    (
      file,
      good.key,
      s"$file is a PKCS #12 file, and PEM is needed: openssl pkcs12 -nokeys -in $file -out chain.pem"
    )
  }
}
