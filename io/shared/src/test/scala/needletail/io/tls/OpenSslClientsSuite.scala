package needletail.io.tls

import needletail.io.Tls
import needletail.testing.Authority

/** Clients of OpenSSL's that show a certificate, on either platform: whom a server lets in, and why not. */
class OpenSslClientsSuite extends TlsPair with OpenSslPrograms {
  private val versions = Seq("-tls1_2", "-tls1_3")

  private def issue(algorithm: String = "ec", isExpired: Boolean = false): Authority#Issued =
    authority.issue("email:a@b.example", algorithm, isExpired = isExpired)

  /** Has a client that shows this certificate ask a server. */
  private def asked[A](version: String, shown: Option[Authority#Issued], text: String)(
      body: (Served, TlsCounts, () => String) => A
  ): A = {
    val clients  = TlsClientAuth(authority.file, revoked = Some(authority.revoked))
    val identity = Tls.server(config.copy(clients = Some(clients)))
    val own      = shown.toSeq.flatMap(by => Seq("-cert", by.chain.toString, "-key", by.key.toString))
    withLoop { loop =>
      val served = new Served(loop, identity)
      withOpenSslClient(served.port, text, (version +: own)*)(body(served, identity.counts, _))
    }
  }

  private def assertAccepted(kind: String, version: String): Unit =
    asked(version, Some(issue(kind)), "hello") { (served, counts, said) =>
      val handler = served.nextHandler()
      eventually(handler.bytes.nonEmpty || !handler.events.isEmpty, s"$kind, $version: ${said()}")
      assertEquals(new String(handler.bytes), "hello", s"$kind, $version: ${handler.events}")
      assertEquals((counts.full, counts.failed), (1L, 0L))
    }

  private def assertRefused(shown: Option[Authority#Issued], reason: String): Unit =
    for (version <- versions) asked(version, shown, "") { (served, counts, said) =>
      val why = served.nextHandler().next()
      assert(why.contains(reason), s"$version: $why")
      eventually(counts.failed == 1L, s"$version: ${counts.failed} failed")
      assertEquals((counts.full, counts.failed(HandshakeFailure.Certificate)), (0L, 1L), version)
      eventually(said().contains("SSL alert number "), s"$version: ${said()}")
    }

  tlsTest("clients' certificates may have keys of each kind, but no weak ones") {
    authority.revoke()
    for (kind <- Seq("ec", "rsa", "ed25519"); version <- versions) assertAccepted(kind, version)
    for (bits <- Seq(1024, 2040))
      assertRefused(Some(issue(s"rsa:$bits")), "the certificate of the client is too weak")
  }

  tlsTest("those of P-521, by which no keys are exchanged, too: natively not with TLS 1.2") {
    authority.revoke()
    val kind = "ec -pkeyopt ec_paramgen_curve:secp521r1"
    assertAccepted(kind, "-tls1_3")
    if (System.getProperty("java.vm.name") != "Scala Native") assertAccepted(kind, "-tls1_2")
    else
      asked("-tls1_2", Some(issue(kind)), "") { (served, _, _) =>
        val why = served.nextHandler().next()
        assert(why.toLowerCase.replace('_', ' ').contains("wrong curve"), why)
      }
  }

  tlsTest("a client is refused that has no certificate, or that of a stranger") {
    authority.revoke()
    assertRefused(None, "the client has shown no certificate")
    val stranger = newAuthority("Another").issue("email:a@b.example")
    assertRefused(Some(stranger), "the certificate of the client is not trusted: its issuer is unknown")
  }

  tlsTest("and one whose certificate has expired, or was revoked") {
    val (expired, revoked) = (issue(isExpired = true), issue())
    authority.revoke(revoked)
    assertRefused(Some(expired), "the certificate of the client has expired")
    assertRefused(Some(revoked), "the certificate of the client was revoked")
  }
}
