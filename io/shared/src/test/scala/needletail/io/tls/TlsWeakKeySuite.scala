package needletail.io.tls

import java.io.IOException

import needletail.io.Tls
import needletail.testing.Authority

/** Servers with keys that are too weak, which a platform itself might accept; for clients see OpenSslClientsSuite. */
class TlsWeakKeySuite extends TlsPair with OpenSslPrograms {
  private val versions = Seq("-tls1_2" -> "TLSv1.2", "-tls1_3" -> "TLSv1.3")

  private def assertRefused(issued: Authority#Issued, bits: Int, tls: Tls = trusting): Unit =
    for ((option, version) <- versions) withOpenSslServer(issued, option) { port =>
      withLoop { loop =>
        val why    = intercept[IOException](open(loop, port, tls)).getMessage
        val reason = s"is too weak: RSA key of $bits bits; the minimum is 2048"
        assert(why.endsWith(s"the certificate of localhost $reason"), s"$version: $why")
      }
    }

  tlsTest("a server whose RSA key is below 2048 bits is refused") {
    assertRefused(authority.issue("DNS:localhost", "rsa:1024"), 1024)
    assertRefused(authority.issue("DNS:localhost", "rsa:2040"), 2040)
    val strong = authority.issue("DNS:localhost", "rsa")
    for ((option, version) <- versions) withOpenSslServer(strong, option) { port =>
      withLoop { loop =>
        val (connection, _) = open(loop, port)
        assertEquals(on(loop)(connection.tlsSession).map(_.version), Some(version))
        on(loop)(connection.close())
      }
    }
  }

  tlsTest("also if its certificate itself is trusted") {
    val issued = authority.issue("DNS:localhost", "rsa:1024")
    assertRefused(issued, 1024, Tls.trusting(issued.chain))
  }
}
