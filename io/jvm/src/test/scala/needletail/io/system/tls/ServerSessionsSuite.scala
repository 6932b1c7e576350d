package needletail.io.system.tls

import java.io.IOException
import java.time.format.DateTimeFormatter
import java.time.{Instant, ZoneOffset}
import javax.net.ssl.SSLContext

import scala.concurrent.duration.*

import needletail.io.Tls
import needletail.io.tls.{HandshakeFailure, TlsCertificate, TlsClientAuth, TlsClientConfig, TlsPair, TlsTrust}
import needletail.testing.Pause

/** How long sessions of the JDK's last. */
class ServerSessionsSuite extends TlsPair {
  test("a context is replaced when it is as old as a session may become, and with it all sessions end") {
    var now                = 5L
    def make(): SSLContext = {
      val made = SSLContext.getInstance("TLS")
      made.init(null, null, null)
      made
    }
    val sessions = new ServerSessions(() => make(), 2, () => now)
    val first    = sessions.context()
    assertEquals(first.getServerSessionContext.getSessionTimeout, 2)
    now += 2.seconds.toNanos - 1
    assert(sessions.context() eq first)
    now += 1
    val second = sessions.context()
    assert(second ne first)
    assertEquals(second.getServerSessionContext.getSessionTimeout, 2)
    now += 2.seconds.toNanos - 1
    assert(sessions.context() eq second)
  }

  tlsTest("a client whose certificate has expired since does not resume its session") {
    val end    = Instant.now.plusSeconds(6)
    val text   = DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'").withZone(ZoneOffset.UTC).format(end)
    val issued = authority.issue("DNS:ann", until = text)
    val own    = TlsCertificate(issued.chain, issued.key)
    val tls    = Tls.client(TlsClientConfig(TlsTrust.File(authority.file), Some(own)))
    withLoop { loop =>
      val identity        = Tls.server(config.copy(clients = Some(TlsClientAuth(authority.file))))
      val served          = new Served(loop, identity)
      def connect(): Unit = { hello(served, open(served.loop, served.port, tls)); () }
      connect()
      eventually({ connect(); identity.counts.resumed > 0 }, "no session is resumed")
      Pause((end.toEpochMilli - System.currentTimeMillis).max(0).millis + 10.millis)
      val completed = identity.counts.full + identity.counts.resumed
      try open(served.loop, served.port, tls)
      catch { case _: IOException => () } // with TLS 1.3 it may hear later
      eventually(identity.counts.failed(HandshakeFailure.Certificate) == 1L, "it is not refused")
      assertEquals(identity.counts.full + identity.counts.resumed, completed)
    }
  }
}
