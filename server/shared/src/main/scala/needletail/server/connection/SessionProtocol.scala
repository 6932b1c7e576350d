package needletail.server.connection

import needletail.io.{Connection, EventLoop}
import needletail.server.clock.LoopClock
import needletail.server.config.{ServerConfig, TcpSettings}
import needletail.server.exchange.{ReplyFormat, ServerLoopContext}
import needletail.server.operations.{LoopCounts, LoopSnapshot}

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
  def onLoop(loop: EventLoop): LoopProtocol = new LoopProtocol {
    private val context =
      new ServerLoopContext(new LoopClock(loop), config, TcpSettings(config).loopCount, format, loop.memory)
    private val connection = connect(context)

    def connected(c: Connection): ServedConnection = connection(c)
    def idleTimeout(nanos: Long): Unit             = context.idleNanos = nanos
    def counts: LoopCounts                         = context.counts

    private[server] override def observe(report: LoopSnapshot): Unit = context.admission.report(report)
    private[server] override def timePasses(): Unit                  = context.admission.tick()
    private[server] override def presentWork: String                 = {
      val route = context.admission.runningRoute
      if (route == null) "" else route.toString
    }
  }
}
