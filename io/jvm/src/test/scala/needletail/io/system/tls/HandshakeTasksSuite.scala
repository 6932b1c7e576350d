package needletail.io.system.tls

import java.net.Socket
import java.security.{Principal, PrivateKey}
import java.security.cert.X509Certificate
import java.util.ArrayDeque
import java.util.concurrent.atomic.AtomicInteger
import javax.net.ssl.{SSLEngine, X509ExtendedKeyManager}

import needletail.io.Tls
import needletail.io.tls.MemoryPair

/** What a server computes for handshakes, on threads of its own. */
class HandshakeTasksSuite extends MemoryPair {

  /** Counts how often a certificate was chosen. */
  private final class Counting(inner: X509ExtendedKeyManager) extends X509ExtendedKeyManager {
    val chosen = new AtomicInteger

    override def chooseEngineServerAlias(
        kind: String,
        issuers: Array[Principal],
        engine: SSLEngine
    ): String = {
      chosen.incrementAndGet()
      inner.chooseEngineServerAlias(kind, issuers, engine)
    }
    def getCertificateChain(alias: String): Array[X509Certificate] = inner.getCertificateChain(alias)
    def getPrivateKey(alias: String): PrivateKey                   = inner.getPrivateKey(alias)

    def getServerAliases(kind: String, issuers: Array[Principal]): Array[String] =
      inner.getServerAliases(kind, issuers)
    def getClientAliases(kind: String, issuers: Array[Principal]): Array[String]                   = null
    def chooseServerAlias(kind: String, issuers: Array[Principal], socket: Socket): String         = null
    def chooseClientAlias(kinds: Array[String], issuers: Array[Principal], socket: Socket): String = null
  }

  for (closes <- Seq(false, true))
    test(s"a task is ${if (closes) "dropped if its connection was closed while it waited" else "run"}") {
      val keys   = new Counting(ServerKeys.read(Seq(local)))
      val tasks  = new ArrayDeque[Runnable]
      val (a, b) = (new End, new End)
      a.peer = b
      b.peer = a
      val client = trusting.over(a, "localhost", 443)
      val server = Tls.server(JdkContexts.context(null, Array(keys), Array(Trust.nobody))).over(b, null)
      server.resumeBy(() => (), task => { tasks.add(task); () })
      client.finishConnect()
      server.read(new Array[Byte](65536), 0, 65536)
      assertEquals((tasks.size, keys.chosen.get), (1, 0))
      if (closes) server.close()
      tasks.poll().run()
      assertEquals(keys.chosen.get > 0, !closes)
      client.close()
      server.close()
    }
}
