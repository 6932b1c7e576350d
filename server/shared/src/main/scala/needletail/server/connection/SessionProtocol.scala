package needletail.server.connection

import java.nio.charset.StandardCharsets.ISO_8859_1

import needletail.io.{Connection, EventLoop}
import needletail.server.clock.LoopClock
import needletail.server.config.{ServerConfig, TcpSettings}
import needletail.server.exchange.{ForeignPeers, ReplyFormat, ServerLoopContext}
import needletail.server.operations.{Log, LoopCounts, LoopSnapshot}

/**
 * A protocol whose requests are served by [[ServerSession]]s. All connections of a loop share a [[ServerLoopContext]],
 * with its admission control and its counts.
 *
 * @param format how replies are written
 * @param connect creates the handlers of a loop's connections
 */
private[needletail] final class SessionProtocol(config: ServerConfig, format: ReplyFormat)(
    connect: ServerLoopContext => Connection => ServedConnection
) extends Protocol {
  private val foreign = new ForeignPeers

  def onLoop(loop: EventLoop, log: Log): LoopProtocol = new LoopProtocol {
    private val context = new ServerLoopContext(
      new LoopClock(loop),
      config.copy(log = log),
      TcpSettings(config).loopCount,
      format,
      loop.memory,
      foreign
    )
    private val connection = connect(context)

    def connected(c: Connection): ServedConnection = connection(c)
    def idleTimeout(nanos: Long): Unit             = context.idleNanos = nanos
    def counts: LoopCounts                         = context.counts

    override def toPlain: Array[Byte] = if (format eq ReplyFormat.http) SessionProtocol.toPlain else null

    private[server] override def observe(report: LoopSnapshot): Unit = context.admission.report(report)
    private[server] override def timePasses(): Unit                  = context.admission.tick()
    private[server] override def presentWork: String                 = {
      val route = context.admission.runningRoute
      if (route == null) "" else route.toString
    }
  }
}

private object SessionProtocol {
  private def toPlain: Array[Byte] = {
    val text = "this port requires TLS (https)\n"
    ("HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n" +
      s"Content-Length: ${text.length}\r\n\r\n$text").getBytes(ISO_8859_1)
  }
}
