package needletail.io.system.tls

import java.io.IOException

import needletail.io.{Tls, TlsIdentity}
import needletail.io.tls.{TlsCertificate, TlsClientAuth, TlsLimits, TlsProfile, TlsServerConfig}
import needletail.testing.{Suite, TemporaryDirectories}

/** Contexts of OpenSSL: how many there are, and settings that it refuses. */
class OpenSslServerSuite extends Suite with TemporaryDirectories {
  private lazy val authority = newAuthority()

  private def certificate(names: Seq[String], algorithm: String = "ec"): TlsCertificate = {
    val issued = authority.issue(names.map("DNS:" + _).mkString(","), algorithm)
    TlsCertificate(issued.chain, issued.key)
  }

  private def names(from: Int, until: Int): Seq[String] = (from until until).map(i => s"n$i.example")

  private def contexts(certificates: TlsCertificate*): Int = {
    val server = new OpenSslServer(TlsServerConfig(certificates))
    try server.contextsOfLoop
    finally server.release()
  }

  test("there is a context for each set of certificates that names share, not for each name") {
    val first = certificate(names(0, 100))
    assertEquals(contexts(first), 1)
    val second = certificate(names(100, 200))
    assertEquals(contexts(first, second), 2)
    val also = certificate(names(150, 160), "rsa")
    assertEquals(contexts(first, second, also), 3)
    val others = Seq.tabulate(3)(i => certificate(Seq(s"other$i.example")))
    assertEquals(contexts(first +: others: _*), 4)
  }

  test(
    "the keys of tickets are gone with the server's contexts: after each reload, and if its files are of no use"
  ) {
    val before       = OpenSslFunctions.ticketsAlive()
    val (one, other) = (certificate(Seq("a.example")), certificate(Seq("b.example")))
    def alive: Int   = OpenSslFunctions.ticketsAlive() - before
    for (_ <- 1 to 10) contexts(one)
    assertEquals(alive, 0)
    for (_ <- 1 to 10) intercept[IOException](contexts(TlsCertificate(one.chain, other.key)))
    assertEquals(alive, 0)
    val identity = Tls.server(TlsServerConfig(Seq(one)))
    for (_ <- 1 to 100) identity.reload()
    assertEquals(alive, 1)
  }

  test("after a reload no loop makes a context: those that it has needed are there") {
    authority.revoke()
    val clients = TlsClientAuth(authority.file, revoked = Some(authority.revoked))
    val config  = TlsServerConfig(
      Seq(certificate(Seq("first.example")), certificate(Seq("second.example"))),
      clients = Some(clients)
    )
    val (former, next) = (new OpenSslServer(config), new OpenSslServer(config))
    def made           = (OpenSslFunctions.contextsAlive(), OpenSslFunctions.listsRead())
    try {
      assertEquals(former.contextsOfLoop, 2)
      next.replaces(former)
      val before = made
      assertEquals(next.contextsOfLoop, 2)
      assertEquals(made, before)
    } finally {
      former.release()
      next.release()
    }
  }

  test("what is kept for connections is freed when no server uses it, and made again when one does") {
    def alive  = (OpenSslFunctions.contextsAlive(), OpenSslFunctions.ticketsAlive())
    val before = alive
    val config = TlsServerConfig(Seq(certificate(Seq("a.example")), certificate(Seq("b.example"))))
    val server = new OpenSslServer(config)
    val (c, t) = before
    assertEquals(OpenSslFunctions.contextsAlive(), c, "those by which the files were tried are kept")
    for (_ <- 1 to 2) {
      assertEquals(server.contextsOfLoop, 2)
      assertEquals(alive, (c + 2, t + 1))
      server.rest()
      assertEquals(alive, before)
    }
    server.release()
    assertEquals(alive, before)
  }

  test("a reload that ends after the last server leaves no contexts behind") {
    val config   = TlsServerConfig(Seq(certificate(Seq("a.example"))))
    var made     = List.empty[OpenSslServer]
    var onReload = () => ()
    val identity = new TlsIdentity(
      TlsLimits(),
      () => {
        onReload()
        made ::= new OpenSslServer(config)
        made.head
      },
      Nil
    )
    def alive  = (OpenSslFunctions.contextsAlive(), OpenSslFunctions.ticketsAlive())
    val before = OpenSslFunctions.contextsAlive()
    identity.attach()
    assertEquals(made.head.contextsOfLoop, 1)
    // the contexts of the former are there until they are replaced
    onReload = () => identity.detach()
    val (_, tickets) = alive
    identity.reload()
    assertEquals(alive, (before, tickets - 1))
    made.foreach(_.release())
  }

  test("authorities and lists of revoked certificates are read once for a loop, not for each set of names") {
    authority.revoke()
    val clients = TlsClientAuth(authority.file, revoked = Some(authority.revoked))
    val three   = Seq.tabulate(3)(i => certificate(Seq(s"list$i.example")))
    val server  = new OpenSslServer(TlsServerConfig(three, clients = Some(clients)))
    try {
      val before = OpenSslFunctions.listsRead()
      assertEquals(server.contextsOfLoop, 3)
      assertEquals(OpenSslFunctions.listsRead() - before, 1)
    } finally server.release()
  }

  test("a server whose context is in use keeps the keys of its tickets until that is released") {
    val before = OpenSslFunctions.ticketsAlive()
    val server = new OpenSslServer(TlsServerConfig(Seq(certificate(Seq("a.example")))))
    server.whileUsed {
      server.release()
      server.release() // the second time changes nothing
      assertEquals(OpenSslFunctions.ticketsAlive() - before, 1)
    }
    assertEquals(OpenSslFunctions.ticketsAlive() - before, 0)
    assertEquals(server.contextsOfLoop, 1) // made once more, without those keys
  }

  test("what the library does not support of a profile is an error, and not replaced by its own settings") {
    import OpenSslSettings.*
    def use(
        least: Int = 0x0303,
        older: String = Older,
        newer: String = Newer,
        groups: String = Groups
    ): Unit =
      OpenSslFunctions.release(OpenSslSettings.context(
        isServer = true,
        TlsProfile.Modern,
        sessionSeconds = 1
      )(
        OpenSslSettings.use(_, least, older, newer, groups)
      ))
    def why(body: => Unit): String =
      intercept[IOException](body).getMessage
        .stripPrefix("TLS is not available: OpenSSL does not support the ")
        .stripSuffix(" that are to be used")
    use()
    use(groups = "P-999:P-256:P-384") // without X25519
    assertEquals(why(use(least = 0x9999)), "versions")
    assertEquals(why(use(older = "NONE-SHA256")), "ciphers of TLS 1.2")
    if (!TlsLibrary.isOneOf(TlsLibrary.BoringSsl)) // which has its own
      assertEquals(why(use(newer = "TLS_NONE")), "ciphers of TLS 1.3")
    assertEquals(why(use(groups = "X25519:P-999")), "groups")
    assertEquals(why(use(groups = "P-999")), "groups")
    def offer(protocols: String*): Unit =
      OpenSslFunctions.release(OpenSslSettings.context(
        isServer = false,
        TlsProfile.Modern,
        sessionSeconds = 1
      )(
        OpenSslSettings.protocols(_, protocols)
      ))
    offer("h2", "http/1.1")
    assertEquals(why(offer("h2", "")), "protocols (h2, )")
  }

  test("a subject is known in full, however long") {
    val (chain, key) = (authority.file("long.pem"), authority.file("long.key"))
    val units        = (100 until 180).map(i => s"/OU=$i" + "x" * 60).mkString
    val command      =
      Seq("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes") ++
        Seq("-days", "2", "-subj", s"/CN=end$units", "-keyout", key.toString, "-out", chain.toString)
    val process = new ProcessBuilder(command*).redirectErrorStream(true)
      .redirectOutput(authority.file("log").toFile).start()
    assertEquals(process.waitFor(), 0)
    val server = new OpenSslServer(TlsServerConfig(Seq(TlsCertificate(chain, key))))
    try {
      val subject = server.certificates.head.subject
      assertEquals(subject.length, 80 * 67 + 6)
      assert(subject.startsWith("OU=179x") && subject.endsWith(",CN=end"), subject)
      assertEquals(server.certificates.head.names, Nil)
    } finally server.release()
  }
}
