package needletail.simulation.tls

import java.nio.ByteBuffer
import javax.net.ssl.SSLEngineResult.{HandshakeStatus, Status}
import javax.net.ssl.{SSLEngine, SSLException, SSLPeerUnverifiedException}

/** By an engine of the JDK, whose handshake has begun. */
private final class JdkTlsEngine(engine: SSLEngine) extends TlsEngine {
  private var in     = Array.emptyByteArray // encrypted, not decrypted yet
  private val record = ByteBuffer.allocate(64 * 1024)

  proceed()

  def isEnded: Boolean = failure == null && engine.isInboundDone

  def receive(bytes: Array[Byte], count: Int): Unit = if (failure == null) {
    in = if (in.length == 0) java.util.Arrays.copyOf(bytes, count) else in ++ bytes.take(count)
    proceed()
  }

  def peer: String =
    try
      engine.getSession.getPeerCertificates.head match {
        case x: java.security.cert.X509Certificate => x.getSubjectX500Principal.getName
        case _                                     => ""
      }
    catch { case _: SSLPeerUnverifiedException => "" }

  def send(bytes: Array[Byte], from: Int, count: Int): Unit = guarded {
    val source = ByteBuffer.wrap(bytes, from, count)
    while (source.hasRemaining && wrap(source)) ()
  }

  def end(): Unit = guarded {
    engine.closeOutbound()
    wrapOwn()
  }

  def beginAnew(): Unit = guarded {
    engine.beginHandshake()
    proceed()
  }

  def close(): Unit = ()

  private def wrap(source: ByteBuffer): Boolean = {
    record.clear()
    val result = engine.wrap(source, record)
    hasEncrypted(record.array, record.position())
    result.getStatus == Status.OK && (result.bytesProduced > 0 || result.bytesConsumed > 0)
  }

  private def wrapOwn(): Unit =
    while (engine.getHandshakeStatus == HandshakeStatus.NEED_WRAP && wrap(JdkTlsEngine.Nothing)) ()

  private def guarded(action: => Unit): Unit =
    try if (failure == null) action
    catch {
      case e @ (_: SSLException | _: RuntimeException) =>
        failure = e.toString
        try wrapOwn() // the alert
        catch { case _: SSLException | _: RuntimeException => () }
    }

  /** Does all that can be done without further input. */
  private def proceed(): Unit = guarded {
    var isBusy = true
    while (isBusy)
      engine.getHandshakeStatus match {
        case HandshakeStatus.NEED_TASK => engine.getDelegatedTask.run()
        case HandshakeStatus.NEED_WRAP => isBusy = wrap(JdkTlsEngine.Nothing)
        case _                         => isBusy = in.length > 0 && unwrap()
      }
    if (!isSecured && isQuiet) isSecured = true
  }

  private def isQuiet = engine.getHandshakeStatus match {
    case HandshakeStatus.NOT_HANDSHAKING | HandshakeStatus.FINISHED => !engine.isOutboundDone
    case _                                                          => false
  }

  private def unwrap(): Boolean = {
    val source = ByteBuffer.wrap(in)
    record.clear()
    val result = engine.unwrap(source, record)
    hasDecrypted(record.array, record.position())
    in = java.util.Arrays.copyOfRange(in, source.position(), in.length)
    result.bytesConsumed > 0 && !engine.isInboundDone
  }
}

private object JdkTlsEngine {
  private val Nothing = ByteBuffer.allocate(0)
}
