package needletail.server

import needletail.http.Handler
import needletail.io.{Connection, EventLoop}

/**
 * A protocol whose requests are served by [[ServerSession]]s: on each loop a [[LoopContext]] for all of them, limiter
 * and counts included.
 *
 * @param connect what makes the connections' handlers
 */
private[needletail] final class SessionProtocol(config: ServerConfig, format: ReplyFormat)(
    connect: LoopContext => Connection => ServedConnection
) extends Protocol {
  def onLoop(loop: EventLoop): LoopProtocol = new LoopProtocol {
    private val context =
      new LoopContext(new LoopClock(loop), config, config.tcp.loopCount, format, loop.memory)
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

private[server] object HttpProtocol {
  def apply(handler: Handler, config: ServerConfig): Protocol =
    new SessionProtocol(config, ReplyFormat.http)(context =>
      connection => new ServerConnection(connection, handler, context)
    )
}

private[needletail] final class LoopClock(loop: EventLoop) extends Clock {
  def nowMillis: Long = loop.nowMillis
  def turnNanos: Long = loop.nowNanos
  def nanos: Long     = loop.clockNanos

  override def dueNanos: Long       = loop.dueNanos
  override def processorNanos: Long = loop.processorNanos

  def atTurnEnd(task: Runnable): Unit = loop.endOfTurn(task)
}
