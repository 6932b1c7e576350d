package needletail.io.tls

import java.io.IOException
import java.nio.file.{Files, Path}

import needletail.io.Tls
import needletail.testing.Authority

/** Authorities that have expired, or are not valid yet, above certificates that are valid. */
class TlsAuthorityDatesSuite extends TlsPair {
  private lazy val old   = dated("Old", "20200101000000Z", "20200102000000Z")
  private lazy val early = dated("Early", "20990101000000Z", "20990102000000Z")

  private def dated(name: String, from: String, until: String, by: Option[Authority] = None): Authority = {
    val made = newAuthority(name, by)
    made.renew(from, until)
    made
  }

  private def joined(name: String, files: Path*): Path =
    Files.write(authority.file(name), files.flatMap(Files.readAllBytes(_)).toArray)

  private final val Expired = " is not trusted: its authority CN=Old expired on 2020-01-02"
  private final val Early   = " is not trusted: its authority CN=Early is not valid before 2099-01-01"

  tlsTest("a server is refused whose trusted authority has expired, or is not valid yet") {
    for ((by, why) <- Seq(old -> Expired, early -> Early))
      serving(TlsServerConfig(Seq(files(by.issue("DNS:localhost"))))) { served =>
        assertEquals(refusalIn(served, Tls.trusting(by.file)), s"the certificate of localhost$why")
      }
  }

  tlsTest("it is counted among those that have expired, or are not valid yet") {
    for ((by, about) <- Seq(old -> "expired", early -> "not valid yet"))
      serving(TlsServerConfig(Seq(files(by.issue("DNS:localhost"))))) { served =>
        val failed = intercept[IOException](open(served.loop, served.port, Tls.trusting(by.file)))
        assertEquals(failed.getCause.asInstanceOf[TlsRefusal].about, about)
      }
  }

  tlsTest("so is a client") {
    for ((by, name, why) <- Seq((old, "Old", Expired), (early, "Early", Early))) {
      val said = saidOf(files(by.issue("DNS:ann")), by.file)
      assert(
        said.contains(s"the certificate of the client (CN=needletail; issuer CN=$name; serial "),
        said
      )
      assert(said.endsWith(s")$why"), said)
    }
  }

  tlsTest("an authority between the two is named as well, and a peer's own certificate is not") {
    val between = dated("Old", "20200101000000Z", "20200102000000Z", Some(authority))
    val issued  = between.issue("DNS:localhost")
    val chain   = TlsCertificate(joined("between.pem", issued.chain, between.file), issued.key)
    serving(TlsServerConfig(Seq(chain))) { served =>
      assertEquals(refusalIn(served), s"the certificate of localhost$Expired")
    }
    val said = saidOf(chain, authority.file)
    assert(said.endsWith(s"issuer CN=Old; serial ${serialIn(said)})$Expired"), said)
    serving(TlsServerConfig(Seq(files(authority.issue("DNS:localhost", isExpired = true))))) { served =>
      assertEquals(refusalIn(served), "the certificate of localhost has expired")
    }
  }

  private def serialIn(said: String): String = said.drop(said.indexOf("serial ") + 7).takeWhile(_ != ')')

  tlsTest("a certificate of the same authority that is valid is used instead, wherever it is in the file") {
    val renewed = newAuthority("Renewed")
    val issued  = files(renewed.issue("DNS:localhost"))
    val valid   = joined("valid.pem", renewed.file)
    renewed.renew("20200101000000Z", "20200102000000Z")
    for (trusted <- Seq(joined("a.pem", valid, renewed.file), joined("b.pem", renewed.file, valid))) {
      serving(TlsServerConfig(Seq(issued))) { served =>
        assertEquals(hello(served, open(served.loop, served.port, Tls.trusting(trusted))).version, "TLSv1.3")
      }
      assertEquals(saidOf(issued, trusted), "")
    }
  }

  tlsTest("who has issued a certificate that is trusted itself, or an authority's, need not be valid") {
    val below  = newAuthority("Below", Some(old))
    val issued = below.issue("DNS:localhost")
    val chain  = TlsCertificate(joined("below.pem", issued.chain, below.file), issued.key)
    for (trusted <- Seq(joined("c.pem", below.file, old.file), joined("d.pem", old.file, below.file))) {
      serving(TlsServerConfig(Seq(chain))) { served =>
        assertEquals(hello(served, open(served.loop, served.port, Tls.trusting(trusted))).version, "TLSv1.3")
      }
      assertEquals(saidOf(chain, trusted), "")
    }
    val own = old.issue("DNS:localhost")
    serving(TlsServerConfig(Seq(files(own)))) { served =>
      for (trusted <- Seq(joined("e.pem", own.chain, old.file), joined("f.pem", old.file, own.chain)))
        assertEquals(hello(served, open(served.loop, served.port, Tls.trusting(trusted))).version, "TLSv1.3")
    }
  }

  tlsTest("a server knows when its clients' authorities expire, of one name and key the last one") {
    val renewed = newAuthority("Renewed")
    renewed.renew("20200101000000Z", "20990102000000Z")
    val later = joined("later.pem", renewed.file)
    renewed.renew("20200101000000Z", "20200102000000Z")
    val trusted  = joined("known.pem", renewed.file, later, old.file)
    val identity = Tls.server(config.copy(clients = Some(TlsClientAuth(trusted))))
    assertEquals(
      identity.authorities.map(one => (one.name, one.until)),
      Seq(
        s"the trusted certificate of CN=Old in $trusted"     -> 1577923200000L,
        s"the trusted certificate of CN=Renewed in $trusted" -> 4070995200000L
      )
    )
    assertEquals(Tls.server(config).authorities, Nil)
  }
}
