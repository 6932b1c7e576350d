package needletail.io

import java.io.IOException
import java.nio.file.{Files, StandardCopyOption}

import scala.concurrent.duration.*
import scala.util.Random

import needletail.io.tls.*

/** A server and a client of ours with TLS, on either platform. */
class TlsPairSuite extends TlsPair {
  for {
    size <- Seq(1, 16384, 16385, 3000001)
    room <- Seq(64 * 1024, 1500)
  } tlsTest(s"$size bytes there and back, read $room at a time") {
    serving(config) { served =>
      val content = new Array[Byte](size)
      new Random(size).nextBytes(content)
      val (c, kept) = open(served.loop, served.port, options = ConnectionOptions(maxLeftover = room))
      roundTrip(served, (c, kept), content)
      on(served.loop)(c.shutdownOutput())
      assertEquals(served.nextHandler().next(), "end")
      assertEquals(kept.next(), "end")
      on(served.loop)(c.close())
      assertEquals(kept.next(), "closed")
    }
  }

  tlsTest("what a session says, on both sides") {
    serving(config.copy(protocols = Seq("h2", "http/1.1"))) { served =>
      val tls = Tls.client(TlsClientConfig(TlsTrust.File(authority.certificate), protocols = Seq("http/1.1")))
      val c   = open(served.loop, served.port, tls, "here.test")
      roundTrip(served, c, "a".getBytes)
      val client = on(served.loop)(c._1.tlsSession).get
      val server = on(served.loop)(served.connections.peek.tlsSession).get
      assertEquals(client.version, "TLSv1.3")
      assertEquals((client.protocol, server.protocol), ("http/1.1", "http/1.1"))
      assertEquals((client.cipher, client.isResumed, server.serverName), (server.cipher, false, "here.test"))
      assert(client.cipher.startsWith("TLS_"), client.cipher)
      val peer = client.peer.get
      assertEquals((peer.subject, peer.issuer), ("CN=local", "CN=Needletail's tests"))
      assertEquals(
        peer.names,
        Seq("DNS:localhost", "DNS:here.test", "IP:127.0.0.1", "IP:0:0:0:0:0:0:0:1", "email:a@b.example", "URI:x:y").map(plainIp)
      )
      assertEquals(server.peer, None)
      val now = System.currentTimeMillis
      assert(peer.notBefore <= now && now - peer.notBefore < 1.hour.toMillis, peer)
      assertEquals(peer.notAfter - peer.notBefore, 2.days.toMillis)
      assertEquals(peer.sha256.length, 64)
      assertEquals(Tls.server(config).certificates, Seq(peer))
    }
  }

  private def plainIp(name: String): String = if (name == "IP:0:0:0:0:0:0:0:1") "IP:::1" else name

  tlsTest("an address instead of a name, and protocols that are not spoken") {
    serving(config) { served =>
      assertEquals(hello(served, open(served.loop, served.port, name = "127.0.0.1")).version, "TLSv1.3")
      val other = Tls.client(TlsClientConfig(TlsTrust.File(authority.certificate), protocols = Seq("smtp")))
      assert(refusal(served, other).contains("protocol"), refusal(served, other))
    }
  }

  tlsTest("sessions are resumed, unless the client does not want it") {
    serving(config) { served =>
      val resumed = (1 to 5).map(_ => hello(served, open(served.loop, served.port)).isResumed)
      assertEquals(resumed, Seq(false, true, true, true, true))
      val never = Tls.client(TlsClientConfig(TlsTrust.File(authority.certificate), resume = false))
      assertEquals((1 to 3).map(_ => hello(served, open(served.loop, served.port, never)).isResumed).toSet, Set(false))
    }
  }

  tlsTest("certificates that are not accepted, and why") {
    val foreign = authority.issue("foreign", "DNS:shop.example")
    val expired = authority.issue("expired", "DNS:localhost", days = -1)
    serving(config) { served =>
      assert(refusal(served, Tls.system).contains("the certificate of localhost is not trusted"))
      assert(refusal(served, name = "other.example").contains("the certificate is not for other.example"))
      assert(refusal(served, name = "127.0.0.2").contains("the certificate is not for 127.0.0.2"))
      val pinned =
        Tls.client(TlsClientConfig(TlsTrust.File(authority.certificate), pins = Set("A" * 43 + "=")))
      assert(refusal(served, pinned).contains("none of its keys is pinned"))
      val revoked = TlsClientConfig(TlsTrust.File(authority.certificate), revoked = Some(authority.revoking(local)))
      assert(refusal(served, Tls.client(revoked)).contains("the certificate of localhost was revoked"))
      val others = revoked.copy(revoked = Some(authority.revoking(foreign)))
      hello(served, open(served.loop, served.port, Tls.client(others)))
      hello(served, open(served.loop, served.port, Tls.unchecked, "other.example"))
    }
    serving(TlsServerConfig(Seq(foreign))) { served =>
      assert(refusal(served).contains("the certificate is not for localhost"))
    }
    serving(TlsServerConfig(Seq(expired))) { served =>
      assert(refusal(served).contains("the certificate of localhost has expired"))
    }
  }

  tlsTest("a certificate for each name, with wildcards, and none for unknown ones") {
    val a     = authority.issue("a", "DNS:a.example")
    val wild  = authority.issue("wild", "DNS:*.example")
    val names = config.copy(certificates = Seq(local, wild, a, rsa))
    def shown(served: Served, name: String): String =
      hello(served, open(served.loop, served.port, Tls.unchecked, name)).peer.get.subject
    serving(names) { served =>
      assertEquals(shown(served, "localhost"), "CN=local")
      assertEquals(shown(served, "A.example"), "CN=a")
      assertEquals(shown(served, "b.example"), "CN=wild")
      assertEquals(shown(served, "c.b.example"), "CN=local")
      assertEquals(shown(served, "example"), "CN=local")
    }
    serving(names.copy(refuseUnknownNames = true)) { served =>
      assertEquals(shown(served, "b.example"), "CN=wild")
      val text = intercept[IOException](open(served.loop, served.port, Tls.unchecked, "c.b.example")).getMessage
      assert(text.contains("nrecognized"), text)
    }
  }

  tlsTest("certificates of clients") {
    val ann      = authority.issue("ann", "email:ann@example.com")
    val stranger = new TestAuthority("somebody else").issue("eve", "DNS:eve")
    val asked    = TlsClientAuth(authority.certificate)
    val plain    = TlsClientConfig(TlsTrust.File(authority.certificate))
    def by(certificate: TlsCertificate) = Tls.client(plain.copy(certificate = Some(certificate)))
    def refusedBy(served: Served, tls: Tls): String = {
      val client =
        try Some(open(served.loop, served.port, tls)._1) // TLS 1.3 tells a client later
        catch { case _: IOException => None }
      val end = served.nextHandler().next()
      client.foreach(c => on(served.loop)(c.close()))
      assert(end.startsWith("closed by "), end)
      end
    }
    serving(config.copy(clients = Some(asked))) { served =>
      val c = open(served.loop, served.port, by(ann))
      roundTrip(served, c, "a".getBytes)
      val seen = on(served.loop)(served.connections.peek.tlsSession).get.peer.get
      assertEquals((seen.subject, seen.names), ("CN=ann", Seq("email:ann@example.com")))
      on(served.loop)(c._1.close())
      served.nextHandler()
    }
    serving(config.copy(clients = Some(asked.copy(required = false)))) { served =>
      hello(served, open(served.loop, served.port, Tls.client(plain)))
      served.nextHandler()
      val end = refusedBy(served, by(stranger))
      assert(end.contains("the certificate of the client is not trusted"), end)
    }
    val revoked = asked.copy(revoked = Some(authority.revoking(ann)))
    serving(config.copy(clients = Some(revoked))) { served =>
      val end = refusedBy(served, by(ann))
      assert(end.contains("the certificate of the client was revoked"), end)
    }
    serving(config.copy(clients = Some(asked.copy(check = _.subject != "CN=ann")))) { served =>
      val end = refusedBy(served, by(ann))
      assert(end.contains("it was refused by the server's own check"), end)
    }
    serving(config.copy(clients = Some(asked))) { served =>
      refusedBy(served, Tls.client(plain)) // it has shown none
      val end = refusedBy(served, by(authority.issue("late", "email:late@example.com", days = -1)))
      assert(end.contains("the certificate of the client has expired"), end)
    }
  }

  tlsTest("files that are no identity are refused with a reason") {
    val other = authority.issue("other", "DNS:localhost")
    val none  = Files.createTempFile("none", ".pem")
    def refused(certificate: TlsCertificate): String =
      intercept[IOException](Tls.server(TlsServerConfig(Seq(certificate)))).getMessage
    try {
      assert(refused(local.copy(chain = none)).contains(s"$none is empty"))
      Files.write(none, "nothing".getBytes)
      assert(refused(local.copy(chain = none)).contains(s"$none has no X.509 certificates in PEM"))
      assert(refused(local.copy(key = none)).contains(s"$none has no private key in PEM"))
      assert(intercept[IOException](Tls.trusting(none)).getMessage.contains("has no X.509 certificates"))
      assert(refused(local.copy(key = other.key)).contains(s"the key of ${other.key} is not that of the certificate"))
      assert(refused(local.copy(key = rsa.key)).contains(rsa.key.toString))
      val gone = none.resolveSibling("no-such.pem")
      assert(refused(local.copy(chain = gone)).contains(s"$gone (No such file or directory)"))
      val half = new String(Files.readAllBytes(local.chain))
      Files.write(none, half.take(half.length / 2).getBytes)
      assert(refused(local.copy(chain = none)).contains(s"$none is damaged"))
      val secret = authority.encrypted(local, "open sesame")
      assert(refused(local.copy(key = secret)).contains(s"$secret is encrypted, and there is no password for it"))
      val wrong = local.copy(key = secret, password = Some("of no use"))
      assert(refused(wrong).contains(s"the password for $secret is wrong"), refused(wrong))
      val right = local.copy(key = secret, password = Some("open sesame"))
      assertEquals(Tls.server(TlsServerConfig(Seq(right))).certificates.map(_.subject), Seq("CN=local"))
    } finally Files.delete(none)
  }

  tlsTest("certificates are read again: new connections have the new ones, and old ones go on") {
    val (chain, key) = (Files.createTempFile("chain", ".pem"), Files.createTempFile("key", ".pem"))
    def put(certificate: TlsCertificate): Unit = {
      Files.copy(certificate.chain, chain, StandardCopyOption.REPLACE_EXISTING)
      Files.copy(certificate.key, key, StandardCopyOption.REPLACE_EXISTING)
      ()
    }
    try withLoop { loop =>
        put(local)
        val identity = Tls.server(TlsServerConfig(chain, key))
        val served   = new Served(loop, identity)
        val old      = open(loop, served.port)
        roundTrip(served, old, "a".getBytes)
        put(rsa)
        identity.reload()
        assertEquals(identity.certificates.map(_.subject), Seq("CN=rsa"))
        val session = hello(served, open(loop, served.port))
        assertEquals((session.peer.get.subject, session.isResumed), ("CN=rsa", false))
        Files.write(key, "nothing".getBytes)
        intercept[IOException](identity.reload())
        assertEquals(hello(served, open(loop, served.port)).peer.get.subject, "CN=rsa")
        on(loop)(old._1.write("b".getBytes, 0, 1))
        eventually(new String(old._2.bytes) == "ab", "the old connection does not go on")
        on(loop)(old._1.close())
        eventually(identity.counts.present == 0L, "handshakes are under way still")
        assertEquals(identity.counts.failed, 0L)
        assertEquals(identity.counts.full + identity.counts.resumed, 3L)
      }
    finally {
      Files.delete(chain)
      Files.delete(key)
    }
  }
}
