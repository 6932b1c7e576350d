package needletail.gateway.serve

import needletail.gateway.format.cgi.{CgiFormat, GatewayRequest, RequestHead, Variables}
import needletail.gateway.format.scgi.Scgi
import needletail.http.{ConnectionInfo, Handler}
import needletail.http.message.{HttpError, Status}
import needletail.http.text.ByteWriter
import needletail.io.{Connection, EventLoop}
import needletail.server.connection.{LoopProtocol, Protocol, SessionProtocol, SingleSessionConnection}
import needletail.server.exchange.{HeadMemory, RequestRunner}
import needletail.server.failure.MemoryExhausted
import needletail.server.operations.{Log, RareWarning}
import needletail.server.session.ServerSession

/** SCGI, for a [[needletail.server.Server]]. */
private[gateway] final class ScgiProtocol(handler: Handler, config: GatewayConfig) extends Protocol {
  private[needletail] override def scheme(isSecure: Boolean): String = "scgi"

  private val broken = new RareWarning(ScgiConnection.QuietNanos) // of all loops

  def onLoop(loop: EventLoop, log: Log): LoopProtocol =
    new SessionProtocol(config.server, CgiFormat)(context => {
      // shared by all connections of the loop, one of which uses it at a time
      val head         = new RequestHead(config.mountOrNull, isScript = false)
      val text         = new ByteWriter(4 * 1024)
      val runner       = new RequestRunner(handler, context)
      def warn(): Unit = broken.warn(log, loop.nowNanos)(
        "a response was broken off over SCGI at a Unix socket: unless its length was announced, the web server takes it " +
          "for whole. A TCP port or FastCGI tells it"
      )
      connection => new ScgiConnection(connection, runner, config, head, text, () => warn())
    }).onLoop(loop, log)
}

/**
 * One connection of a web server that speaks SCGI: a single request and its response.
 *
 * @param warnOfBroken called when a response is broken off and nothing tells the web server
 */
private[gateway] final class ScgiConnection(
    connection: Connection,
    runner: RequestRunner,
    config: GatewayConfig,
    head: RequestHead,
    text: ByteWriter,
    warnOfBroken: () => Unit
) extends SingleSessionConnection(connection, runner.context) {
  private val context                = runner.context
  private val variables              = new Variables
  private var session: ServerSession = null
  private var known: ConnectionInfo  = null
  private var bodyLeft               = 0L
  private var variableBytes          = 0 // counted in the loop's memory
  private val headDeadline           = nowNanos + context.headNanos
  settle()

  // events of the connection

  def onData(bytes: Array[Byte], from: Int, until: Int): Int = {
    var at = from
    if (session == null) at = readHead(bytes, from, until)
    if (session != null && !session.isFinished) {
      // bytes beyond CONTENT_LENGTH are dropped
      val n = Math.min(bodyLeft, (until - at).toLong).toInt
      if (n > 0) {
        val used = session.receive(bytes, at, at + n)
        bodyLeft -= used - at
        at = used
      }
      if (bodyLeft == 0) at = until
    }
    if (at < until && mustNotKeep(until - at)) {
      if (session == null) refuse(MemoryExhausted.asHttpError) else session.relieve()
      at = until
    }
    settle()
    at
  }

  private[needletail] override def heldForPeer: Long =
    if (connection.pendingBytes > 0 || session == null) super.heldForPeer
    else if (session.memory.awaitsClient) super.heldForPeer + session.memory.heldForClient
    else if (session.memory.holdsUnread) connection.unusedBytes.toLong
    else 0

  private[needletail] override def holdsUnread: Boolean =
    session != null && connection.unusedBytes > connection.pendingBytes && session.memory.holdsUnread

  private[needletail] override def relieve(): Unit =
    if (session == null || connection.pendingBytes > 0 && !holdsUnread) connection.abort()
    else {
      session.relieve()
      connection.dropUnused()
      bodyLeft = 0
      settle()
    }

  private def readHead(bytes: Array[Byte], from: Int, until: Int): Int = {
    val limit = Math.min(config.maxVariables, ScgiConnection.MaxHead)
    val end   = Scgi.read(variables, bytes, from, until, limit)
    if (end == Scgi.More) from
    else if (end == Scgi.Bad) {
      refuse(HttpError(Status.BadRequest, "not an SCGI request"))
      until
    } else if (end == Scgi.TooLong) {
      refuse(HttpError(Status.HeadersTooLarge, s"the request's variables are longer than $limit bytes"))
      until
    } else if (!hold(end - from)) {
      refuse(MemoryExhausted.asHttpError)
      until
    } else {
      val own = variables.kept // they are read later, when the bytes have been reused
      text.clear()
      val problem = head.write(text, own, hasBody = false)
      known = head.info
      if (problem != null) refuse(problem, head.isHead)
      else {
        bodyLeft = Math.max(0L, head.contentLength)
        open()
        if (session.receive(text.bytes, 0, text.length) < text.length && !session.isFinished)
          refuse(HttpError(Status.BadRequest, "the request's variables do not describe a request"))
      }
      end
    }
  }

  /** Counts the variables, which are kept until the connection is closed. Returns false if there is no memory. */
  private def hold(bytes: Int): Boolean =
    bytes <= HeadMemory.Uncounted || context.heads.admitsVariables(bytes, heldInput) && {
      variableBytes = bytes
      context.heads.takeVariables(bytes)
      true
    }

  def onEnd(): Unit = {
    if (session == null) connection.close()
    else session.peerEnded()
    settle()
  }

  def onDrained(): Unit = {
    if (session != null) session.proceed()
    settle()
  }

  protected def turn(): Unit = onDrained()

  def onDeadline(): Unit = {
    abortIfStuck()
    if (session != null) session.deadlinePassed()
    else if (headDeadline <= nowNanos) {
      context.counts.timeouts += 1
      refuse(HttpError(Status.RequestTimeout, "the request's variables took too long"))
    }
    settle()
  }

  protected def closed(cause: Throwable): Unit = {
    context.heads.giveVariables(variableBytes)
    variableBytes = 0
    if (session != null) session.peerGone()
  }

  private def open(): Unit = {
    session = new ServerSession(this, runner)
    session.takeLast() // its only request
  }

  private def refuse(error: HttpError, isHead: Boolean = false): Unit = {
    if (known == null) known = new GatewayRequest(new Variables, "")
    if (session == null) open()
    session.refuse(error, isHead)
    session.proceed()
  }

  private def settle(): Unit = if (!connection.isOpen || session != null && session.isFinished)
    watchFlushing()
  else {
    // reading continues even without content to come, as otherwise its end would not be noticed
    if (
      session == null || bodyLeft == 0 || session.wantsInput || session.watchesForEnd(
        connection.unusedBytes > 0
      )
    ) {
      if (connection.isPaused) connection.resumeReading()
    } else if (!connection.isPaused) connection.pauseReading()
    connection.deadline =
      Math.min(if (session == null) headDeadline else session.deadline, writingDeadline())
  }

  // requests of the server; such a connection has one request anyway

  def idleTimeoutChanged(nanos: Long): Unit = ()
  def drain(): Unit                         = if (session != null) session.drain()

  // SessionOutput

  def info: ConnectionInfo = known

  /** SCGI has no end but the connection's: a reset tells that from a complete response, and only TCP has one. */
  override def abort(): Unit = {
    val remote = connection.remoteAddress
    if (connection.isOpen && (remote.isEmpty || remote.startsWith("/"))) warnOfBroken()
    super.abort()
  }
}

private[gateway] object ScgiConnection {

  /** A head must fit in the input that a connection keeps. */
  private final val MaxHead = 60 * 1024

  final val QuietNanos = 60L * 1000 * 1000 * 1000
}
