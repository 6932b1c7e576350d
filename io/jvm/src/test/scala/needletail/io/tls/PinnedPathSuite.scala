package needletail.io.tls

import java.nio.file.{Files, Path}

import needletail.io.Tls
import needletail.testing.Authority
import needletail.io.system.tls.{Certificates, Pem}

/** Pins where there are several paths from a server's certificate to those that are trusted. */
class PinnedPathSuite extends TlsPair {
  private def pin(one: Authority): String = Certificates.pin(Pem.certificates(one.file).head)

  private def written(name: String, files: Path*): Path =
    Files.write(authority.file(name), files.flatMap(Files.readAllBytes(_)).toArray)

  test("the path counts that keeps the limits of its authorities, and no other one") {
    val excluding   = newAuthority("Excluding", more = "nameConstraints = critical, excluded;DNS:localhost")
    val (good, far) = (newAuthority("Good"), newAuthority("Far"))
    val between     = newAuthority("Between", by = Some(excluding))
    val issued      = between.issue("DNS:localhost")
    val other       = between.issuedBy(good)
    val trusted     = written("trusted.pem", excluding.file, good.file, far.file)
    def refused(shown: Path, pinned: Authority): Boolean =
      serving(TlsServerConfig(Seq(TlsCertificate(shown, issued.key)))) { served =>
        val tls =
          Tls.client(TlsClientConfig(TlsTrust.File(trusted), pins = Set(pin(pinned)), resume = false))
        try { val _ = hello(served, open(served.loop, served.port, tls)); false }
        catch {
          case e: java.io.IOException =>
            assert(e.getMessage.endsWith("is not accepted: none of its keys is pinned"), e.getMessage)
            true
        }
      }
    for (
      shown <- Seq(
        written("first.pem", issued.chain, between.file, other),
        written("second.pem", issued.chain, other, between.file),
        written("only.pem", issued.chain, other)
      )
    ) {
      assert(!refused(shown, good), shown)
      assert(!refused(shown, between), shown)
      assert(refused(shown, excluding), shown)
      assert(refused(shown, far), shown)
    }
  }
}
