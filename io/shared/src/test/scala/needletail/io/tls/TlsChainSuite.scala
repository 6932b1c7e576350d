package needletail.io.tls

import java.io.IOException
import java.nio.file.{Files, Path}

import needletail.io.Tls
import needletail.testing.Authority

/** Chains of certificates with more than an authority and what it has issued. */
class TlsChainSuite extends TlsPair {
  private lazy val below = newAuthority("Below", Some(authority))
  private lazy val good  = below.issue("DNS:localhost")
  private lazy val bad   = below.issue("DNS:localhost")

  private lazy val list = {
    below.revoke(bad)
    below.revoked
  }

  /** A client that trusts the authority below the root, with these lists, takes the good server and not the bad one. */
  private def refusesBad(lists: Path): Unit = {
    val tls = Tls.client(TlsClientConfig(TlsTrust.File(below.file), revoked = Some(lists)))
    serving(TlsServerConfig(Seq(files(good)))) { served =>
      assertEquals(hello(served, open(served.loop, served.port, tls)).version, "TLSv1.3")
    }
    serving(TlsServerConfig(Seq(files(bad)))) { served =>
      val why = refusal(served, tls)
      assert(why.endsWith("the certificate of localhost was revoked"), why)
    }
  }

  tlsTest(
    "an authority that is no root can be trusted, and needs no list of revoked ones of its own issuer"
  ) {
    refusesBad(list)
  }

  tlsTest("nor does it matter whether there is one, or whether that has expired") {
    authority.revoke()
    val valid = both("anchor.crl")
    authority.expireList()
    val expired = both("anchor-expired.crl")
    for (lists <- Seq(valid, expired)) refusesBad(lists)
  }

  tlsTest("nor do those of whom a server takes clients") {
    val clients = TlsClientAuth(below.file, revoked = Some(list))
    serving(config.copy(clients = Some(clients))) { served =>
      def as(issued: Authority#Issued): Tls =
        Tls.client(TlsClientConfig(TlsTrust.File(authority.file), Some(files(issued)), resume = false))
      assertEquals(hello(served, open(served.loop, served.port, as(good))).version, "TLSv1.3")
      served.nextHandler()
      try open(served.loop, served.port, as(bad)) // with TLS 1.3 it may be connected before it is refused
      catch { case _: IOException => () }
      val end = served.nextHandler().next()
      assert(end.contains("the certificate of the client (CN=needletail; issuer CN=Below; serial "), end)
      assert(end.endsWith(") was revoked"), end)
    }
  }

  private lazy val whole = {
    val made = authority.file("chain.pem")
    Files.write(made, Files.readAllBytes(good.chain) ++ Files.readAllBytes(below.file))
    TlsCertificate(made, good.key)
  }

  private def both(name: String): Path = {
    val made = authority.file(name)
    Files.write(made, Files.readAllBytes(list) ++ Files.readAllBytes(authority.revoked))
    made
  }

  tlsTest("an authority below the trusted one needs a list of its issuer's") {
    serving(TlsServerConfig(Seq(whole))) { served =>
      def tls(lists: Path) = Tls.client(TlsClientConfig(TlsTrust.File(authority.file), revoked = Some(lists)))
      val none             = refusal(served, tls(list))
      assert(none.endsWith(RevocationLists.missing("CN=Needletail")), none)
      authority.expireList()
      val expired = refusal(served, tls(both("expired.crl")))
      assert(expired.endsWith(RevocationLists.expired("CN=Needletail")), expired)
      authority.revoke()
      assertEquals(hello(served, open(served.loop, served.port, tls(both("both.crl")))).version, "TLSv1.3")
    }
  }

  tlsTest(
    "a chain that leads to nobody who is trusted is that of an unknown issuer, whatever lists there are"
  ) {
    val other = newAuthority("Other")
    other.revoke()
    serving(TlsServerConfig(Seq(whole))) { served =>
      val tls = Tls.client(TlsClientConfig(TlsTrust.File(other.file), revoked = Some(other.revoked)))
      val why = refusal(served, tls)
      assert(why.contains("the certificate of localhost is not trusted"), why)
    }
  }

  tlsTest("the address of a server may have the interface that it is reached by, which no certificate has") {
    val issued = authority.issue("IP:fe80::1")
    serving(TlsServerConfig(Seq(files(issued)))) { served =>
      for (name <- Seq("fe80::1%eth0", "fe80::1"))
        assertEquals(hello(served, open(served.loop, served.port, name = name)).version, "TLSv1.3")
      for (name <- Seq("fe80::2%eth0", "fe80::2")) {
        val why = refusal(served, name = name)
        assert(why.contains(s"the certificate is not for $name"), why)
      }
    }
  }
}
