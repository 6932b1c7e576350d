package needletail.io.tls

import java.nio.file.Files

import needletail.io.Tls

/** Servers that resume no sessions. */
class TlsResumptionSuite extends TlsPair {
  for (version <- Seq("-tls1_2", "-tls1_3"))
    tlsTest(s"a server that is to resume no session makes a full handshake each time, $version") {
      answering(config.copy(resume = false)) { port =>
        // natively no session of TLS 1.3 is ever issued, and openssl writes no file
        val session = authority.file(s"session$version")
        openSslClient(port, Seq(version, "-sess_out", session.toString))
        for (_ <- 1 to 3 if Files.exists(session))
          assert(!openSslClient(port, Seq(version, "-sess_in", session.toString)))
        assert(!openSslClient(port, Seq(version, "-reconnect")))
      }
      answering(config) { port =>
        val session = authority.file(s"resumed$version")
        openSslClient(port, Seq(version, "-sess_out", session.toString))
        assert(openSslClient(port, Seq(version, "-sess_in", session.toString)))
      }
    }

  tlsTest("nor does it for a client of ours, with a certificate or without") {
    val clients = TlsClientAuth(authority.file, required = false)
    val own     = Tls.client(TlsClientConfig(TlsTrust.File(authority.file), Some(local)))
    for (server <- Seq(config, config.copy(clients = Some(clients))); tls <- Seq(trusting, own)) {
      val identity = Tls.server(server.copy(resume = false))
      withLoop { loop =>
        val served = new Served(loop, identity)
        for (_ <- 1 to 4) assert(!hello(served, open(loop, served.port, tls)).isResumed)
        eventually(identity.counts.full == 4L, identity.counts.full)
        assertEquals((identity.counts.resumed, identity.counts.failed), (0L, 0L))
      }
    }
  }
}
