package needletail.io.tls

import java.nio.file.{Files, Path, Paths}

import needletail.io.{Tls, TlsIdentity}
import needletail.testing.Authority

/** Lists of revoked certificates: which are accepted for which certificates, and when they expire. */
class RevocationListsSuite extends TlsPair {
  private def identity(list: Path, trusted: Path): TlsIdentity =
    Tls.server(config.copy(clients = Some(TlsClientAuth(trusted, revoked = Some(list)))))

  private def expiryOf(list: Path, trusted: Path = authority.file): Option[Long] =
    identity(list, trusted).revocationExpiry

  tlsTest(
    "an authority without a list is told of, and a file without any list of an authority's is refused"
  ) {
    val (staff, other) = (newAuthority("Staff"), newAuthority("Other"))
    staff.revoke()
    val both = staff.file("both.pem")
    Files.write(both, Files.readAllBytes(staff.file) ++ Files.readAllBytes(other.file))
    assertEquals(
      identity(staff.revoked, both).notices,
      Seq(s"no revocation list of CN=Other in ${staff.revoked}: its clients are rejected")
    )
    staff.spellList("sTAFF")
    assertEquals(identity(staff.revoked, staff.file).notices, Nil)
    val listed = identity(staff.revoked, staff.issue("DNS:a").chain) // a client's own certificate
    assertEquals(listed.notices, Nil)
    assertEquals(listed.lists.map(_.name), Seq(s"the revocation list of CN=sTAFF in ${staff.revoked}"))
    val why = intercept[java.io.IOException](identity(staff.revoked, other.file)).getMessage
    assert(
      why.startsWith(s"${staff.revoked} has no certificate revocation list of CN=Other, whose lists alone "),
      why
    )
  }

  tlsTest("clients' own certificates that are authorities' as well, as made by default, are told of") {
    def own(name: String, names: String, basic: String = "CA:TRUE", uses: String = "keyCertSign"): Path =
      newAuthority(name, basic = basic, uses = uses, more = s"subjectAltName = $names").file
    val (ann, bob) = (own("Ann", "email:ann@staff.example"), own("Bob", "DNS:bob.example"))
    val harmless   = Seq(
      authority.file, // without such names
      own("Eve", "DNS:eve.example", basic = "CA:FALSE"),
      own("Ida", "DNS:ida.example", uses = "digitalSignature"), // its key may not be used for that
      authority.issue("DNS:a", more = "basicConstraints = critical, CA:TRUE").chain // can be revoked
    )
    val trusted                   = authority.file("listed.pem")
    def notices(those: Seq[Path]) = {
      Files.write(trusted, those.flatMap(Files.readAllBytes(_)).toArray)
      Tls.server(config.copy(clients = Some(TlsClientAuth(trusted)))).notices
    }
    def told(whose: String) =
      s"the certificate of $whose in $trusted has names as a client's own, but is an authority's (CA:TRUE): with its " +
        "key certificates can be issued in the name of any client"
    assertEquals(notices(harmless), Nil)
    assertEquals(notices(harmless :+ ann), Seq(told("CN=Ann")))
    assertEquals(notices(harmless :+ own("Ann", "DNS:a.example", uses = "")), Seq(told("CN=Ann")))
    assertEquals(notices(Seq(ann, bob) ++ harmless), Seq(told("CN=Ann (and 1 more)")))
  }

  tlsTest("where a certificate is from, with its first name and its kind of key") {
    for ((algorithm, kind) <- Seq("rsa" -> "RSA", "ec" -> "EC", "ed25519" -> "Ed25519")) {
      val issued = authority.issue("DNS:shop.test,DNS:a.test", algorithm)
      val origin = Tls.server(TlsServerConfig(issued.chain, issued.key)).origins.map(_._2)
      assertEquals(origin, Seq(s"${issued.chain} (shop.test, $kind)"))
    }
  }

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
    val later = expiryOf(other.revoked, other.file).get
    assert(math.abs(later - System.currentTimeMillis - 2L * 24 * 3600 * 1000) < 600000, later)
    assertEquals(expiry("20200102000000Z"), Some(1577923200000L))
    val both = authority.file("both.crl")
    Files.write(both, Files.readAllBytes(other.revoked) ++ Files.readAllBytes(authority.revoked))
    assertEquals(expiryOf(both), Some(1577923200000L))
  }

  private lazy val lister = newAuthority("Lister")
  private lazy val good   = lister.issue("DNS:localhost")

  /** Why a client that trusts these certificates refuses a server; empty if it does not. */
  private def refused(issued: Authority#Issued, list: Path, trusted: Path): String = {
    val tls = Tls.client(TlsClientConfig(TlsTrust.File(trusted), revoked = Some(list), resume = false))
    serving(TlsServerConfig(issued.chain, issued.key)) { served =>
      try {
        hello(served, open(served.loop, served.port, tls))
        ""
      } catch {
        case e: java.io.IOException => e.getMessage.replaceFirst(".*the certificate of localhost ", "")
      }
    }
  }

  private def unchecked(why: String): String = RevocationLists.unchecked(why)

  tlsTest("a list that has not begun, or is signed by another key than the issuer's, does not count") {
    val twin = newAuthority("Lister")
    twin.revoke()
    lister.expireList(at = "20990101000000Z", from = "20980101000000Z")
    for (list <- Seq(twin.revoked, lister.revoked))
      assertEquals(refused(good, list, lister.file), unchecked(RevocationLists.invalid("CN=Lister")))
  }

  /** The list as it is now. */
  private def copy(name: String): Path = Files.copy(lister.revoked, authority.file(name))

  private def together(lists: Path*): Path =
    Files.write(
      Files.createTempFile(authority.file.getParent, "all", ".crl"),
      lists.flatMap(Files.readAllBytes(_)).toArray
    )

  tlsTest("an old list beside the one that has replaced it says nothing of when lists expire") {
    lister.expireList()
    val old = copy("old.crl")
    lister.revoke()
    val current = copy("current.crl")
    for (both <- Seq(together(old, current), together(current, old)))
      assertEquals(expiryOf(both, lister.file), expiryOf(current, lister.file))
  }

  tlsTest("nor does a list that does not count: one of changes, or of a distribution point") {
    lister.revoke()
    val current = copy("whole.crl")

    def only(what: String): String = s"issuingDistributionPoint = critical, @scope\n[scope]\n$what"
    for (extension <- Seq("2.5.29.27 = DER:02:01:01", only("fullname = URI:http://127.0.0.1:1/other.crl"))) {
      lister.listWith(extension, at = "20200102000000Z")
      assertEquals(
        expiryOf(together(current, lister.revoked), lister.file),
        expiryOf(current, lister.file),
        extension
      )
    }
    // one of users does, unless a newer one of all has taken its place
    lister.listWith(only("onlyuser = TRUE"), at = "20200102000000Z", from = "20190601000000Z")
    assertEquals(expiryOf(together(current, lister.revoked), lister.file), expiryOf(current, lister.file))
    val ofUsers = copy("users.crl")
    lister.expireList(at = "20990101000000Z", from = "20190101000000Z")
    assertEquals(expiryOf(together(lister.revoked, ofUsers), lister.file), Some(1577923200000L))
  }

  tlsTest("when the newest list has expired, an older one that has not does not hide it") {
    lister.expireList(at = "20990101000000Z", from = "20200101000000Z")
    val older = copy("older.crl")
    lister.expireList(at = "20200103000000Z", from = "20200102000000Z")
    val newer = copy("newer.crl")
    lister.expireList(at = "21000101000000Z", from = "20980101000000Z")
    val future = copy("future.crl")
    lister.listWith("2.5.29.27 = DER:02:01:01")
    val changes = copy("changes.crl")
    for (
      all <- Seq(Seq(older, newer), Seq(newer, older), Seq(changes, older, newer), Seq(newer, older, future))
    ) {
      assertEquals(expiryOf(together(all*), lister.file), Some(1578009600000L))
      assertEquals(
        refused(good, together(all*), lister.file),
        "cannot be checked for revocation: the revocation list of CN=Lister has expired"
      )
    }
  }

  test("a list that begins before the present one ends, takes over from it when it begins") {
    val now                                        = 1000L * 1000 * 1000
    def list(from: Int, until: Int, kind: Any = 1) =
      RevocationLists.Dated(
        RevocationLists.Kind(kind, Nil, Nil, true, true),
        now + from * 3600000L,
        now + until * 3600000L
      )
    def expiry(lists: RevocationLists.Dated*) =
      RevocationLists.expiries(lists, authority.file, now).map(_.until).minOption.map(end =>
        (end - now) / 3600000.0
      )
    def change(lists: RevocationLists.Dated*) =
      RevocationLists.change(lists, now).map(end => (end - now) / 3600000.0)
    val (old, present, next) = (list(-20, 30), list(-10, 10), list(9, 20))
    assertEquals((expiry(), change()), (None, None))
    assertEquals((expiry(old, present), change(old, present)), (Some(10.0), Some(10.0)))
    for (all <- Seq(old, present, next).permutations) {
      assertEquals(expiry(all*), Some(20.0))
      assertEquals(change(all*), Some(8.75)) // by a clock that is slow
    }
    assertEquals(expiry(present, next, list(20, 30), list(31, 40)), Some(30.0))
    assertEquals(expiry(present, list(11, 20)), Some(10.0))
    assertEquals(change(present, list(11, 20)), Some(10.0))
    assertEquals(expiry(present, list(2, 5)), Some(5.0)) // which alone counts from its beginning on
    assertEquals(expiry(present, next, list(-5, 12, kind = 2)), Some(12.0))
    assertEquals(change(present, next, list(-5, 7, kind = 2)), Some(7.0))
    val ended = list(-5, -2)
    assertEquals((expiry(ended, next), change(ended, next)), (Some(-2.0), Some(-2.0)))
    assertEquals(expiry(list(5, 8), next), Some(8.0))
  }

  tlsTest("nobody is accepted by an old list when the newest has expired, however they differ") {
    val issuer      = newAuthority("Lister")
    val (free, bad) = (issuer.issue("DNS:localhost"), issuer.issue("DNS:localhost"))
    val kinds       = Seq(
      "",
      "authorityKeyIdentifier = keyid",
      "issuingDistributionPoint = critical, @scope\n[scope]\nonlyuser = TRUE"
    )
    def lists(name: String, from: String, at: String): Seq[Path] = kinds.zipWithIndex.map { case (kind, n) =>
      if (kind.isEmpty) issuer.expireList(at, from) else issuer.listWith(kind, at, from)
      Files.copy(issuer.revoked, issuer.file(s"$name$n.crl"))
    }
    val older = lists("older", from = "20200101000000Z", at = "20990101000000Z")
    issuer.revoke(bad)
    val newer = lists("newer", from = "20210101000000Z", at = "20220101000000Z")
    for {
      one     <- older
      two     <- newer
      trusted <- Seq(issuer.file -> free, issuer.file -> bad, free.chain -> free, bad.chain -> bad)
    } {
      val why = refused(trusted._2, together(one, two), trusted._1)
      assert(why.nonEmpty, (one, two, trusted._1))
    }
    assertEquals(refused(free, older.head, issuer.file), "")
  }

  test("a list is replaced by a newer one that may be of the same key, and is of the same certificates") {
    def kind(key: Int*)(users: Boolean, authorities: Boolean) =
      RevocationLists.Kind("CN=a", Nil, key.map(_.toByte), users, authorities)
    val (all, users, authorities) = (kind()(true, true), kind()(true, false), kind()(false, true))
    val (one, two)                = (kind(1)(true, true), kind(2)(true, true))
    for (
      (older, newer) <-
        Seq(all -> users, users -> all, authorities -> all, all -> one, one -> all, one -> one)
    )
      assert(newer.replaces(older), (older, newer))
    for ((older, newer) <- Seq(one -> two, all -> authorities, users -> authorities, authorities -> users))
      assert(!newer.replaces(older), (older, newer))
    assert(!all.copy(issuer = "CN=b").replaces(all))
    // what trusted authorities have signed is certain
    val (signed, other) = (one.copy(signer = Seq(1)), one.copy(signer = Seq(2)))
    assert(signed.copy(key = Seq(9)).replaces(signed))
    assert(!other.replaces(signed) && !one.replaces(signed) && !signed.replaces(all))

    val now                                                     = 1000L * 1000 * 1000
    def list(kind: RevocationLists.Kind, from: Int, until: Int) =
      RevocationLists.Dated(kind, now + from * 3600000L, now + until * 3600000L)
    val (ended, present, next) = (list(all, -20, -10), list(one, -5, 10), list(users, 2, 20))
    val replacedOne            = Seq(ended, present)
    assertEquals(
      RevocationLists.expiries(replacedOne, Paths.get("a.crl"), now).map(_.until),
      Seq(present.until)
    )
    assertEquals(RevocationLists.change(replacedOne, now), Some(present.until))
    assertEquals(
      RevocationLists.change(Seq(present, next), now),
      Some(next.from - RevocationLists.ClockSkew)
    )
    // an older one may be of another key, until whose end nobody is accepted again without being asked
    val (older, newer) = (list(all, -20, 5), list(all, -5, 10))
    assertEquals(RevocationLists.change(Seq(older, newer), now), Some(older.until))
    // also if it says which key that is, and the newer one does not
    val known = list(one, -20, 5)
    assertEquals(RevocationLists.change(Seq(known, newer), now), Some(known.until))
    val certain = Seq(older, newer).map(one => one.copy(kind = one.kind.copy(signer = Seq(1))))
    assertEquals(RevocationLists.change(certain, now), Some(newer.until))
  }

  test("the key's identifier is what counts of an authorityKeyIdentifier") {
    def identifier(der: Int*): Seq[Byte] = RevocationLists.keyIdentifier(der.map(_.toByte).toArray)
    assertEquals(identifier(0x30, 4, 0x80, 2, 7, 8), Seq[Byte](7, 8))
    assertEquals(identifier(0x30, 7, 0x80, 2, 7, 8, 0x82, 1, 1), Seq[Byte](7, 8)) // and a serial number
    assertEquals(identifier(0x30, 0x81, 4, 0x80, 2, 7, 8), Seq[Byte](7, 8))
    assertEquals(identifier(0x30, 3, 0x82, 1, 1), Nil)
    for (damaged <- Seq(Nil, Seq(0x30), Seq(0x30, 0), Seq(0x30, 4, 0x80, 3, 7, 8), Seq(0x30, 0x84, 1)))
      assertEquals(identifier(damaged*), Nil)
  }

  tlsTest("of several lists of an issuer that count, the newest does") {
    val issuer                             = newAuthority("Lister")
    val issued                             = issuer.issue("DNS:localhost")
    val first                              = authority.file("first.crl")
    val second                             = authority.file("second.crl")
    def list(from: String, to: Path): Unit = {
      issuer.expireList(at = "20990101000000Z", from)
      Files.copy(issuer.revoked, to, java.nio.file.StandardCopyOption.REPLACE_EXISTING)
      ()
    }
    def refusals = for (both <- Seq(together(first, second), together(second, first)))
      yield refused(issued, both, issuer.file)
    list("20200101000000Z", first)
    issuer.revoke(issued)
    list("20200102000000Z", second)
    assert(refusals.forall(_.nonEmpty), refusals)
    Files.move(second, authority.file("revoking.crl"))
    list("20200101000000Z", first)
    Files.write(issuer.file.getParent.resolve("index.txt"), Array.emptyByteArray) // it was a mistake
    list("20200102000000Z", second)
    assertEquals(refusals, Seq("", ""))
  }
}
