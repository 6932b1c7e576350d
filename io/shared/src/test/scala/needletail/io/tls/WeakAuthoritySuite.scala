package needletail.io.tls

import java.nio.file.Path

import needletail.io.Tls

/** Peers whose certificates are signed by an authority with a key that is too weak. */
class WeakAuthoritySuite extends TlsPair {
  private lazy val weak   = newAuthority("Weak", algorithm = "rsa:1024")
  private lazy val strong = newAuthority("Strong", algorithm = "rsa")

  private def why(of: String, said: String): Unit = {
    val reason =
      "is too weak: that of its authority CN=Weak, by its RSA key of 1024 bits; the minimum is 2048"
    assert(said.contains(s"the certificate of $of") && said.endsWith(reason), said)
  }

  tlsTest("a server is refused whose authority has an RSA key below 2048 bits") {
    val issued = weak.issue("DNS:localhost")
    serving(TlsServerConfig(issued.chain, issued.key)) { served =>
      why("localhost", refusal(served, Tls.trusting(weak.file)))
    }
    val other = strong.issue("DNS:localhost")
    serving(TlsServerConfig(other.chain, other.key)) { served =>
      val session = hello(served, open(served.loop, served.port, Tls.trusting(strong.file)))
      assertEquals(session.version, "TLSv1.3")
    }
  }

  tlsTest("so is a client") {
    def shown(by: Path, issued: TlsCertificate): String =
      serving(config.copy(clients = Some(TlsClientAuth(by)))) { served =>
        val tls = Tls.client(TlsClientConfig(TlsTrust.File(authority.file), Some(issued)))
        try {
          val (c, kept) = open(served.loop, served.port, tls)
          on(served.loop)(c.write("hello".getBytes, 0, 5))
          eventually(kept.bytes.length == 5 || !kept.events.isEmpty, "nothing happened")
          if (kept.bytes.length == 5) "accepted" else served.nextHandler().next()
        } catch { case _: java.io.IOException => served.nextHandler().next() }
      }
    val (refused, accepted) = (weak.issue("DNS:ann"), strong.issue("DNS:ann"))
    why(
      "the client (CN=needletail; issuer CN=Weak; serial ",
      shown(weak.file, TlsCertificate(refused.chain, refused.key))
    )
    assertEquals(shown(strong.file, TlsCertificate(accepted.chain, accepted.key)), "accepted")
  }
}
