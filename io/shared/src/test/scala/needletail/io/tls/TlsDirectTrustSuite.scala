package needletail.io.tls

import java.nio.file.{Files, Path}

import needletail.io.Tls
import needletail.testing.Authority

/** Certificates that are themselves in the file of the trusted ones; lists of revoked certificates that have expired. */
class TlsDirectTrustSuite extends TlsPair {
  private def serverOf(issued: Authority#Issued): TlsServerConfig =
    TlsServerConfig(Seq(TlsCertificate(issued.chain, issued.key)))

  private def trusting(file: Path, revoked: Option[Path] = None): Tls =
    Tls.client(TlsClientConfig(TlsTrust.File(file), revoked = revoked))

  tlsTest("a server's certificate that is trusted itself must be valid now") {
    val (valid, expired) =
      (authority.issue("DNS:localhost"), authority.issue("DNS:localhost", isExpired = true))
    serving(serverOf(valid))(s => assert(!hello(s, open(s.loop, s.port, trusting(valid.chain))).isResumed))
    serving(serverOf(expired)) { s =>
      val why = refusal(s, trusting(expired.chain))
      assert(why.contains("the certificate of localhost has expired"), why)
    }
  }

  tlsTest(
    "a certificate of the same name and key as a trusted one is not that: its owner could change what it says"
  ) {
    val own    = authority.issue("DNS:localhost,email:ann@staff.example", subject = "Ann")
    val issuer = authority
    val forged = new issuer.Issued(
      issuer.converted(
        own.key,
        "req -new -x509 -days 9 -key IN -out OUT -subj /CN=Ann -addext subjectAltName=DNS:localhost,email:boss@staff.example"
      ),
      own.key
    )
    assertEquals(saidOf(files(own), own.chain), "")
    val said = saidOf(files(forged), own.chain)
    assert(said.contains(") is not trusted: its "), said)
    serving(serverOf(forged)) { s =>
      val why = refusalIn(s, trusting(own.chain))
      assert(why.startsWith("the certificate of localhost is not trusted: its "), why)
    }
    // one that the authority has issued for the same key, whose former one is trusted as well
    val renewed = authority.issue("DNS:localhost", subject = "Ann", known = Some(own.key))
    val both    = Files.write(
      authority.file("both.pem"),
      Files.readAllBytes(own.chain) ++ Files.readAllBytes(authority.file)
    )
    assertEquals(saidOf(files(renewed), both), "")
    authority.revoke(renewed)
    serving(serverOf(renewed)) { s =>
      val why = refusalIn(s, trusting(both, Some(authority.revoked)))
      assertEquals(why, "the certificate of localhost was revoked")
    }
  }

  tlsTest("and must not be revoked, as far as there is a list") {
    val (valid, revoked) = (authority.issue("DNS:localhost"), authority.issue("DNS:localhost"))
    val other            = newAuthority("Other")
    other.revoke()
    authority.revoke(revoked)
    serving(serverOf(revoked)) { s =>
      val why = refusal(s, trusting(revoked.chain, Some(authority.revoked)))
      assert(why.endsWith("the certificate of localhost was revoked"), why)
      val unknown = refusal(s, trusting(revoked.chain, Some(other.revoked)))
      assert(unknown.endsWith(RevocationLists.missing("CN=Needletail")), unknown)
    }
    serving(serverOf(valid)) { s =>
      hello(s, open(s.loop, s.port, trusting(valid.chain, Some(authority.revoked))))
      val missing = refusal(s, trusting(valid.chain, Some(other.revoked)))
      assert(missing.endsWith(RevocationLists.missing("CN=Needletail")), missing)
      authority.expireList()
      val expired = refusal(s, trusting(valid.chain, Some(authority.revoked)))
      assert(expired.endsWith(RevocationLists.expired("CN=Needletail")), expired)
    }
  }

  tlsTest("a list of other certificates than authorities' says nothing of one that is an authority's") {
    // whatever its key may be used for
    for (usage <- Seq("", "\nkeyUsage = digitalSignature")) {
      val own = authority.issue("DNS:localhost", more = s"basicConstraints = critical, CA:TRUE$usage")
      serving(serverOf(own)) { s =>
        def listed(scope: String): Path = {
          authority.listWith(s"issuingDistributionPoint = critical, @scope\n[scope]\n$scope")
          authority.revoked
        }
        hello(s, open(s.loop, s.port, trusting(own.chain, Some(listed("onlyCA = TRUE")))))
        val why = refusal(s, trusting(own.chain, Some(listed("onlyuser = TRUE"))))
        assert(why.endsWith(RevocationLists.missing("CN=Needletail")), why)
      }
    }
  }

  tlsTest("the same of clients") {
    val (valid, expired) = (authority.issue("DNS:a"), authority.issue("DNS:a", isExpired = true))
    val other            = authority.issue("DNS:a")
    authority.revoke(valid)
    def served(clients: TlsClientAuth, as: Authority#Issued): (Long, Long) = {
      val identity = Tls.server(config.copy(clients = Some(clients)))
      withLoop { loop =>
        val server = new Served(loop, identity)
        val own    = TlsCertificate(as.chain, as.key)
        val tls    = Tls.client(TlsClientConfig(TlsTrust.File(authority.file), Some(own)))
        try open(loop, server.port, tls)
        catch { case _: java.io.IOException => () } // with TLS 1.3 it may hear later
        val counts = identity.counts
        eventually(counts.full + counts.failed == 1L, "the handshake goes on")
        (counts.full, counts.failed(HandshakeFailure.Certificate))
      }
    }
    assertEquals(served(TlsClientAuth(valid.chain), valid), (1L, 0L))
    assertEquals(served(TlsClientAuth(expired.chain), expired), (0L, 1L))
    assertEquals(served(TlsClientAuth(valid.chain, revoked = Some(authority.revoked)), valid), (0L, 1L))
    assertEquals(served(TlsClientAuth(other.chain, revoked = Some(authority.revoked)), other), (1L, 0L))
  }

  tlsTest("a list that a newer one of the same key has replaced says nothing of them") {
    val (issuer, issued) = { val made = newAuthority("Lister"); (made, made.issue("DNS:localhost")) }
    issuer.revoke(issued)
    def list(name: String, from: String, extension: String): Path = {
      issuer.listWith(extension, at = "20990101000000Z", from)
      Files.copy(issuer.revoked, issuer.file(name))
    }
    def old(name: String, extension: String) = list(name, "20200101000000Z", extension)
    val (unknown, named)                     =
      (old("unknown", "2.5.29.20 = DER:02:01:01"), old("named", "authorityKeyIdentifier = keyid"))
    Files.write(issuer.file.getParent.resolve("index.txt"), Array.emptyByteArray) // it was a mistake
    val newer = list("newer", "20200102000000Z", "authorityKeyIdentifier = keyid,issuer:always")
    val both  = issuer.file("both.crl")
    serving(serverOf(issued)) { s =>
      def wrote(lists: Path*): Some[Path] =
        Some(Files.write(both, lists.flatMap(Files.readAllBytes(_)).toArray))
      for (lists <- Seq(Seq(named, newer), Seq(newer, named)))
        assert(!hello(s, open(s.loop, s.port, trusting(issued.chain, wrote(lists*)))).isResumed)
      // which of two keys has signed it is not known, unless the issuer is
      for (lists <- Seq(Seq(unknown), Seq(named), Seq(unknown, newer), Seq(newer, unknown))) {
        val why = refusal(s, trusting(issued.chain, wrote(lists*)))
        assert(why.endsWith("the certificate of localhost was revoked"), why)
      }
      val known = issuer.file("known.pem")
      Files.write(known, Files.readAllBytes(issued.chain) ++ Files.readAllBytes(issuer.file))
      assert(!hello(s, open(s.loop, s.port, trusting(known, wrote(unknown, newer)))).isResumed)
    }
  }

  tlsTest("with a list that has expired nobody is accepted") {
    val other  = newAuthority("Other")
    val issued = other.issue("DNS:localhost")
    other.revoke()
    serving(serverOf(issued)) { s =>
      hello(s, open(s.loop, s.port, trusting(other.file, Some(other.revoked))))
      other.expireList()
      val why = refusal(s, trusting(other.file, Some(other.revoked)))
      assert(why.endsWith(RevocationLists.expired("CN=Other")), why)
    }
  }
}
