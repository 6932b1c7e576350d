package needletail.server.tcp

import needletail.async.Async
import needletail.io.{Connection, EventLoop}
import needletail.server.config.ServerConfig
import needletail.server.connection.{LoopProtocol, Protocol, ServedConnection}
import needletail.server.operations.{Log, LoopCounts}
import needletail.tcp.Codec

/**
 * The protocol of a [[Codec]], for a [[TcpServer]]. `session` creates the function that answers one connection's
 * messages.
 */
private[server] final class CodecProtocol[I, O](
    codec: Codec[I, O],
    config: ServerConfig,
    session: MessageConnection[O] => I => Async[Answer[O]]
) extends Protocol {
  private[needletail] override def scheme(isSecure: Boolean): String = if (isSecure) "tls" else "tcp"

  def onLoop(loop: EventLoop, log: Log): LoopProtocol = new LoopProtocol {
    private var idle     = config.idleTimeout.toNanos
    private val settings =
      CodecSettings(
        codec.maxMessage.getOrElse(config.maxHead),
        config.maxPendingOutput,
        config.writeTimeout.toNanos,
        config.lingerTimeout.toNanos,
        config.halfCloseGrace.toNanos,
        config.handlerTimeout.toNanos,
        config.bodyTimeout.toNanos,
        config.bodyGrace.toNanos,
        config.minBodyRate,
        log
      )
    val counts                         = new LoopCounts
    def idleTimeout(nanos: Long): Unit = idle = nanos

    def connected(connection: Connection): ServedConnection = {
      val peer = new CodecPeer[O](connection, codec, settings.maxPendingOutput)
      try serve(connection, peer)
      catch {
        case e: Throwable =>
          connection.loop.endOfTurn(() => peer.ended()) // nothing else tells it
          throw e
      }
    }

    private def serve(connection: Connection, peer: CodecPeer[O]): ServedConnection = {
      val answer = session(peer)
      new CodecConnection[I, O](
        connection,
        codec,
        settings,
        peer,
        message => {
          counts.requests += 1
          answer(message)
        },
        () => idle,
        counts
      )
    }
  }
}
