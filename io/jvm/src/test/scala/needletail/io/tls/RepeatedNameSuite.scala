package needletail.io.tls

import java.net.Socket as PlainSocket
import java.security.cert.X509Certificate
import java.security.{Principal, PrivateKey}
import java.util.concurrent.LinkedBlockingQueue
import javax.net.ssl.{ExtendedSSLSession, SSLContext, SSLEngine, X509ExtendedKeyManager}

import needletail.io.Tls
import needletail.io.system.tls.ServerKeys

/**
 * Clients that ask for another name when they repeat their ClientHello. The JDK's engine, which asks nobody about that,
 * takes the latter: for the certificate, and as the name of the session. The first one has no effect but that it is
 * refused if it is unknown and that is asked for.
 */
class RepeatedNameSuite extends RepeatedName {

  /** Notes for which name a certificate is chosen, and which: its number. */
  private final class Noting(keys: X509ExtendedKeyManager) extends X509ExtendedKeyManager {
    val chosen = new LinkedBlockingQueue[(String, String)]

    override def chooseEngineServerAlias(
        kind: String,
        issuers: Array[Principal],
        engine: SSLEngine
    ): String = {
      val alias = keys.chooseEngineServerAlias(kind, issuers, engine)
      engine.getHandshakeSession match {
        case session: ExtendedSSLSession if alias ne null =>
          chosen.add((ServerKeys.nameIn(session), alias)); ()
        case _ => ()
      }
      alias
    }

    def getCertificateChain(alias: String): Array[X509Certificate] = keys.getCertificateChain(alias)

    def getPrivateKey(alias: String): PrivateKey = keys.getPrivateKey(alias)

    def getServerAliases(kind: String, issuers: Array[Principal]): Array[String] = null

    def getClientAliases(kind: String, issuers: Array[Principal]): Array[String] = null

    def chooseServerAlias(kind: String, issuers: Array[Principal], in: PlainSocket): String = null

    def chooseClientAlias(kinds: Array[String], issuers: Array[Principal], in: PlainSocket): String = null
  }

  tlsTest("of the names in a ClientHello and its repetition the latter alone counts") {
    val keys    = new Noting(ServerKeys.read(Seq(local, shop)))
    val context = SSLContext.getInstance("TLS")
    context.init(Array(keys), null, null)
    withLoop { loop =>
      val served = new Served(loop, Tls.server(context))
      for (
        (first, second, number) <- Seq(
          ("here.test", "here.test", "0"),
          ("here.test", "shop.example", "1"),
          ("shop.example", "here.test", "0"),
          ("unknown.example", "shop.example", "1"),
          ("shop.example", "unknown.example", "0")
        )
      ) {
        keys.chosen.clear()
        assertEquals(answer(served.port, first, second), "message 2")
        assertEquals(keys.chosen.peek, (second, number), s"$first, then $second")
      }
    }
  }

  tlsTest("unknown names are refused in both where that is asked for") {
    serving(both.copy(refuseUnknownNames = true)) { served =>
      assertEquals(answer(served.port, "here.test", "shop.example"), "message 2")
      assertEquals(answer(served.port, "here.test", "unknown.example"), "alert 112")
    }
  }
}
