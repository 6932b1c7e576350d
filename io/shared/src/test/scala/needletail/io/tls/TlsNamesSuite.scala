package needletail.io.tls

import java.net.Socket as PlainSocket
import java.nio.charset.StandardCharsets.ISO_8859_1
import java.util.concurrent.{LinkedBlockingQueue, TimeUnit}

import needletail.io.Tls
import needletail.io.system.tls.TlsLibrary
import needletail.io.system.tls.TlsLibrary.{AwsLc, BoringSsl}
import needletail.io.tls.ClientHello.{list, name, Name}

/** The names that clients ask for (SNI), sound and not: a ClientHello is made by hand here. */
class TlsNamesSuite extends TlsPair {
  private lazy val shop = {
    val issued = authority.issue("DNS:shop.example,DNS:*.shop.example", subject = "shopcn")
    TlsCertificate(issued.chain, issued.key)
  }
  private lazy val first = {
    val issued = authority.issue("DNS:localhost", subject = "firstcn")
    TlsCertificate(issued.chain, issued.key)
  }
  private def both: TlsServerConfig = TlsServerConfig(Seq(first, shop))

  // ciphers of TLS 1.2, which say the kind of key
  private final val EcdheEcdsa = 0xc02b
  private final val EcdheRsa   = 0xc02f

  /** A client of TLS 1.2, whose server shows its certificate in clear. */
  private def greeting(asked: Option[Array[Byte]], cipher: Int): Array[Byte] =
    ClientHello(Seq(cipher)) { out =>
      asked.foreach(out(0, _))
      out(10, Array[Byte](0, 4, 0, 29, 0, 23))
      out(11, Array[Byte](1, 0))
      out(13, Array[Byte](0, 4, 4, 3, 8, 4))
    }

  /** Whose certificate is shown to who asks so, or with which alert it is refused. */
  private def answer(port: Int, asked: Option[Array[Byte]], cipher: Int = EcdheEcdsa): String = {
    val socket = new PlainSocket("127.0.0.1", port)
    try {
      socket.setSoTimeout(patience.toMillis.toInt)
      socket.getOutputStream.write(greeting(asked, cipher))
      val in     = new java.io.DataInputStream(socket.getInputStream)
      var shown  = ""
      var result = ""
      while (result.isEmpty) {
        val kind = in.readByte()
        in.readShort()
        val record = new Array[Byte](in.readUnsignedShort())
        in.readFully(record)
        shown += new String(record, ISO_8859_1)
        if (kind == 21) result = s"alert ${record(1)}"
        else result = Seq("shopcn", "firstcn", "widecn").find(shown.contains(_)).getOrElse("")
      }
      result
    } finally socket.close()
  }

  tlsTest("names of all kinds") {
    serving(both) { served =>
      def asked(bytes: Name): String  = answer(served.port, Some(list(bytes)))
      def named(text: String): String = asked(name(text))
      assertEquals(answer(served.port, None), "firstcn")
      for (sound <- Seq("shop.example", "SHOP.Example", "a.shop.example", "A-b.SHOP.EXAMPLE"))
        assertEquals(named(sound), "shopcn", sound)
      for (
        unknown <- Seq("other.example", "127.0.0.1", "example", "a.b.shop.example", "xn--bcher-kva.example")
      )
        assertEquals(named(unknown), "firstcn", unknown)
      val longest = Seq.fill(4)("a" * 50).mkString(".") + "." + "b" * 51
      assertEquals(longest.length, 255)
      assertEquals(named(longest), "firstcn")
      for (
        none <- Seq(
          "shop.example.",
          ".",
          ".shop.example",
          "shop..example",
          "::1",
          "[::1]",
          "my_shop",
          "*.shop.example",
          "shop example",
          "a/b",
          "-a.example",
          "a-.example",
          "a" * 64 + ".example"
        )
      )
        assertEquals(named(none), "alert 47", none)
      assertEquals(named(""), if (TlsLibrary.isOneOf(BoringSsl, AwsLc)) "alert 112" else "alert 50")
      for (strange <- Seq("b\u00fccher.example", longest + "b", longest + ".shop.example"))
        assertEquals(named(strange), "alert 112", strange)
      for (
        refused <- Seq(
          list(name("shop.example"), name("other.example")),
          list(name("shop.example"), name("shop.example")),
          list(name("shop.example\u0000.other.example")),
          list(),
          Array.emptyByteArray,
          list(name("shop.example")) :+ 0.toByte
        )
      ) {
        val what = answer(served.port, Some(refused))
        assert(what.startsWith("alert "), what)
      }
    }
  }

  tlsTest("unknown names are refused where that is asked for; who asks for none is not") {
    serving(both.copy(refuseUnknownNames = true)) { served =>
      assertEquals(answer(served.port, None), "firstcn")
      assertEquals(answer(served.port, Some(list(name("Shop.example")))), "shopcn")
      for (unknown <- Seq("other.example", "127.0.0.1", "a.b.shop.example"))
        assertEquals(answer(served.port, Some(list(name(unknown)))), "alert 112", unknown)
    }
  }

  tlsTest("the log says that a name was refused, and why") {
    withLoop { loop =>
      val identity = Tls.server(both.copy(refuseUnknownNames = true))
      val served   = new Served(loop, identity)
      // words by which other failures are known
      assertEquals(answer(served.port, Some(list(name("alert.certificate.example")))), "alert 112")
      val end = served.nextHandler().next()
      assertEquals(
        end,
        "closed by no TLS with the client: it requests the name alert.certificate.example, which no certificate is for"
      )
      assertEquals(identity.counts.failed(HandshakeFailure.Protocol), 1L)
    }
  }

  tlsTest("a certificate of another kind may be for some of the names only, or for more") {
    val issued = authority.issue("DNS:shop.example,DNS:wide.example", algorithm = "rsa", subject = "widecn")
    val wide   = TlsCertificate(issued.chain, issued.key)
    for (order <- Seq(Seq(shop, wide), Seq(wide, shop), Seq(first, shop, wide)))
      serving(TlsServerConfig(order)) { served =>
        def shown(host: String, cipher: Int): String = answer(served.port, Some(list(name(host))), cipher)
        assertEquals(shown("shop.example", EcdheEcdsa), "shopcn")
        assertEquals(shown("shop.example", EcdheRsa), "widecn")
        assertEquals(shown("a.shop.example", EcdheEcdsa), "shopcn")
        assertEquals(shown("a.shop.example", EcdheRsa), "alert 40", "there is none that this client supports")
        assertEquals(shown("wide.example", EcdheRsa), "widecn")
        assertEquals(shown("wide.example", EcdheEcdsa), "alert 40")
      }
  }

  tlsTest(
    "the common name of a certificate may be one of several attributes in a relative name, wherever it stands"
  ) {
    for (number <- Seq("1", "1234567890123456789")) {
      val issued = authority.issue(
        "",
        subject = "cn.example",
        further = Seq("+serialNumber" -> number, "O" -> "widecn")
      )
      serving(TlsServerConfig(Seq(first, TlsCertificate(issued.chain, issued.key)))) { served =>
        assertEquals(answer(served.port, Some(list(name("cn.example")))), "widecn")
      }
    }
  }

  tlsTest("a client asks for no name with a dot at the end, and the certificate need not be for one") {
    serving(both) { served =>
      val c = open(served.loop, served.port, name = "shop.example.")
      assertEquals(hello(served, c).peer.map(_.subject), Some("CN=shopcn"))
      assertEquals(served.connections.peek.tlsSession.map(_.serverName), Some("shop.example"))
    }
  }

  tlsTest("a client resumes no session that it has with another name") {
    serving(both) { served =>
      val tls                              = Tls.trusting(authority.file)
      def isResumed(name: String): Boolean =
        hello(served, open(served.loop, served.port, tls, name)).isResumed
      isResumed("shop.example")
      eventually(isResumed("shop.example"), "no session is resumed")
      assert(!isResumed("a.shop.example"))
    }
  }

  for (version <- Seq("-tls1_2", "-tls1_3"))
    tlsTest(s"the name that was asked for is known in resumed sessions too, $version") {
      val known = new LinkedBlockingQueue[String]
      answering(both, c => known.put(c.tlsSession.fold("")(_.serverName))) { port =>
        for (name <- Seq("shop.example", "alias.example")) { // for one there is a certificate, for the other none
          val session = authority.file(s"$name$version").toString
          openSslClient(port, Seq(version, "-servername", name, "-sess_out", session))
          assert(openSslClient(port, Seq(version, "-servername", name, "-sess_in", session)))
          for (_ <- 1 to 2) assertEquals(known.poll(patience.toMillis, TimeUnit.MILLISECONDS), name)
        }
      }
    }

  for (version <- Seq("-tls1_2", "-tls1_3"))
    tlsTest(s"a session is resumed for the name only that it was made for, $version") {
      answering(both) { port =>
        val session                           = authority.file(s"session$version").toString
        def isResumed(name: String*): Boolean = openSslClient(port, Seq(version, "-sess_in", session) ++ name)
        def begin(name: String*): Unit        = {
          openSslClient(port, Seq(version, "-sess_out", session) ++ name); ()
        }
        begin("-servername", "shop.example")
        assert(isResumed("-servername", "shop.example"))
        assert(isResumed("-servername", "SHOP.example"))
        assert(!isResumed("-servername", "localhost"))
        assert(!isResumed("-servername", "a.shop.example"))
        begin("-noservername")
        assert(isResumed("-noservername"))
        assert(!isResumed("-servername", "shop.example"))
      }
    }
}
