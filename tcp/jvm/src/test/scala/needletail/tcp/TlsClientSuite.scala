package needletail.tcp

import needletail.io.{Address, Tls, TlsServerConfig}
import needletail.testing.{Certificate, Suite}

class TlsClientSuite extends Suite with WithTestServer {
  private def serving[A](body: Address => A): A = {
    val identity = Tls.server(TlsServerConfig(Certificate.local.file, Certificate.local.key))
    val server   = new TestServer(tls = identity)((peer, line) => peer.send(s"$line\n"))
    try
      server.at match {
        case Address.Tcp(_, port) => body(Address.Tcp("localhost", port))
        case other                => fail(s"$other")
      }
    finally server.close()
  }

  private def calling[A](address: Address, tls: Option[Tls])(body: TcpClient[String, String] => A): A = {
    val client = TcpClient(Lines, address, one.copy(tls = tls, maxQueued = 2000))
    try body(client)
    finally client.close()
  }

  test("requests of all sizes over TLS, many at once") {
    serving { address =>
      calling(address, Some(Tls.trusting(Certificate.local.file))) { client =>
        val requests = (1 to 1000).map(_.toString) ++ Seq(16383, 16384, 16385, 60000).map("x" * _)
        assertEquals(all(client, requests), requests.map(Right(_)))
        assertEquals(client.statistics.opened, 1L)
      }
    }
  }

  test("a server that is not trusted, or uses no TLS, is not asked, and the error says why") {
    serving { address =>
      calling(address, Some(Tls.trusting(Certificate.foreign.file))) { client =>
        val e = intercept[TcpClientError.CannotConnect](await(client.future("secret")))
        assert(e.getMessage.contains("the certificate of localhost is not trusted"), e.getMessage)
      }
      calling(address, None)(client => intercept[TcpClientError](await(client.future("a"))))
    }
    scripted((peer, line) => peer.send(s"$line\n")) { (server, _) =>
      server.accepted = _.send("220 this is no TLS\n")
      calling(server.at, Some(Tls.unchecked)) { client =>
        val e = intercept[TcpClientError.CannotConnect](await(client.future("a")))
        assert(e.getMessage.contains("TLS"), e.getMessage)
      }
    }
  }
}
