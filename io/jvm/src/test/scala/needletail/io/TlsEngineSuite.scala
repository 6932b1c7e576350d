package needletail.io

import java.io.IOException
import java.net.{InetAddress, ServerSocket, Socket as PlainSocket}
import java.nio.ByteBuffer
import java.security.cert.X509Certificate
import java.security.{Principal, PrivateKey}
import javax.net.ssl.SSLEngineResult.HandshakeStatus
import javax.net.ssl.{SSLContext, SSLEngine, TrustManager, X509ExtendedKeyManager}

import needletail.io.system.tls.{Pem, Trust}
import needletail.io.tls.{HandshakeFailure, TlsCounts, TlsPair}

/** Where the JDK's engine does not say what has happened, or does not get over it. */
class TlsEngineSuite extends TlsPair {
  private val unknownCa = Array[Byte](21, 3, 3, 0, 2, 2, 48)

  private val overflowing: Array[X509Certificate] => Unit = _ => throw new StackOverflowError("deep")

  private def overflowingContext: SSLContext = {
    val context = SSLContext.getInstance("TLS")
    context.init(
      null,
      Array[TrustManager](Trust.also(Trust.of(Pem.certificates(authority.file), None))(overflowing)),
      null
    )
    context
  }

  private final class Overflowing extends X509ExtendedKeyManager {
    private def overflow: Nothing = throw new StackOverflowError("deep")
    override def chooseEngineServerAlias(kind: String, issuers: Array[Principal], e: SSLEngine): String =
      overflow
    def chooseServerAlias(kind: String, issuers: Array[Principal], s: PlainSocket): String         = overflow
    def chooseClientAlias(kinds: Array[String], issuers: Array[Principal], s: PlainSocket): String = overflow
    def getClientAliases(kind: String, issuers: Array[Principal]): Array[String]                   = overflow
    def getServerAliases(kind: String, issuers: Array[Principal]): Array[String]                   = overflow
    def getCertificateChain(alias: String): Array[X509Certificate]                                 = overflow
    def getPrivateKey(alias: String): PrivateKey                                                   = overflow
  }

  private def greeting(): Array[Byte] = {
    val context = SSLContext.getInstance("TLS")
    context.init(null, Array(Trust.everybody), null)
    val engine: SSLEngine = context.createSSLEngine("localhost", 1)
    engine.setUseClientMode(true)
    engine.setEnabledProtocols(Array("TLSv1.3"))
    val record = ByteBuffer.allocate(engine.getSession.getPacketBufferSize)
    engine.beginHandshake()
    while (engine.getHandshakeStatus == HandshakeStatus.NEED_WRAP) engine.wrap(ByteBuffer.allocate(0), record)
    java.util.Arrays.copyOf(record.array, record.position())
  }

  /** How the server sees a client that sends these bytes when it has got the server's first ones. */
  private def after(bytes: Array[Byte]): (String, TlsCounts) = withLoop { loop =>
    val identity = Tls.server(config)
    val served   = new Served(loop, identity)
    withClient(served.listener) { (client: PlainSocket) =>
      client.getOutputStream.write(greeting())
      assert(client.getInputStream.read() == 22)
      client.getOutputStream.write(bytes)
      (served.nextHandler().next(), identity.counts)
    }
  }

  test("an alert that is not encrypted although it should be is understood") {
    for (before <- Seq(Array.empty[Byte], Array[Byte](20, 3, 3, 0, 1, 1))) {
      val (end, counts) = after(before ++ unknownCa)
      assertEquals(end, "closed by the client does not accept the server's certificate (alert unknown_ca)")
      assertEquals(counts.failed(HandshakeFailure.Alert), 1L)
    }
  }

  test("but no other record that cannot be decrypted") {
    for (bytes <- Seq(unknownCa.updated(0, 23.toByte), unknownCa.updated(5, 3.toByte))) {
      val (end, counts) = after(bytes)
      assert(end.startsWith("closed by ") && !end.contains("Received fatal alert"), end)
      assertEquals(counts.failed(HandshakeFailure.Protocol), 1L)
    }
  }

  test(
    "a client that leaves by an alert that is not encrypted, and gives no reason, has not completed the handshake"
  ) {
    for (number <- Seq(0, 90)) { // close_notify, user_canceled
      val (end, counts) = after(unknownCa.updated(6, number.toByte))
      assertEquals(end, "closed by the client closed the connection during the TLS handshake")
      assertEquals(counts.failed(HandshakeFailure.Incomplete), 1L)
    }
  }

  test("a client whose server breaks the connection in the handshake says that it was in the handshake") {
    withLoop { loop =>
      val listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress)
      try {
        val breaks = new Thread(() => {
          val accepted = listener.accept()
          accepted.getInputStream.read()
          accepted.setSoLinger(true, 0) // a reset
          accepted.close()
        })
        breaks.start()
        val why = intercept[IOException](open(loop, listener.getLocalPort)).getMessage
        assert(why.contains(": the TLS handshake with localhost failed: "), why)
      } finally listener.close()
    }
  }

  test("a client with OpenSSL that does not trust the server is counted as such") {
    withLoop { loop =>
      val identity = Tls.server(config)
      val served   = new Served(loop, identity)
      for (version <- Seq("-tls1_3", "-tls1_2"))
        try openSslClient(served.port, Seq(version, "-verify_return_error"))
        catch { case _: IOException => () }
      eventually(identity.counts.failed == 2L, s"${identity.counts.failed} of 2 failed")
      assertEquals(identity.counts.failed(HandshakeFailure.Alert), 2L)
    }
  }

  test("a client that has no stack left for a server's certificate refuses it") {
    serving(config) { served =>
      val why = refusal(served, Tls.of(overflowingContext))
      assert(why.endsWith("no TLS with localhost: java.lang.StackOverflowError: deep"), why)
    }
  }

  test("a handshake ends for which a server has no stack left") {
    withLoop { loop =>
      val context = SSLContext.getInstance("TLS")
      context.init(Array(new Overflowing), null, null)
      val identity = Tls.server(context)
      val served   = new Served(loop, identity)
      val _        = intercept[IOException](open(loop, served.port))
      val end      = served.nextHandler().next()
      assert(end.contains("no TLS with the client: java.lang.StackOverflowError"), end)
      assertEquals(identity.counts.failed(HandshakeFailure.Protocol), 1L)
    }
  }
}
