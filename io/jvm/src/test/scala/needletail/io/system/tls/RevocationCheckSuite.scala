package needletail.io.system.tls

import java.lang.management.ManagementFactory
import java.security.cert.CertificateException

import needletail.testing.{Suite, TemporaryDirectories}

class RevocationCheckSuite extends Suite with TemporaryDirectories {

  // the JDK's own check would search for another key for seconds
  test("a list with the issuer's name that another key has signed is refused at once") {
    val (below, twin) = {
      val root = newAuthority("Root")
      (newAuthority("Below", Some(root)) -> root, newAuthority("Below"))
    }
    val (issuer, root) = below
    root.revoke()
    twin.revoke()
    val issued = issuer.issue("DNS:localhost")
    val chain  = (Pem.certificates(issued.chain) ++ Pem.certificates(issuer.file)).toArray
    val lists  = Pem.revocations(root.revoked) ++ Pem.revocations(twin.revoked)
    val trust  = Trust.of(Pem.certificates(root.file), Some(lists))
    val clock  = ManagementFactory.getThreadMXBean
    val before = clock.getCurrentThreadCpuTime
    val why    = intercept[CertificateException](trust.checkServerTrusted(chain, "ECDHE_ECDSA"))
    assert(why.getMessage.contains("there is no list of its issuer's"), why)
    val millis = (clock.getCurrentThreadCpuTime - before) / 1000000
    assert(millis < 2000, s"it took $millis ms")
  }
}
