package needletail.io.tls

import needletail.io.Tls
import needletail.testing.Authority

/** Trusted certificates that do not say whether they are an authority's. */
class OldAuthoritySuite extends TlsPair {
  private def assertMayNotIssue(issued: TlsCertificate, unmarked: Authority, name: String): Unit = {
    val why = s"is not trusted: its authority CN=$name may not issue certificates"
    serving(TlsServerConfig(Seq(issued))) { served =>
      assertEquals(refusalIn(served, Tls.trusting(unmarked.file)), s"the certificate of localhost $why")
    }
    val said = saidOf(issued, unmarked.file)
    assert(said.endsWith(s") $why"), said)
  }

  tlsTest("one of version 1, which has no extensions, is no authority, but may be a peer's own") {
    val old    = newAuthority("Old")
    val issued = files(old.issue("DNS:localhost"))
    val own    = files(old.itself)
    old.renewWithoutExtensions()
    assertMayNotIssue(issued, old, "Old")
    assertEquals(saidOf(own, old.file), "")
  }

  tlsTest("nor is one without basicConstraints, whatever its key may be used for") {
    val unmarked = newAuthority("Unmarked", basic = "")
    assertMayNotIssue(files(unmarked.issue("DNS:localhost")), unmarked, "Unmarked")
  }
}
