package needletail.io.tls

import java.nio.file.{Files, Path}

import needletail.testing.{Suite, TemporaryDirectories}

/** When lists of revoked certificates expire. */
class RevocationListsSuite extends Suite with TemporaryDirectories {
  private lazy val authority = newAuthority()

  private def expiry(nextUpdate: String): Option[Long] = {
    authority.expireList(nextUpdate)
    expiryOf(authority.revoked)
  }

  private def expiryOf(file: Path): Option[Long] = RevocationLists.expiry(Files.readAllBytes(file))

  test("the time at which a list expires, in both forms") {
    assertEquals(expiry("20200102000000Z"), Some(1577923200000L))
    assertEquals(expiry("20240229235959Z"), Some(1709251199000L))
    assertEquals(expiry("20491231235959Z"), Some(2524607999000L))
    assertEquals(expiry("20500301000001Z"), Some(2529705601000L)) // a GeneralizedTime from here on
    assertEquals(expiry("21000301000000Z"), Some(4107542400000L))
  }

  test("with entries, and of several lists the first to expire") {
    val other = newAuthority("Other")
    val many  = for (n <- 1 to 3) yield other.issue(s"DNS:a$n")
    other.revoke(many*)
    val later = expiryOf(other.revoked).get
    assert(math.abs(later - System.currentTimeMillis - 2L * 24 * 3600 * 1000) < 600000, later)
    assertEquals(expiry("20200102000000Z"), Some(1577923200000L))
    val both = authority.file("both.crl")
    Files.write(both, Files.readAllBytes(other.revoked) ++ Files.readAllBytes(authority.revoked))
    assertEquals(expiryOf(both), Some(1577923200000L))
  }

  test("nothing is known of damaged lists") {
    def of(content: String)   = RevocationLists.expiry(content.getBytes)
    def block(base64: String) = s"-----BEGIN X509 CRL-----\n$base64\n-----END X509 CRL-----\n"
    for (content <- Seq("", "x", block(""), block("MIIB"), block("MIIB////"), block("MAAwAA==")))
      assertEquals(of(content), None, content)
  }
}
