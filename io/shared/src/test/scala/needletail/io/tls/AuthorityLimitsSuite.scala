package needletail.io.tls

import java.io.IOException
import java.nio.file.{Files, Path}

import needletail.io.Tls
import needletail.testing.Authority

/** What authorities limit in the certificates below them: names, how many authorities, and for whom they are. */
class AuthorityLimitsSuite extends TlsPair {

  /** With those of authorities between it and the trusted one. */
  private def chain(issued: Authority#Issued, between: Authority*): TlsCertificate = {
    val made = Files.createTempFile(temporaryDirectory(), "chain", ".pem")
    val all  = issued.chain +: between.map(_.file)
    TlsCertificate(Files.write(made, all.flatMap(Files.readAllBytes(_)).toArray), issued.key)
  }

  /** What a client that trusts these says of a server with that certificate; empty if it accepts it. */
  private def saidOfServer(shown: TlsCertificate, trusted: Path): String =
    serving(TlsServerConfig(Seq(shown))) { served =>
      try { val _ = hello(served, open(served.loop, served.port, Tls.trusting(trusted))); "" }
      catch { case e: IOException => e.getMessage.replaceFirst("cannot connect to [0-9.:]+: ", "") }
    }

  private def assertClient(shown: TlsCertificate, trusted: Path, why: String): Unit = {
    val said = saidOf(shown, trusted)
    if (why.isEmpty) assertEquals(said, "")
    else assert(
      said.contains("the certificate of the client (") && said.endsWith(s") is not trusted: $why"),
      said
    )
  }

  private def assertServer(shown: TlsCertificate, trusted: Path, why: String): Unit =
    assertEquals(
      saidOfServer(shown, trusted),
      if (why.isEmpty) "" else s"the certificate of localhost is not trusted: $why"
    )

  /** Without it OpenSSL takes what has its issuer's name for self-signed. */
  private final val ByKey = "authorityKeyIdentifier = keyid"

  private final val Named = "it has a name that an authority does not permit"

  private def permitting(names: String): Authority =
    newAuthority("Staff", more = s"nameConstraints = critical, $names")

  tlsTest("a trusted authority permits names: a server has no other") {
    val staff = permitting("permitted;DNS:localhost")
    val below = newAuthority("Below", by = Some(staff))
    for ((names, why) <- Seq("DNS:localhost" -> "", "DNS:localhost,DNS:bank.example" -> Named)) {
      assertServer(files(staff.issue(names)), staff.file, why)
      assertServer(chain(below.issue(names), below), staff.file, why)
    }
  }

  tlsTest("nor has a client, of a host, by its common name too, or with an address for e-mail") {
    val staff = permitting("permitted;DNS:staff.example, permitted;email:staff.example")
    def judge(names: String, why: String): Unit = assertClient(files(staff.issue(names)), staff.file, why)
    judge("DNS:ann.staff.example,email:ann@staff.example", "")
    judge("DNS:bank.example", Named)
    judge("DNS:evilstaff.example", Named)
    judge("email:boss@bank.example", Named)
    judge("email:ann@sub.staff.example", Named)
    for (
      (subject, mail, why) <- Seq(
        ("bank.example", "ann@staff.example", Named),
        ("Ann", "a@bank.example", Named),
        ("Ann", "ann@staff.example", "")
      )
    )
      assertClient(
        files(staff.issue("", subject = subject, further = Seq("emailAddress" -> mail))),
        staff.file,
        why
      )
    // in BMPString, as any other
    assertClient(
      files(staff.issue("", subject = "bank.example", further = Seq("O" -> "Ł"), strings = "MASK:0x800")),
      staff.file,
      Named
    )
    // a host's name beside it
    assertClient(files(staff.issue("DNS:staff.example", subject = "bank.example")), staff.file, "")
  }

  tlsTest("a client that has the name of its authority is no authority by that") {
    val staff  = permitting("permitted;DNS:staff.example")
    val below  = newAuthority("Below", by = Some(staff))
    val marked = s"basicConstraints = critical, CA:TRUE\nsubjectKeyIdentifier = hash\n$ByKey"
    assertClient(
      files(staff.issue("DNS:bank.example", subject = "Staff", more = marked)),
      staff.file,
      Named
    )
    assertClient(
      chain(below.issue("DNS:bank.example", subject = "Below", more = marked), below),
      staff.file,
      Named
    )
  }

  tlsTest("it excludes names: of hosts, all of them by none, of addresses and of directories") {
    val staff = permitting(
      "excluded;DNS:bank.example, excluded;IP:10.0.0.0/255.0.0.0, excluded;dirName:others\n[others]\nCN = Bob"
    )
    def judge(names: String, why: String, subject: String = "Ann"): Unit =
      assertClient(files(staff.issue(names, subject = subject)), staff.file, why)
    judge("DNS:ann.example,IP:11.0.0.1", "")
    judge("DNS:www.bank.example", Named)
    judge("IP:10.1.2.3", Named)
    judge("DNS:ann.example", Named, subject = "BOB")
    val hostless = permitting("DER:30:06:a1:04:30:02:82:00") // of a host without a name
    assertClient(files(hostless.issue("DNS:ann.example")), hostless.file, Named)
    assertClient(files(hostless.issue("email:ann@staff.example")), hostless.file, "")
  }

  tlsTest(
    "a host's name with a dot at its end is none that an authority permits, whether it excludes it or not"
  ) {
    val (excluding, permits) =
      (permitting("excluded;DNS:bank.example"), permitting("permitted;DNS:bank.example"))
    for (staff <- Seq(excluding, permits); name <- Seq("bank.example.", "www.bank.example.")) {
      assertClient(files(staff.issue(s"DNS:$name")), staff.file, Named)
      assertServer(files(staff.issue(s"DNS:$name,DNS:localhost")), staff.file, Named)
    }
    // where no names are limited it is as any other
    assertClient(files(authority.issue("DNS:bank.example.")), authority.file, "")
    val own = excluding.issue("DNS:bank.example.") // that of who is trusted itself, too
    assertClient(files(own), own.chain, "")
  }

  tlsTest("an authority between the two limits names, too, and must keep to those of the one above") {
    val below =
      newAuthority("Below", Some(authority), more = "nameConstraints = critical, permitted;DNS:localhost")
    assertServer(chain(below.issue("DNS:localhost"), below), authority.file, "")
    assertServer(chain(below.issue("DNS:localhost,DNS:bank.example"), below), authority.file, Named)
    assertClient(chain(below.issue("", subject = "bank.example"), below), authority.file, Named)
    val staff = permitting("excluded;dirName:others\n[others]\nCN = Below")
    val other = newAuthority("Below", Some(staff))
    val why   = "its authority CN=Below has a name that an authority does not permit"
    assertServer(chain(other.issue("DNS:localhost"), other), staff.file, why)
    assertClient(chain(other.issue("DNS:ann"), other), staff.file, why)
  }

  tlsTest("a trusted authority says how many others there may be below it") {
    val why = "one of its authorities permits fewer others below it"
    for ((most, refusal) <- Seq(0 -> why, 1 -> "")) {
      val staff  = newAuthority("Staff", basic = s"CA:TRUE, pathlen:$most")
      val below  = newAuthority("Below", Some(staff))
      val issued = below.issue("DNS:localhost")
      assertServer(chain(issued, below), staff.file, refusal)
      assertClient(chain(issued, below), staff.file, refusal)
      assertServer(files(staff.issue("DNS:localhost")), staff.file, "")
      // one that is issued by itself, as for another key, does not count
      val again = newAuthority("Staff", Some(staff), more = ByKey)
      val own   = again.issue("DNS:localhost", more = ByKey)
      assertServer(chain(own, again), staff.file, "")
      // nor does what is an authority's, and shown by a peer
      val peer = staff.issue("DNS:localhost", more = "basicConstraints = critical, CA:TRUE")
      assertClient(files(peer), staff.file, "")
    }
  }

  tlsTest("an authority, trusted or between, says whether its certificates are for clients or servers") {
    def isNot(name: String, peers: String) = s"its authority CN=$name is not for TLS $peers"
    for ((use, servers, clients) <- Seq(("serverAuth", true, false), ("clientAuth", false, true))) {
      val more           = s"extendedKeyUsage = $use"
      val (above, below) =
        (newAuthority("Above", more = more), newAuthority("Below", Some(authority), more = more))
      def why(is: Boolean, name: String, peers: String) = if (is) "" else isNot(name, peers)
      val (direct, between)                             =
        (files(above.issue("DNS:localhost")), chain(below.issue("DNS:localhost"), below))
      assertServer(direct, above.file, why(servers, "Above", "servers"))
      assertServer(between, authority.file, why(servers, "Below", "servers"))
      assertClient(direct, above.file, why(clients, "Above", "clients"))
      assertClient(between, authority.file, why(clients, "Below", "clients"))
    }
  }

  tlsTest("so does a peer's own certificate, also one that is trusted itself") {
    for ((use, servers, clients) <- Seq(("serverAuth", true, false), ("clientAuth", false, true))) {
      val own = authority.issue("DNS:localhost", more = s"extendedKeyUsage = $use")
      for (trusted <- Seq(authority.file, own.chain)) {
        assertServer(files(own), trusted, if (servers) "" else "it is not for TLS servers")
        assertClient(files(own), trusted, if (clients) "" else "it is not for TLS clients")
      }
    }
  }
}
