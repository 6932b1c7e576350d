package needletail.server.connection

import needletail.io.{Connection, EventLoop}
import needletail.server.operations.{Log, LoopCounts, LoopSnapshot}

/** The protocol of a [[needletail.server.tcp.TcpServer]]. */
trait Protocol {

  /**
   * Creates the protocol's part on that loop; called once for each loop, before it has connections.
   *
   * @param log the server's, whose lines name it
   */
  def onLoop(loop: EventLoop, log: Log): LoopProtocol

  /** The scheme of the server's URL. */
  private[needletail] def scheme(isSecure: Boolean): String = if (isSecure) "https" else "http"
}

/** A protocol's part on one loop; used on that loop only. */
trait LoopProtocol {

  /** Serves a connection that was accepted. */
  def connected(connection: Connection): ServedConnection

  /** Sets the idle timeout of later connections, in nanoseconds; existing ones are told individually. */
  def idleTimeout(nanos: Long): Unit

  /** The response to a client that does not use TLS although the server does; null for none. */
  def toPlain: Array[Byte] = null

  /** The counts of this loop; bytes are added by the server. */
  def counts: LoopCounts

  /** Adds the protocol's counts to a report. */
  private[server] def observe(report: LoopSnapshot): Unit = ()

  /** Called about ten times a second while the loop has connections. */
  private[server] def timePasses(): Unit = ()

  /** The route whose handler runs now, for messages; empty if none does or it is not known. Called on any thread. */
  private[server] def presentWork: String = ""
}
