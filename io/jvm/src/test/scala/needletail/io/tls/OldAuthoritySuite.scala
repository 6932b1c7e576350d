package needletail.io.tls

import needletail.io.Tls

/** Trusted certificates of version 1, which do not say whether they are an authority's. */
class OldAuthoritySuite extends TlsPair {
  test("one of them is no authority, but may be a peer's own") {
    val old    = newAuthority("Old")
    val issued = files(old.issue("DNS:localhost"))
    val own    = files(old.itself)
    old.renewWithoutExtensions()
    val why = "is not trusted: its authority CN=Old may not issue certificates"
    serving(TlsServerConfig(Seq(issued))) { served =>
      assertEquals(refusalIn(served, Tls.trusting(old.file)), s"the certificate of localhost $why")
    }
    val said = saidOf(issued, old.file)
    assert(said.endsWith(s") $why"), said)
    assertEquals(saidOf(own, old.file), "")
  }
}
