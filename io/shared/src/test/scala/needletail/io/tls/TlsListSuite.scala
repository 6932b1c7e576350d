package needletail.io.tls

import java.net.{InetAddress, ServerSocket, SocketTimeoutException}
import java.nio.file.{Files, Path}

import needletail.io.Tls
import needletail.testing.Authority

/** Which lists of revoked certificates count, and that nothing else is asked where none does. */
class TlsListSuite extends TlsPair {

  /** Nobody should connect to it, whatever certificates say of where lists are. */
  private lazy val elsewhere = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"))

  private def leaf(by: Authority): by.Issued = by.issue(
    "DNS:localhost",
    more = s"crlDistributionPoints = URI:http://127.0.0.1:${elsewhere.getLocalPort}/list.crl"
  )

  private def together(files: Path*): Path = {
    val made = Files.createTempFile(temporaryDirectory(), "all", ".pem")
    files.foreach(f => Files.write(made, Files.readAllBytes(made) ++ Files.readAllBytes(f)))
    made
  }

  /** What becomes of a connection to `issued`, whose issuers `between` are sent along: empty if it is accepted. */
  private def met(trusted: Path, lists: Path, issued: Authority#Issued, between: Path*): String = {
    val sent = Seq(issued.chain) ++ between
    serving(TlsServerConfig(Seq(TlsCertificate(together(sent*), issued.key)))) { served =>
      val tls = Tls.client(TlsClientConfig(TlsTrust.File(trusted), revoked = Some(lists)))
      val why =
        try { hello(served, open(served.loop, served.port, tls)); "" }
        catch { case e: java.io.IOException => e.getMessage }
      elsewhere.setSoTimeout(1)
      intercept[SocketTimeoutException](elsewhere.accept().close())
      why
    }
  }

  private def assertMissing(why: String, issuer: String = "CN=Root"): Unit =
    assert(why.endsWith(RevocationLists.unchecked(RevocationLists.missing(issuer))), why)

  private def assertInvalid(why: String, issuer: String): Unit =
    assert(why.endsWith(RevocationLists.unchecked(RevocationLists.invalid(issuer))), why)

  override def afterAll(): Unit = {
    elsewhere.close()
    super.afterAll()
  }

  tlsTest("a list that another has signed who has the issuer's name does not count") {
    val (one, other) = (newAuthority("Same"), newAuthority("Same"))
    one.revoke()
    other.revoke()
    val issued = leaf(one)
    assertInvalid(met(one.file, other.revoked, issued), "CN=Same")
    assertEquals(met(one.file, one.revoked, issued), "")
    one.revoke(issued)
    val why = met(one.file, one.revoked, issued)
    assert(why.endsWith("was revoked"), why)
  }

  tlsTest("an issuer's name may be spelled otherwise in its list") {
    val root   = newAuthority("Root")
    val issued = leaf(root)
    root.revoke(issued)
    root.spellList("rOOT")
    val why = met(root.file, root.revoked, issued)
    assert(why.endsWith("was revoked"), why)
  }

  tlsTest("a list of an authority whose key is not for lists does not count; its use may be left open") {
    for (uses <- Seq("keyCertSign", "")) {
      val root  = newAuthority("Root")
      val below = newAuthority("Below", Some(root), uses)
      root.revoke()
      below.revoke()
      val issued = leaf(below)
      val why    = met(root.file, together(root.revoked, below.revoked), issued, below.file)
      if (uses.isEmpty) assertEquals(why, "") else assertInvalid(why, "CN=Below")
    }
  }

  tlsTest("a list of some certificates counts for these only") {
    val (root, other) = (newAuthority("Root"), newAuthority("Other"))
    val issued        = leaf(root)
    other.revoke() // counts, so that the file is accepted
    def list(scope: String): String = {
      root.listWith(s"issuingDistributionPoint = critical, @scope\n[scope]\n$scope")
      met(root.file, together(other.revoked, root.revoked), issued)
    }
    assertEquals(list("onlyuser = TRUE"), "")
    assertMissing(list("onlyCA = TRUE"))
    assertMissing(list("fullname = URI:http://127.0.0.1:1/other.crl"))
    assertMissing(list(s"fullname = URI:http://127.0.0.1:${elsewhere.getLocalPort}/list.crl")) // its own
    root.listWith("2.5.29.27 = DER:02:01:01")
    assertMissing(met(root.file, together(other.revoked, root.revoked), issued)) // a list of changes
  }

  tlsTest("where another way leads to a trusted authority, the lists of that one count") {
    val (root, other) = (newAuthority("Root"), newAuthority("Other"))
    root.revoke()
    other.revoke()
    val issued = leaf(root)
    // the second certificate has nothing to do with the first
    assertEquals(met(root.file, root.revoked, issued, other.file), "")
    assertMissing(met(root.file, other.revoked, issued, other.file))
  }

  tlsTest("a list that does not say when the next one comes is refused when it is read") {
    val root = newAuthority("Root")
    root.endlessList()
    assertRefused(
      root,
      root.revoked,
      "has a certificate revocation list without nextUpdate (RFC 5280 section 5.1.2.5)"
    )
  }

  tlsTest("so is a file with no list that counts; one that does not need not say when the next one comes") {
    val (root, issued) = { val made = newAuthority("Root"); (made, leaf(made)) }
    root.revoke()
    val complete = together(root.revoked)
    root.listWith(
      "issuingDistributionPoint = critical, @scope\n[scope]\nfullname = URI:http://127.0.0.1:1/other.crl"
    )
    assertRefused(root, root.revoked, useless)
    root.listWith("2.5.29.27 = DER:02:01:01") // a list of changes
    assertRefused(root, root.revoked, useless)
    root.endlessList("2.5.29.27 = DER:02:01:01")
    assertRefused(root, root.revoked, useless)
    assertEquals(met(root.file, together(complete, root.revoked), issued), "")
  }

  private val useless =
    "has no certificate revocation list that counts: delta lists, lists of a distribution point and lists with " +
      "unknown critical extensions or removals do not"

  tlsTest("a list says nothing of anybody if one of its entries is not understood, or is a removal") {
    val (root, other)  = (newAuthority("Root"), newAuthority("Other"))
    val (listed, free) = (leaf(root), leaf(root))
    other.revoke() // counts, so that the file is accepted
    root.revoke(listed)
    val understood = together(root.revoked)
    assertEquals(met(root.file, understood, free), "")
    val unknown = Seq(0x30, 12, 6, 3, 0x2a, 3, 4, 1, 1, 0xff, 4, 2, 5, 0) // critical
    val removal = Seq(0x30, 10, 6, 3, 0x55, 0x1d, 0x15, 4, 3, 0x0a, 1, 8) // by its reason
    for (extension <- Seq(unknown, removal)) {
      root.extendEntries(extension.map(_.toByte))
      val lists = together(other.revoked, root.revoked)
      for (trusted <- Seq(root.file, free.chain)) assertMissing(met(trusted, lists, free))
      for (trusted <- Seq(root.file, listed.chain)) assertMissing(met(trusted, lists, listed))
      assertRefused(root, root.revoked, useless)
      assertEquals(met(root.file, together(root.revoked, understood), free), "") // another one
    }
    val harmless = Seq(0x30, 9, 6, 3, 0x2a, 3, 4, 4, 2, 5, 0) // unknown, not critical
    root.extendEntries(harmless.map(_.toByte))
    assertEquals(met(root.file, root.revoked, free), "")
    val why = met(root.file, root.revoked, listed)
    assert(why.endsWith("was revoked"), why)
  }

  /** That neither a client nor a server is made with this file. */
  private def assertRefused(trusted: Authority, file: Path, why: String): Unit = {
    val client = intercept[java.io.IOException](
      Tls.client(TlsClientConfig(TlsTrust.File(trusted.file), revoked = Some(file)))
    )
    assertEquals(client.getMessage, s"$file $why")
    val server = intercept[java.io.IOException](
      Tls.server(config.copy(clients = Some(TlsClientAuth(trusted.file, revoked = Some(file)))))
    )
    assertEquals(server.getMessage, s"$file $why")
  }
}
