package needletail.io.tls

import java.util.concurrent.atomic.AtomicReference

import scala.concurrent.duration.*

import needletail.io.{Connection, Tls}

/** What a handshake may cost or disturb, and how long it need not be repeated. */
class OpenSslHandshakeSuite extends TlsPair {
  private def as(who: TlsCertificate, resume: Boolean = true): Tls =
    Tls.client(TlsClientConfig(TlsTrust.File(authority.file), Some(who), resume = resume))

  tlsTest("a check of clients' certificates may write to another connection of its loop") {
    val first   = new AtomicReference[Connection]
    val checked = TlsClientAuth(
      authority.file,
      check = { _ =>
        val other = first.get
        if (other ne null) other.write("news".getBytes, 0, 4)
        true
      }
    )
    for (resume <- Seq(false, true)) {
      first.set(null)
      serving(config.copy(clients = Some(checked))) { served =>
        val tls       = as(local, resume)
        val (c, kept) = open(served.loop, served.port, tls)
        roundTrip(served, (c, kept), "hello".getBytes)
        first.set(served.connections.peek)
        for (i <- 1 to 3) {
          hello(served, open(served.loop, served.port, tls))
          eventually(kept.bytes.length >= 5 + 4 * i, new String(kept.bytes))
        }
      }
    }
  }

  tlsTest(
    "after the lifetime of a session a full handshake is made, however often it was resumed meanwhile"
  ) {
    serving(config.copy(sessionLifetime = 2.seconds)) { served =>
      val tls                = Tls.trusting(authority.file)
      def isResumed: Boolean = hello(served, open(served.loop, served.port, tls)).isResumed
      for (_ <- 1 to 3) {
        eventually(isResumed, "no session is resumed")
        eventually(!isResumed, "it is resumed still")
      }
    }
  }

  tlsTest("no session is resumed of a client whose certificate has expired meanwhile") {
    val clients = Some(TlsClientAuth(authority.file))
    serving(config.copy(clients = clients)) { served =>
      val issued          = authority.issue("DNS:ann", until = inSeconds(6))
      val tls             = as(TlsCertificate(issued.chain, issued.key))
      var resumed         = 0
      var why             = ""
      def connect(): Unit = {
        val (c, kept) = open(served.loop, served.port, tls)
        on(served.loop)(c.write("hello".getBytes, 0, 5))
        eventually(kept.bytes.length == 5 || !kept.events.isEmpty, "nothing happened")
        if (kept.bytes.length == 5) {
          if (on(served.loop)(c.tlsSession).get.isResumed) resumed += 1
        } else why = kept.next()
        on(served.loop)(c.close())
      }
      eventually({ connect(); why.nonEmpty }, s"it is let in still, $resumed times by a resumed session")
      assert(resumed > 0, "no session was resumed")
      assert(why.contains("expired"), why)
    }
  }

  tlsTest("what OpenSSL has for an announced message counts as held") {
    serving(config) { served =>
      withClient(served.listener) { client =>
        client.getOutputStream.write(Array[Byte](22, 3, 1, 0, 4, 1, 0, 0x3f, 0))
        eventually(on(served.loop)(served.loop.memory.held) >= 0x3f00, "it does not count")
      }
      eventually(on(served.loop)(served.loop.memory.held) == 0, "it is held still")
    }
  }

  /** A greeting that has no key of a group that is used here, so that another one is asked for. */
  private def keyless: Array[Byte] = ClientHello(Seq(0x1301)) { extend =>
    extend(43, Array[Byte](2, 3, 4))     // supported_versions: TLS 1.3
    extend(10, Array[Byte](0, 2, 0, 23)) // supported_groups: P-256
    extend(13, Array[Byte](0, 2, 4, 3))  // signature_algorithms: ECDSA with SHA-256
    extend(51, Array[Byte](0, 0))        // key_share: none
  }

  tlsTest("what is announced after a greeting that must be repeated counts as well, and is limited") {
    serving(config) { served =>
      def held = on(served.loop)(served.loop.memory.held)
      for (third <- Seq[Byte](0, 2)) withClient(served.listener) { client =>
        client.getOutputStream.write(keyless)
        val header = client.getInputStream.readNBytes(5)
        assertEquals(header(0).toInt, 22, "it is not asked to repeat it")
        client.getInputStream.readNBytes((header(3) & 0xff) << 8 | header(4) & 0xff)
        val handler = served.nextHandler()
        eventually(held == 0, held)
        client.getOutputStream.write(Array[Byte](20, 3, 3, 0, 1, 1)) // for middleboxes
        client.getOutputStream.write(Array[Byte](22, 3, 3, 0, 4, 1, third, 0x3f, 0))
        if (third == 0) eventually(held >= 0x3f00, "it does not count")
        else {
          val end = handler.next()
          assert(end.contains("its greeting is too long"), end)
        }
      }
      eventually(held == 0, "it is held still")
    }
  }

  tlsTest("a handshake does not proceed by records of the client's alone") {
    serving(config) { served =>
      withClient(served.listener) { client =>
        def held = on(served.loop)(served.loop.memory.held)
        client.getOutputStream.write(Array[Byte](22, 3, 1, 0, 1, 1, 22, 3))
        eventually(held == 2, held)
        val accepted = served.connections.peek
        assert(on(served.loop)(accepted.handshakeProceeds()), "it has begun")
        client.getOutputStream.write(Array[Byte](1, 0, 1, 0, 22, 3, 1))
        eventually(held == 3, held)
        assert(!on(served.loop)(accepted.handshakeProceeds()), "it has sent another record")
      }
    }
  }
}
