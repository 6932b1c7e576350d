package needletail.io.tls

import java.io.IOException

import scala.concurrent.duration.*
import scala.util.Random

import needletail.io.Tls
import needletail.io.platform.ConnectionOptions
import needletail.io.system.tls.TlsLibrary

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

  tlsTest("bytes that the kernel took count as written, although it took only a part of them") {
    serving(config) { served =>
      val content = new Array[Byte](300000)
      new Random(1).nextBytes(content)
      val (c, kept) =
        open(served.loop, served.port, options = ConnectionOptions(sendBuffer = Some(16384)))
      val (written, pending) = on(served.loop) { // which is the server's, too, so nothing is read meanwhile
        c.write(content, 0, content.length)
        (c.bytesWritten, c.pendingBytes)
      }
      assert(written > 0 && written < content.length, written)
      assertEquals(written + pending, content.length.toLong)
      eventually(kept.bytes.length >= content.length, s"${kept.bytes.length} bytes came back")
      assert(java.util.Arrays.equals(kept.bytes, content), "other bytes came back")
      assertEquals(on(served.loop)((c.bytesWritten, c.pendingBytes)), (content.length.toLong, 0))
    }
  }

  tlsTest("what a session says, on both sides") {
    serving(config.copy(protocols = Seq("h2", "http/1.1"))) { served =>
      val tls = Tls.client(TlsClientConfig(TlsTrust.File(authority.file), protocols = Seq("http/1.1")))
      val c   = open(served.loop, served.port, tls, "here.test")
      roundTrip(served, c, "a".getBytes)
      val client = on(served.loop)(c._1.tlsSession).get
      val server = on(served.loop)(served.connections.peek.tlsSession).get
      assertEquals(client.version, "TLSv1.3")
      assertEquals((client.protocol, server.protocol), ("http/1.1", "http/1.1"))
      assertEquals((client.cipher, client.isResumed, server.serverName), (server.cipher, false, "here.test"))
      assert(client.cipher.startsWith("TLS_"), client.cipher)
      for (nanos <- List(client.nanos, server.nanos))
        assert(nanos > 0 && nanos < 60L * 1000 * 1000 * 1000, nanos)
      val peer = client.peer.get
      assertEquals((peer.subject, peer.issuer), ("CN=local", "CN=Needletail"))
      assertEquals(
        peer.names,
        Seq("DNS:localhost", "DNS:here.test", "IP:127.0.0.1", "email:a@b.example", "URI:x:y")
      )
      assertEquals(server.peer, None)
      val now = System.currentTimeMillis
      assert(peer.notBefore <= now && now - peer.notBefore < 1.hour.toMillis, peer)
      assertEquals(peer.notAfter - peer.notBefore, 2.days.toMillis)
      assertEquals(peer.sha256.length, 64)
      assertEquals(Tls.server(config).certificates, Seq(peer))
    }
  }

  tlsTest("the names of a certificate have one form on all platforms") {
    val issued = authority.issue(
      "IP:2001:db8::1,IP:192.0.2.1",
      subject = "René, #1 + a=b",
      further = Seq("serialNumber" -> "7", "emailAddress" -> "ann@b.example")
    )
    val named = Tls.server(TlsServerConfig(Seq(TlsCertificate(issued.chain, issued.key)))).certificates.head
    assertEquals(named.subject, "emailAddress=ann@b.example,serialNumber=7,CN=René\\, #1 \\+ a=b")
    assertEquals(named.names, Seq("IP:2001:db8::1", "IP:192.0.2.1"))
  }

  tlsTest("a serial number is what openssl prints") {
    for (
      (asked, number) <-
        Seq("0x07952E4A" -> "07952E4A", "0x8000" -> "8000", "0x1A2B3C" -> "1A2B3C", "-0x0A" -> "-0A")
    ) {
      val request = authority.issue("DNS:here.test").chain
      val chain   = authority.converted(
        request,
        s"x509 -set_serial $asked -signkey ${authority.file("ca.key")} -in IN -out OUT"
      )
      val info =
        Tls.server(TlsServerConfig(Seq(TlsCertificate(chain, authority.file("ca.key"))))).certificates.head
      assertEquals(info.serial, number)
    }
  }

  tlsTest("names in TeletexString and BMPString are text, and differ where they differ") {
    def subject(name: String, strings: String): String = {
      val issued = authority.issue("DNS:here.test", subject = name, strings = strings)
      Tls.server(TlsServerConfig(issued.chain, issued.key)).certificates.head.subject
    }
    for (name <- Seq("Müller", "Mäller", "Ann")) assertEquals(subject(name, "nombstr"), s"CN=$name")
    for (name <- Seq("Łukasz", "Bob 漢")) assertEquals(subject(name, "pkix"), s"CN=$name")
    assertEquals(subject("Ł, #", "pkix"), "CN=Ł\\, #")
  }

  tlsTest("what names must escape is escaped, at the ends of a value too") {
    def subject(value: String): String = {
      val issued = authority.issue("DNS:here.test", subject = "ann", further = Seq("O" -> value))
      Tls.server(TlsServerConfig(issued.chain, issued.key)).certificates.head.subject
    }
    for (
      (value, shown) <- Seq(
        "#1"             -> "\\#1",
        "#"              -> "#",
        "a;b<c>"         -> "a\\;b\\<c\\>",
        "say \"x\""      -> "say \\\"x\\\"",
        "back\\slash"    -> "back\\\\slash",
        "a\u007f\u0001b" -> "a\\7F\\01b",
        "\u00a0é"        -> "\u00a0é",
        "a=b"            -> "a=b"
      )
    )
      assertEquals(subject(value), s"O=$shown,CN=ann")
  }

  tlsTest("the same where a name has attributes that are seldom used, or several in one relative name") {
    def subject(further: (String, String)*): String = {
      val issued = authority.issue("DNS:here.test", subject = "ann, b", further = further)
      Tls.server(TlsServerConfig(issued.chain, issued.key)).certificates.head.subject
    }
    // in the certificate the shorter one comes first (X.690 section 11.6)
    assertEquals(
      subject("+serialNumber" -> "7", "+emailAddress" -> "a+b@c.example", "O" -> "x"),
      "O=x,emailAddress=a\\+b@c.example+CN=ann\\, b+serialNumber=7"
    )
    val seldom =
      Seq("postalAddress", "postOfficeBox", "telephoneNumber", "x500UniqueIdentifier", "houseIdentifier")
    val others = Seq("mail", "unstructuredName", "unstructuredAddress", "SN", "title", "DC", "UID")
    for (name <- seldom ++ others) assertEquals(subject(name -> "one"), s"$name=one,CN=ann\\, b")
    // of two numbers at the beginning of a line `openssl` reads the second
    assertEquals(subject("0.1.2.3.4" -> "klmno"), "1.2.3.4=#0C056B6C6D6E6F,CN=ann\\, b")
  }

  tlsTest("what a session says stays known after the end, on any thread") {
    serving(config) { served =>
      val c = open(served.loop, served.port, name = "here.test")
      roundTrip(served, c, "a".getBytes)
      on(served.loop)(c._1.close())
      val handler = served.nextHandler()
      eventually(handler.events.contains("closed"), "it is open")
      assertEquals(served.connections.peek.tlsSession.map(_.serverName), Some("here.test"))
      assertEquals(c._1.tlsSession.flatMap(_.peer).map(_.subject), Some("CN=local"))
    }
  }

  tlsTest("an address instead of a name, and protocols that are not spoken") {
    serving(config) { served =>
      assertEquals(hello(served, open(served.loop, served.port, name = "127.0.0.1")).version, "TLSv1.3")
      val other = Tls.client(TlsClientConfig(TlsTrust.File(authority.file), protocols = Seq("smtp")))
      assert(refusal(served, other).contains("protocol"), refusal(served, other))
    }
  }

  tlsTest("certificates that are not accepted, and why") {
    serving(config) { served =>
      assert(refusal(served, Tls.system).contains("the certificate of localhost is not trusted"))
      assert(refusal(served, name = "other.example").contains("the certificate is not for other.example"))
      assert(refusal(served, name = "127.0.0.2").contains("the certificate is not for 127.0.0.2"))
      val session = hello(served, open(served.loop, served.port, Tls.unchecked, "other.example"))
      assertEquals(session.version, "TLSv1.3")
    }
  }

  tlsTest("a certificate's common name is not taken for a host (RFC 9525 section 6.3)") {
    def only(names: String, subject: String) = {
      val issued = authority.issue(names, subject = subject)
      TlsServerConfig(issued.chain, issued.key)
    }
    serving(only("", "localhost")) { served =>
      val reason = "it has no subjectAltName for that, and its common name does not count (RFC 9525)"
      for (name <- Seq("localhost", "other.example", "127.0.0.1")) {
        val e       = intercept[IOException](open(served.loop, served.port, name = name))
        val refused = e.getMessage
        assert(refused.endsWith(s": the certificate is not for $name: $reason"), refused)
        assert(!refused.contains("the TLS handshake with"), refused)
        assert(e.getCause.isInstanceOf[TlsRefusal], e.getCause)
      }
      val session = hello(served, open(served.loop, served.port, Tls.unchecked, "localhost"))
      assertEquals(session.peer.map(_.names), Some(Nil))
    }
    serving(only("IP:127.0.0.1,email:a@b.example", "localhost")) { served =>
      val refused = refusal(served)
      assert(refused.contains("the certificate is not for localhost: "), refused)
      assertEquals(hello(served, open(served.loop, served.port, name = "127.0.0.1")).version, "TLSv1.3")
    }
  }

  tlsTest("an asterisk in a certificate's name is the whole of its first label (RFC 9525 section 6.3)") {
    val issued = authority.issue(
      "DNS:w*.a.example.org,DNS:www.*.b.example.org,DNS:*.*.c.example.org,DNS:*.d.example.org,DNS:e.example.org"
    )
    serving(TlsServerConfig(issued.chain, issued.key)) { served =>
      for (
        name <- Seq("www.a.example.org", "www.x.b.example.org", "p.q.c.example.org", "p.www.d.example.org")
      ) {
        val refused = refusal(served, name = name)
        assert(refused.contains(s": the certificate is not for $name: "), refused)
      }
      for (name <- Seq("www.d.example.org", "WWW.D.example.org", "E.example.org"))
        assertEquals(hello(served, open(served.loop, served.port, name = name)).version, "TLSv1.3")
    }
  }

  tlsTest("an asterisk before a single label is for hosts with the JDK, and for none with OpenSSL") {
    val issued = authority.issue("DNS:*.internal,DNS:*.a.internal")
    serving(TlsServerConfig(issued.chain, issued.key)) { served =>
      if (TlsLibrary.isOneOf("JDK"))
        assertEquals(hello(served, open(served.loop, served.port, name = "db.internal")).version, "TLSv1.3")
      else {
        val refused = refusal(served, name = "db.internal")
        assert(refused.contains(": the certificate is not for db.internal: "), refused)
      }
      // with neither for a name with an underscore
      val refused = refusal(served, name = "my_app.a.internal")
      assert(refused.contains("my_app.a.internal"), refused)
    }
  }

  tlsTest("without a name no certificate is accepted, and a name cannot stand for all below it") {
    serving(config) { served =>
      for (name <- Seq("", ".", ".test")) refusal(served, name = name)
      assertEquals(hello(served, open(served.loop, served.port, Tls.unchecked, "")).version, "TLSv1.3")
    }
    for (name <- Seq("", ".", ".test", "here test", "here.test\u0000")) {
      val e = intercept[IllegalArgumentException](TlsClientConfig(serverName = Some(name)))
      assert(e.getMessage.startsWith("TlsClientConfig.serverName is "), e.getMessage)
    }
    for (name <- Seq("here.test", "here.test.", "::1", "h\u00e4.test"))
      TlsClientConfig(serverName = Some(name))
  }
}
