package needletail.io.tls

import java.io.IOException
import java.nio.file.{Files, Path}

import scala.concurrent.{Await, Promise}

import needletail.io.{Connection, ConnectionHandler, Connector, Listener, LoopSuite, Tls, TlsIdentity}
import needletail.io.platform.{ConnectionOptions, ListenOptions}
import needletail.io.system.tls.TlsLibrary
import needletail.io.system.tls.TlsLibrary.{AwsLc, BoringSsl}
import needletail.testing.{Authority, TemporaryDirectories}

/** What the configurations of TLS promise, on both ends of connections of our own. */
class TlsConfigSuite extends LoopSuite with TemporaryDirectories {
  private lazy val authority = newAuthority()
  private lazy val local     = authority.issue("DNS:localhost,IP:127.0.0.1")
  private lazy val rsa       = authority.issue("DNS:localhost,IP:127.0.0.1", "rsa")
  private lazy val stranger  = newAuthority("Stranger").issue("DNS:localhost")

  private def files(issued: Authority#Issued): TlsCertificate    = TlsCertificate(issued.chain, issued.key)
  private def config(issued: Authority#Issued*): TlsServerConfig = TlsServerConfig(issued.map(files))
  private def trusting: TlsClientConfig = TlsClientConfig(TlsTrust.File(authority.file))

  /** The platform may have no TLS, which other tests are about. */
  private def secured(name: String)(body: => Unit): Unit = test(name)(if (Tls.isKnown) body)

  /** A connection between the two: what each knows of it, or why the client failed. */
  private type Met = Either[String, (TlsSession, TlsSession)]

  private def serving[A](identity: TlsIdentity)(body: ((Tls, String) => Met) => A): A = withLoop { loop =>
    @volatile var accepted: Promise[Connection] = null
    val listener                                = Listener.bind(
      anyPort,
      loop,
      ListenOptions(),
      _.start(loop, ConnectionOptions(), identity) { connection =>
        val mine = accepted
        new ConnectionHandler {
          def onData(bytes: Array[Byte], from: Int, until: Int): Int = {
            mine.trySuccess(connection)
            connection.write(bytes, from, until - from)
            until
          }
          def onEnd(): Unit                    = connection.close()
          def onDrained(): Unit                = ()
          def onDeadline(): Unit               = ()
          def onClosed(cause: Throwable): Unit = ()
        }
      }
    )
    body { (tls, name) =>
      accepted = Promise()
      val events = new Events
      try {
        val peer   = tls.to(name)
        val opened = Promise[Connection]()
        loop.execute { () =>
          Connector.connect(listener.address, loop, tls = peer)(_ => new Recorder(events))
            .onComplete(t => { opened.complete(t); () })
        }
        val mine = Await.result(opened.future, patience)
        on(loop)(mine.write("hello".getBytes, 0, 5))
        val first = events.next()
        val met   =
          if (first != "data hello") Left(first)
          else {
            val theirs = Await.result(accepted.future, patience)
            Right((on(loop)(theirs.tlsSession.get), on(loop)(mine.tlsSession.get)))
          }
        on(loop)(mine.close())
        met
      } catch { case e: IOException => Left(e.getMessage) }
    }
  }

  private def met(result: Met): (TlsSession, TlsSession) = result match {
    case Right(both) => both
    case Left(why)   => fail(why)
  }

  private def connected(result: Met): Unit = { met(result); () }

  /** The first connection to a server with that configuration. */
  private def meeting(
      server: TlsServerConfig,
      client: TlsClientConfig = trusting,
      name: String = "localhost"
  ): Met =
    serving(Tls.server(server))(connect => connect(Tls.client(client), name))

  private def refused(result: Met, words: String): Unit = result match {
    case Right(_)  => fail(s"connected, where this was expected: $words")
    case Left(why) => assert(why.contains(words), why)
  }

  secured("both ends know what was agreed on") {
    val (theirs, ours) = met(meeting(config(local), trusting.copy(protocols = Seq("h2", "http/1.1"))))
    assertEquals(theirs.version, "TLSv1.3")
    assertEquals(theirs.cipher, ours.cipher)
    assertEquals(theirs.protocol, "http/1.1")
    assertEquals(ours.protocol, "http/1.1")
    assertEquals(theirs.peer, None)
    val certificate = ours.peer.get
    assertEquals(certificate.subject, "CN=needletail")
    assertEquals(certificate.issuer, "CN=Test Authority")
    assertEquals(certificate.names, Seq("DNS:localhost", "IP:127.0.0.1"))
    assertEquals(certificate.sha256.length, 64)
  }

  secured("who asks for nothing that is spoken here is refused; who does not ask is not") {
    refused(meeting(config(local), trusting.copy(protocols = Seq("h2"))), "localhost")
    assertEquals(met(meeting(config(local)))._1.protocol, "")
    assertEquals(
      met(meeting(config(local).copy(protocols = Nil), trusting.copy(protocols = Seq("h2"))))._1.protocol,
      ""
    )
  }

  secured("certificates are chosen by the name that is asked for") {
    val shop  = authority.issue("DNS:shop.example,DNS:*.shop.example", subject = "shop")
    val exact = authority.issue("DNS:www.shop.example", subject = "exact")
    val users = authority.issue("DNS:users", subject = "users")
    serving(Tls.server(config(local, shop, exact, users))) { connect =>
      val tls                         = Tls.client(trusting)
      def shown(name: String): String = met(connect(tls, name))._2.peer.get.subject
      assertEquals(shown("shop.example"), "CN=shop")
      assertEquals(shown("a.shop.example"), "CN=shop")
      assertEquals(shown("www.shop.example"), "CN=exact")
      assertEquals(met(connect(tls, "a.shop.example"))._1.serverName, "a.shop.example")
      assertEquals(shown("users"), "CN=users") // a name without a dot, as in a cluster
      refused(connect(tls, "a.b.shop.example"), "the certificate is not for a.b.shop.example")
      assertEquals(shown("127.0.0.1"), "CN=needletail") // by an address no name is asked for
    }
  }

  secured("unknown names can be refused") {
    val shop = authority.issue("DNS:shop.example")
    serving(Tls.server(config(shop).copy(refuseUnknownNames = true))) { connect =>
      connected(connect(Tls.client(trusting), "shop.example"))
      refused(connect(Tls.client(trusting), "other.example"), "no TLS with other.example")
    }
  }

  secured("a name that is set is asked for and must be that of the certificate") {
    val shop   = authority.issue("DNS:shop.example")
    val asking = trusting.copy(serverName = Some("shop.example"))
    assertEquals(met(meeting(config(shop), asking, "localhost"))._1.serverName, "shop.example")
    refused(meeting(config(local), asking, "localhost"), "the certificate is not for shop.example")
  }

  secured("an ECDSA and an RSA key for the same name") {
    // a client with TLS 1.2 and ciphers for one kind of key is for a judge from outside
    val (_, ours) = met(meeting(config(rsa, local)))
    assert(Seq("CN=needletail").contains(ours.peer.get.subject))
    connected(meeting(config(rsa)))
  }

  secured("profiles") {
    assertEquals(met(meeting(config(local).copy(profile = TlsProfile.Modern)))._1.version, "TLSv1.3")
    assertEquals(
      met(meeting(config(local), trusting.copy(profile = TlsProfile.Modern)))._1.version,
      "TLSv1.3"
    )
  }

  secured(
    "a server's certificate that is expired, unknown, revoked or not pinned is refused, and the error says so"
  ) {
    refused(
      meeting(config(authority.issue("DNS:localhost", isExpired = true))),
      "the certificate of localhost has expired"
    )
    refused(meeting(config(stranger)), "the certificate of localhost is not trusted")
    val bad = authority.issue("DNS:localhost")
    authority.revoke(bad)
    refused(
      meeting(config(bad), trusting.copy(revoked = Some(authority.revoked))),
      "the certificate of localhost was revoked"
    )
    connected(meeting(config(local), trusting.copy(revoked = Some(authority.revoked))))
    val other = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
    refused(meeting(config(local), trusting.copy(pins = Set(other))), "none of its keys is pinned")
    connected(meeting(config(local), TlsClientConfig(TlsTrust.Unchecked), "other.example"))
  }

  /** SHA-256 of the SubjectPublicKeyInfo of the first certificate in a file, in base64. */
  private def pin(certificate: Path): String = {
    val text   = authority.converted(certificate, "x509 -in IN -pubkey -noout -out OUT")
    val binary = authority.converted(text, "pkey -pubin -in IN -pubout -outform der -out OUT")
    val digest = authority.converted(binary, "dgst -sha256 -binary -out OUT IN")
    java.util.Base64.getEncoder.encodeToString(Files.readAllBytes(digest))
  }

  secured("pins are of the path that is verified, and of nothing else that a server shows") {
    val other                                = newAuthority("Other")
    val padded                               = authority.file("padded.pem")
    def pinning(file: Path): TlsClientConfig = trusting.copy(pins = Set(pin(file)))
    Files.write(padded, Files.readAllBytes(local.chain) ++ Files.readAllBytes(other.file))
    val server = TlsServerConfig(Seq(TlsCertificate(padded, local.key)))
    refused(meeting(server, pinning(other.file)), "none of its keys is pinned")
    connected(meeting(server, pinning(local.chain)))
    connected(meeting(config(local), pinning(authority.file))) // which the server does not show
  }

  secured("clients' certificates: none, wanted, required") {
    val ann                       = authority.issue("email:ann@example.com", subject = "Ann")
    val asAnn                     = trusting.copy(certificate = Some(files(ann)))
    def asking(required: Boolean) =
      config(local).copy(clients = Some(TlsClientAuth(authority.file, required)))
    def seen(session: TlsSession): String                         = session.peer.fold("nobody")(_.subject)
    def from(server: TlsServerConfig, c: TlsClientConfig): String = seen(met(meeting(server, c))._1)
    assertEquals(from(config(local), asAnn), "nobody")
    assertEquals(from(asking(required = false), trusting), "nobody")
    assertEquals(from(asking(required = false), asAnn), "CN=Ann")
    assertEquals(from(asking(required = true), asAnn), "CN=Ann")
    assertEquals(met(meeting(asking(required = true), asAnn))._1.peer.get.names, Seq("email:ann@example.com"))
    assert(meeting(asking(required = true), trusting).isLeft)
    val unknown = trusting.copy(certificate = Some(files(stranger)))
    // the JDK shows no certificate of an issuer that the server does not know
    assert(meeting(asking(required = true), unknown).isLeft)
  }

  secured("clients that are revoked, or refused by the server's own check, in resumed sessions too") {
    val (ann, bob) =
      (authority.issue("DNS:ann", subject = "Ann"), authority.issue("DNS:bob", subject = "Bob"))
    def as(who: Authority#Issued) = Tls.client(trusting.copy(certificate = Some(files(who))))
    authority.revoke(bob)
    val strict = TlsClientAuth(authority.file, revoked = Some(authority.revoked))
    serving(Tls.server(config(local).copy(clients = Some(strict)))) { connect =>
      connected(connect(as(ann), "localhost"))
      assert(connect(as(bob), "localhost").isLeft)
    }
    @volatile var isWelcome = true
    val checked             = TlsClientAuth(authority.file, check = c => isWelcome && c.subject == "CN=Ann")
    val identity            = Tls.server(config(local).copy(clients = Some(checked)))
    serving(identity) { connect =>
      val again = as(ann)
      connected(connect(again, "localhost"))
      eventually(met(connect(again, "localhost"))._1.isResumed, "no session is resumed")
      assert(connect(as(bob), "localhost").isLeft)
      isWelcome = false
      assert(connect(again, "localhost").isLeft)
    }
  }

  secured("a client that the server's own check refuses is told so by an alert, and why is known here") {
    val ann = authority.issue("DNS:ann", subject = "Ann")
    def told(check: CertificateInfo => Boolean): (String, String) = withLoop { loop =>
      val (theirs, ours) = (new Events, new Events)
      val clients        = Some(TlsClientAuth(authority.file, check = check))
      val identity       = Tls.server(config(local).copy(clients = clients))
      val listener       = Listener.bind(
        anyPort,
        loop,
        ListenOptions(),
        _.start(loop, ConnectionOptions(), identity)(_ => new Recorder(theirs))
      )
      val peer = Tls.client(trusting.copy(certificate = Some(files(ann)))).to("localhost")
      on(loop)(Connector.connect(listener.address, loop, tls = peer)(_ => new Recorder(ours)))
      val result = (theirs.next(), ours.next())
      assertEquals((identity.counts.full, identity.counts.failed), (0L, 1L))
      assertEquals(identity.counts.failed(HandshakeFailure.Certificate), 1L)
      result
    }
    def throwing(info: CertificateInfo): Boolean = throw new IllegalStateException(info.subject)
    val checks                                   = Seq[(CertificateInfo => Boolean, String)](
      ((_: CertificateInfo) => false, "own check"),
      (throwing(_), "own check, which threw java.lang.IllegalStateException: CN=Ann")
    )
    for ((check, reason) <- checks) {
      val (theirs, ours) = told(check)
      assert(theirs.contains("it was rejected by the server's ") && theirs.endsWith(reason), theirs)
      assert(ours.contains("refuses the certificate that it was shown, or wants one: "), ours)
      assert(ours.contains("alert") && ours.contains("certificate") && ours.contains("unknown"), ours)
    }
  }

  secured("sessions are resumed, unless the client does not want to") {
    val identity = Tls.server(config(local))
    serving(identity) { connect =>
      val tls = Tls.client(trusting)
      assert(!met(connect(tls, "localhost"))._1.isResumed)
      eventually(met(connect(tls, "localhost"))._1.isResumed, "no session is resumed")
      assert(identity.counts.completed("TLSv1.3", isResumed = true) > 0)
      assertEquals(identity.counts.completed("TLSv1.3", isResumed = true), identity.counts.resumed)
      val fresh = Tls.client(trusting.copy(resume = false))
      for (_ <- 1 to 3) assert(!met(connect(fresh, "localhost"))._1.isResumed)
    }
    eventually(identity.counts.present == 0L, "handshakes are under way")
    assertEquals(identity.counts.failed, 0L)
  }

  secured("certificates are read again; broken ones are refused, and the old ones stay") {
    val chain                               = authority.file("used.pem")
    val key                                 = authority.file("used.key")
    def use(issued: Authority#Issued): Unit = {
      Files.write(chain, Files.readAllBytes(issued.chain))
      Files.write(key, Files.readAllBytes(issued.key))
      ()
    }
    use(local)
    val identity = Tls.server(TlsServerConfig(chain, key))
    assert(!identity.isOutdated)
    val before = identity.expiry.get
    serving(identity) { connect =>
      val tls    = Tls.client(trusting.copy(resume = false))
      def serial = met(connect(tls, "localhost"))._2.peer.get.serial
      val first  = serial
      use(authority.issue("DNS:localhost", days = 9))
      assert(identity.isOutdated)
      assertEquals(serial, first)
      identity.reload()
      assert(!identity.isOutdated)
      val second = serial
      assertNotEquals(second, first)
      assert(identity.expiry.get > before)
      Files.write(chain, Array.emptyByteArray)
      val why = intercept[IOException](identity.reload()).getMessage
      assert(why.startsWith(s"$chain is empty"), why)
      assertEquals(serial, second)
      assertEquals((identity.counts.reloads, identity.counts.failedReloads), (1L, 1L))
    }
  }

  secured("keys in all the forms that people have them in") {
    val forms = Seq(
      (local, "pkcs8 -topk8 -nocrypt -in IN -out OUT", None),
      (local, "ec -in IN -out OUT", None),
      (rsa, "rsa -traditional -in IN -out OUT", None),
      (rsa, "pkcs8 -topk8 -v2 aes-256-cbc -passout pass:secret -in IN -out OUT", Some("secret"))
    )
    for ((issued, how, password) <- forms) {
      val key = authority.converted(issued.key, how)
      connected(meeting(TlsServerConfig(Seq(TlsCertificate(issued.chain, key, password)))))
    }
    val ed = authority.issue("DNS:localhost", "ed25519")
    connected(meeting(config(ed)))
  }

  secured("a key that is encrypted with HMAC of SHA-512") {
    assume(!TlsLibrary.isOneOf(BoringSsl, AwsLc), s"${TlsLibrary.name} does not support that")
    val how = "pkcs8 -topk8 -v2 aes-128-cbc -v2prf hmacWithSHA512 -passout pass:secret -in IN -out OUT"
    val key = authority.converted(local.key, how)
    connected(meeting(TlsServerConfig(Seq(TlsCertificate(local.chain, key, Some("secret"))))))
  }

  secured("plain text is answered in plain text") {
    withLoop { loop =>
      val identity = Tls.server(config(local))
      val listener = Listener.bind(
        anyPort,
        loop,
        ListenOptions(),
        _.start(loop, ConnectionOptions(), identity, "use TLS".getBytes)(_ => new Recorder(new Events))
      )
      withClient(listener) { client =>
        send(client, "GET / HTTP/1.1\r\n\r\n")
        assertEquals(receive(client, 7), "use TLS")
        assert(atEnd(client))
      }
      eventually(identity.counts.failed(HandshakeFailure.Plain) == 1L, "it is not counted")
    }
  }
}
