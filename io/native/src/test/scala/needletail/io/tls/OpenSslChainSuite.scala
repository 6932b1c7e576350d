package needletail.io.tls

import java.nio.file.Files

import needletail.io.Tls

/** Chains of certificates for which a list of revoked ones is missing. */
class OpenSslChainSuite extends TlsPair {
  tlsTest("an authority below the trusted one needs a list of its issuer's") {
    val below = newAuthority("Below", Some(authority))
    val good  = below.issue("DNS:localhost")
    below.revoke()
    val chain = authority.file("chain.pem")
    Files.write(chain, Files.readAllBytes(good.chain) ++ Files.readAllBytes(below.file))
    val tls = Tls.client(TlsClientConfig(TlsTrust.File(authority.file), revoked = Some(below.revoked)))
    serving(TlsServerConfig(Seq(TlsCertificate(chain, good.key)))) { served =>
      val why = refusal(served, tls)
      assert(why.endsWith("by an authority whose revocation list is missing or has expired"), why)
    }
  }
}
