package needletail.io.system.tls

import java.nio.file.Files

import needletail.io.tls.{TlsClientConfig, TlsPair, TlsServerConfig, TlsTrust}
import needletail.io.Tls

/** What lists of revoked certificates cost in each handshake. */
class ListHashSuite extends TlsPair {
  tlsTest("who has signed a list is found out once, and so is who has not") {
    val (one, other) = (newAuthority("Same"), newAuthority("Same"))
    val issued       = one.issue("DNS:localhost", more = "authorityKeyIdentifier = keyid")
    val lists        = one.file("both.crl")
    one.revoke()
    other.revoke()
    Files.write(lists, Seq(one, other).flatMap(a => Files.readAllBytes(a.revoked)).toArray)
    val tls = Tls.client(TlsClientConfig(TlsTrust.File(one.file), revoked = Some(lists), resume = false))
    serving(TlsServerConfig(issued.chain, issued.key)) { served =>
      def hashedBy(handshakes: Int): Int = {
        val before = OpenSslFunctions.listsHashed()
        for (_ <- 1 to handshakes) hello(served, open(served.loop, served.port, tls))
        OpenSslFunctions.listsHashed() - before
      }
      assertEquals(hashedBy(1), 2)
      assertEquals(hashedBy(5), 0)
    }
  }
}
