package needletail.io.system.tls

import java.nio.ByteBuffer
import java.security.SecureRandom
import java.util.concurrent.atomic.AtomicBoolean
import javax.net.ssl.SSLEngineResult.HandshakeStatus
import javax.net.ssl.{SSLContext, SSLEngine, SSLException}

import scala.annotation.tailrec

/**
 * The first handshake of a program takes more than a hundred milliseconds on the JVM, as it loads and initialises the
 * cryptography. It is done in memory, before a server listens, so that no connection waits for it.
 */
private[io] object FirstHandshake {
  private val isDone = new AtomicBoolean(false)

  /** Whether there was an attempt. */
  def isMade: Boolean = isDone.get

  /** Makes a handshake with an engine of `server`, unless one was made. That it may fail does not matter. */
  def make(server: SSLEngine): Unit = if (isDone.compareAndSet(false, true))
    try {
      val context = SSLContext.getInstance("TLS")
      context.init(null, Array(Trust.everybody), new SecureRandom)
      val client = context.createSSLEngine()
      client.setUseClientMode(true)
      client.beginHandshake()
      server.beginHandshake()
      meet(client, server)
    } catch {
      case _: SSLException | _: RuntimeException => ()
    } // a server may refuse clients without a certificate

  private def meet(client: SSLEngine, server: SSLEngine): Unit = {
    val size     = client.getSession.getPacketBufferSize + server.getSession.getPacketBufferSize
    val toServer = ByteBuffer.allocate(size)
    val toClient = ByteBuffer.allocate(size)

    @tailrec
    def go(steps: Int): Unit =
      if (steps > 0 && (isUnderWay(client) || isUnderWay(server))) {
        step(client, toClient, toServer)
        step(server, toServer, toClient)
        go(steps - 1)
      }
    go(MaxSteps)
  }

  private def isUnderWay(engine: SSLEngine): Boolean =
    engine.getHandshakeStatus != HandshakeStatus.NOT_HANDSHAKING && !engine.isOutboundDone

  private def step(engine: SSLEngine, in: ByteBuffer, out: ByteBuffer): Unit =
    engine.getHandshakeStatus match {
      case HandshakeStatus.NEED_TASK =>
        Iterator.continually(engine.getDelegatedTask).takeWhile(_ ne null).foreach(_.run())
      case HandshakeStatus.NEED_WRAP =>
        engine.wrap(ByteBuffer.allocate(0), out)
        ()
      case _ =>
        in.flip()
        engine.unwrap(in, ByteBuffer.allocate(engine.getSession.getApplicationBufferSize))
        in.compact()
        ()
    }

  private final val MaxSteps = 200
}
