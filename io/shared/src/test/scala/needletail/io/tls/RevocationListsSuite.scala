package needletail.io.tls

import java.nio.file.{Files, Path}

import needletail.io.Tls
import needletail.testing.Authority

/** Lists of revoked certificates: which are accepted for which certificates, and when they expire. */
class RevocationListsSuite extends TlsPair {
  private def expiryOf(list: Path): Option[Long] =
    Tls.server(config.copy(clients =
      Some(TlsClientAuth(authority.file, revoked = Some(list)))
    )).revocationExpiry

  private def expiry(nextUpdate: String): Option[Long] = {
    authority.expireList(nextUpdate)
    expiryOf(authority.revoked)
  }

  tlsTest("the time at which a list expires, in both forms") {
    assertEquals(expiry("20200102000000Z"), Some(1577923200000L))
    assertEquals(expiry("20240229235959Z"), Some(1709251199000L))
    assertEquals(expiry("20491231235959Z"), Some(2524607999000L))
    assertEquals(expiry("20500301000001Z"), Some(2529705601000L)) // a GeneralizedTime from here on
    assertEquals(expiry("21000301000000Z"), Some(4107542400000L))
  }

  tlsTest("with entries, and of several lists the first to expire") {
    val other = newAuthority("Other")
    val many  = for (n <- 1 to 3) yield other.issue(s"DNS:a$n")
    other.revoke(many*)
    val later = expiryOf(other.revoked).get
    assert(math.abs(later - System.currentTimeMillis - 2L * 24 * 3600 * 1000) < 600000, later)
    assertEquals(expiry("20200102000000Z"), Some(1577923200000L))
    val both = authority.file("both.crl")
    Files.write(both, Files.readAllBytes(other.revoked) ++ Files.readAllBytes(authority.revoked))
    assertEquals(expiryOf(both), Some(1577923200000L))
    other.endlessList()
    assertEquals(expiryOf(other.revoked), None)
  }

  private lazy val lister = newAuthority("Lister")
  private lazy val good   = lister.issue("DNS:localhost")
  private lazy val bad    = {
    val issued = lister.issue("DNS:localhost")
    lister.revoke(issued)
    issued
  }

  /** Why a client that trusts these certificates refuses a server; empty if it does not. */
  private def refused(issued: Authority#Issued, list: Path, trusted: Path*): String = {
    val file = authority.file("trusted.pem")
    Files.write(file, trusted.toArray.flatMap(Files.readAllBytes))
    val tls = Tls.client(TlsClientConfig(TlsTrust.File(file), revoked = Some(list), resume = false))
    serving(TlsServerConfig(issued.chain, issued.key)) { served =>
      try {
        hello(served, open(served.loop, served.port, tls))
        ""
      } catch {
        case e: java.io.IOException => e.getMessage.replaceFirst(".*the certificate of localhost ", "")
      }
    }
  }

  tlsTest("a list that does not say when it ends never does") {
    assertEquals(bad.chain != good.chain, true)
    lister.endlessList()
    for (trusted <- Seq(Seq(lister.file), Seq(lister.file, good.chain, bad.chain))) {
      assertEquals(refused(good, lister.revoked, trusted*), "")
      assertEquals(refused(bad, lister.revoked, trusted*), "was revoked")
    }
  }

  tlsTest("a list that has not begun, or is signed by another key than the issuer's, does not count") {
    val twin = newAuthority("Lister")
    twin.revoke()
    lister.expireList(at = "20990101000000Z", from = "20980101000000Z")
    for (
      list    <- Seq(twin.revoked, lister.revoked);
      trusted <- Seq(Seq(lister.file), Seq(lister.file, good.chain))
    )
      assertEquals(refused(good, list, trusted*), HandshakeFailure.NoList)
    assertEquals(refused(good, twin.revoked, good.chain), HandshakeFailure.NoList)
  }

  tlsTest("a list may be for some of its issuer's certificates only") {
    lister.listOf("only_users")
    assertEquals(refused(good, lister.revoked, lister.file), "")
    assertEquals(refused(bad, lister.revoked, lister.file), "was revoked")
    for (scope <- Seq("only_authorities", "elsewhere")) {
      lister.listOf(scope)
      assertEquals(refused(good, lister.revoked, lister.file), HandshakeFailure.NoList, scope)
    }
  }
}
