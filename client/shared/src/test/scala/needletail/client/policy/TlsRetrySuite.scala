package needletail.client.policy

import java.net.{InetAddress, ServerSocket, Socket}

import scala.concurrent.duration._

import needletail.client.Serving
import needletail.client.config.{Balancing, BalancingConfig, RetryConfig}
import needletail.client.error.ClientError
import needletail.http.Response
import needletail.io.{
  Address,
  Tls,
  TlsCertificate,
  TlsClientAuth,
  TlsClientConfig,
  TlsIdentity,
  TlsServerConfig,
  TlsTrust
}
import needletail.io.tls.HandshakeFailure
import needletail.testing.{Authority, Suite, TemporaryDirectories}

/** What TLS refuses is refused again by the same server, so it is asked once. */
class TlsRetrySuite extends Suite with Serving with TemporaryDirectories {
  private lazy val authority = newAuthority("Staff CA")
  private lazy val others    = newAuthority("Others")
  private lazy val local     = authority.issue("DNS:localhost")
  private lazy val quick = clientConfig.copy(retry = RetryConfig(firstDelay = 1.milli, maxDelay = 5.millis))

  private def files(issued: Authority#Issued) = TlsCertificate(issued.chain.toString, issued.key.toString)

  /** The error of a call to a server with this certificate, of which there must be one attempt. */
  private def refused(
      own: Authority#Issued,
      client: TlsClientConfig = TlsClientConfig(TlsTrust.File(authority.file)),
      clients: Option[TlsClientAuth] = None
  ): String = {
    val identity = Tls.server(TlsServerConfig(own.chain, own.key).copy(clients = clients))
    var message  = ""
    serving(_ => Response.ok("x"), quick.copy(tls = Tls.client(client)), secured(identity)) {
      (server, client) =>
        val service = client.service(s"https://localhost:${server.port}")
        val error   = intercept[ClientError](service.get("/").await())
        message = error.getMessage
        val s = service.statistics
        assertEquals((s.attempts, s.retries, s.failures), (1L, 0L, 1L), message)
        assertEquals(s.retriesLeft, 10, message)
        eventually(identity.counts.failed == 1L, s"${identity.counts.failed} failed: $message")
        assertEquals(identity.counts.failed(HandshakeFailure.Silent), 0L, message)
    }
    message
  }

  private def secured(identity: TlsIdentity) = serverConfig.copy(tls = Some(identity))

  private def secure(name: String)(body: => Unit): Unit = test(name) {
    assume(Tls.isKnown, "no TLS")
    body
  }

  secure("a server's certificate that is refused") {
    def says(text: String, message: String): Unit = assert(message.contains(text), message)
    says("is not trusted", refused(others.issue("DNS:localhost")))
    says("is not for localhost", refused(authority.issue("DNS:elsewhere")))
    says("has expired", refused(authority.issue("DNS:localhost", isExpired = true)))
    val revoked = authority.issue("DNS:localhost")
    authority.revoke(revoked)
    val strict = TlsClientConfig(TlsTrust.File(authority.file), revoked = Some(authority.revoked))
    says("was revoked", refused(revoked, strict))
  }

  secure("a client's certificate that is refused, or missing") {
    val wanted = Some(TlsClientAuth(authority.file))
    val config = TlsClientConfig(TlsTrust.File(authority.file))
    for (shown <- Seq(None, Some(files(others.issue("DNS:ann"))))) {
      val message = refused(local, config.copy(certificate = shown), wanted)
      assert(message.contains("alert"), message)
    }
  }

  secure("another address of the host may not refuse") {
    val (good, bad)                  = (local, others.issue("DNS:localhost"))
    def of(issued: Authority#Issued) = secured(Tls.server(TlsServerConfig(issued.chain, issued.key)))
    val config                       = quick.copy(
      tls = Tls.trusting(authority.file),
      balancing = BalancingConfig(policy = Balancing.RoundRobin)
    )
    serving(_ => Response.ok("bad"), config, of(bad)) { (first, client) =>
      serving(_ => Response.ok("good"), config, of(good)) { (second, _) =>
        val addresses = Seq(first, second).map(s => Address.Tcp("127.0.0.1", s.port))
        val service   = client.service("https://localhost", addresses: _*)
        for (_ <- 1 to 4) assertEquals(service.get("/").await().text, "good")
        assert(service.statistics.retries > 0, service.statistics)
      }
    }
  }

  secure("a connection that ends in the handshake is tried again") {
    val listener = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"))
    val closing  = new Thread(() =>
      try
        while (true) { val socket: Socket = listener.accept(); socket.getInputStream.read(); socket.close() }
      catch { case _: java.io.IOException => () }
    )
    closing.setDaemon(true)
    closing.start()
    try
      calling(quick.copy(tls = Tls.trusting(authority.file))) { client =>
        val service = client.service(s"https://localhost:${listener.getLocalPort}")
        intercept[ClientError.CannotConnect](service.get("/").await())
        assertEquals(service.statistics.attempts, 3L)
      }
    finally listener.close()
  }
}
