package needletail.io.tls

import needletail.io.Tls
import needletail.testing.Authority

/** Clients of OpenSSL's that show a certificate, on either platform: whom a server lets in, and why not. */
class OpenSslClientsSuite extends TlsPair with OpenSslPrograms {
  private val versions = Seq("-tls1_2", "-tls1_3")

  private def issue(algorithm: String = "ec", isExpired: Boolean = false): Authority#Issued =
    authority.issue("email:a@b.example", algorithm, isExpired = isExpired)

  /** Has a client that shows this certificate ask a server. */
  private def asked[A](
      version: String,
      shown: Option[Authority#Issued],
      text: String,
      trusted: Authority = authority
  )(
      body: (Served, TlsCounts, () => String) => A
  ): A = {
    val clients  = TlsClientAuth(trusted.file, revoked = Some(trusted.revoked))
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

  /** @param alert its number as natively, where it names the reason; the JDK's is certificate_unknown */
  private def assertRefused(
      shown: Option[Authority#Issued],
      reason: String,
      alert: Int = 0,
      trusted: Authority = authority,
      among: Seq[String] = versions
  ): Unit =
    for (version <- among) asked(version, shown, "", trusted) { (served, counts, said) =>
      val why = served.nextHandler().next()
      assert(why.contains(reason), s"$version: $why")
      if (alert > 0) {
        val number = if (System.getProperty("java.vm.name") == "Scala Native") alert else 46
        eventually(said().contains(s"SSL alert number $number"), s"$version: ${said()}")
      }
      eventually(counts.failed == 1L, s"$version: ${counts.failed} failed")
      assertEquals((counts.full, counts.failed(HandshakeFailure.Certificate)), (0L, 1L), version)
      eventually(said().contains("SSL alert number "), s"$version: ${said()}")
    }

  tlsTest("clients' certificates may have keys of each kind, but no weak ones") {
    authority.revoke()
    for (kind <- Seq("ec", "rsa", "ed25519"); version <- versions) assertAccepted(kind, version)
    for (bits <- Seq(1024, 2040))
      assertRefused(Some(issue(s"rsa:$bits")), s"is too weak: RSA key of $bits bits; the minimum is 2048")
  }

  tlsTest("nor ones that are signed by SHA-1") {
    val rsa                                = newAuthority("Rsa", algorithm = "rsa")
    def signed(by: Authority, how: String) = Some(by.issue("email:a@b.example", signed = how))
    val pss = "-md sha1 -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:20"
    for ((by, how) <- Seq(authority -> "-md sha1", rsa -> "-md sha1", rsa -> pss)) {
      by.revoke()
      val reason = ") is too weak: signature by SHA-1; the minimum is SHA-224"
      assertRefused(signed(by, how), reason, trusted = by, among = Seq("-tls1_2")) // with 1.3 it shows none
    }
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
    assertRefused(Some(stranger), "is not trusted: its issuer is unknown")
  }

  /** As messages of a server have it. */
  private def named(issued: Authority#Issued): String = {
    val info = Tls.server(TlsServerConfig(issued.chain, issued.key)).certificates.head
    s"the certificate of the client (${info.subject}; issuer ${info.issuer}; serial ${info.serial})"
  }

  tlsTest("and one whose certificate has expired, or was revoked, or cannot be looked up in a list") {
    val (expired, revoked) = (issue(isExpired = true), issue())
    authority.revoke(revoked)
    assertRefused(Some(expired), s"${named(expired)} has expired", alert = 45)
    assertRefused(Some(revoked), s"${named(revoked)} was revoked", alert = 44)
    authority.expireList()
    assertRefused(
      Some(revoked),
      s"${named(revoked)} cannot be checked for revocation: the revocation list of CN=Needletail has expired",
      alert = 46 // not certificate_expired: it is not the client's that has
    )
    authority.expireList(at = "20990101000000Z", from = "20980101000000Z")
    assertRefused(
      Some(revoked),
      "cannot be checked for revocation: the revocation list of CN=Needletail does not count: it begins later, or " +
        "was not signed by its key for lists",
      alert = 46
    )
  }

  tlsTest("the name in a certificate is anybody's: it is cut, and its control characters are escaped") {
    val odd = newAuthority("Another").issue(
      "email:a@b.example",
      subject = "x\u001b[2J\u0085y",
      further = Seq("O" -> "o" * 60, "emailAddress" -> "e" * 60)
    )
    for (version <- versions) asked(version, Some(odd), "") { (served, _, _) =>
      val why   = served.nextHandler().next()
      val shown = s"emailAddress=${"e" * 60},O=${"o" * 24}…; issuer CN=Another; serial "
      assert(why.contains(s"the certificate of the client ($shown"), s"$version: $why")
    }
    val short = newAuthority("Another").issue("email:a@b.example", subject = "x\u001b[2J\u0085y")
    for (version <- versions) asked(version, Some(short), "") { (served, _, _) =>
      val why = served.nextHandler().next()
      assert(why.contains("the client (CN=x\\1B[2J\\C2\\85y; issuer CN=Another; serial "), s"$version: $why")
    }
  }

  private def closedBy(arguments: String*): String = serving(config) { served =>
    withOpenSslClient(served.port, "", arguments*)(_ => served.nextHandler().next())
  }

  tlsTest("a client that does not accept the server's certificate is told of as such") {
    for (version <- versions) {
      val why = closedBy(version, "-verify_return_error")
      assertEquals(
        why,
        "closed by the client does not accept the server's certificate (alert unknown_ca)",
        version
      )
    }
  }

  tlsTest("a client without any of the server's versions of TLS is told of as such") {
    val why = closedBy("-tls1_1")
    assertEquals(why, "closed by the client supports no TLS version of this server")
  }
}
