package needletail.io.tls

import java.io.IOException
import java.nio.file.{Files, Path}

import needletail.io.Tls
import needletail.testing.{Suite, TemporaryDirectories}

/** What is said of files that are nearly what is needed. */
class TlsFileHintsSuite extends Suite with TemporaryDirectories {
  private lazy val authority = newAuthority()
  private lazy val local     = authority.issue("DNS:localhost")

  private def server(chain: Path = local.chain, list: Option[Path] = None): Unit = {
    val clients = TlsClientAuth(authority.file, revoked = list)
    Tls.server(TlsServerConfig(Seq(TlsCertificate(chain, local.key)), clients = Some(clients)))
    ()
  }

  test("certificates in PKCS #7 are refused with the command that makes PEM of them") {
    assume(Tls.isKnown, "no TLS")
    for ((out, in) <- Seq("" -> "", " -outform der" -> " -inform der")) {
      val file = authority.converted(local.chain, s"crl2pkcs7 -nocrl -certfile IN -out OUT$out")
      val by   = s"pkcs7$in -print_certs"
      assertEquals(
        intercept[IOException](server(chain = file)).getMessage,
        s"$file is a PKCS #7 file, and PEM is needed: openssl $by -in $file -out chain.pem"
      )
      server(chain = authority.converted(file, s"$by -in IN -out OUT"))
    }
  }

  test("of a chain in the wrong order, the error says what is first") {
    assume(Tls.isKnown, "no TLS")
    val chain = authority.file("order.pem")
    Files.write(chain, Files.readAllBytes(authority.file) ++ Files.readAllBytes(local.chain))
    assertEquals(
      intercept[IOException](server(chain = chain)).getMessage,
      s"the key of ${local.key} is not that of the first of the 2 certificates in $chain: put its own first"
    )
  }

  test("a file without any of the lists that are needed") {
    assume(Tls.isKnown, "no TLS")
    val other = newAuthority("Others")
    other.revoke()
    assertEquals(
      intercept[IOException](server(list = Some(other.revoked))).getMessage,
      s"${other.revoked} has no certificate revocation list of CN=Test Authority, whose lists alone count for ${authority.file}"
    )
  }
}
