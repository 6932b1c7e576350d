package needletail.gateway.serve

import java.io.{IOException, InputStream, OutputStream}

import needletail.async.Timer
import needletail.gateway.format.cgi.{CgiFormat, RequestHead, Variables}
import needletail.http.{ConnectionInfo, Handler}
import needletail.http.message.{HttpError, Status}
import needletail.http.text.ByteWriter
import needletail.io.{EventLoop, EventLoops}
import needletail.server.clock.LoopClock
import needletail.server.config.ServerConfig
import needletail.server.exchange.{RequestRunner, ServerLoopContext, SessionOutput}
import needletail.server.overload.OverloadConfig
import needletail.server.session.ServerSession

/**
 * The single request of a CGI program (RFC 3875): variables from the environment, content from standard input, the
 * response to standard output, all on the calling thread's loop.
 *
 * Standard input and output block, and the loop with them: there is no other request to serve.
 */
private[gateway] final class CgiProcess(
    handler: Handler,
    config: GatewayConfig,
    variables: Variables,
    in: InputStream,
    out: OutputStream,
    loop: EventLoop,
    done: () => Unit
) extends SessionOutput
    with Runnable {
  private val context = new ServerLoopContext(new LoopClock(loop), CgiProcess.settings(config), 1, CgiFormat)
  private var session: ServerSession = null
  private var known: ConnectionInfo  = null
  private var timer: Timer           = null
  private var woken                  = false
  private var over                   = false

  // Content that was read and that the session has not used. Without CONTENT_LENGTH it is put into chunks, so that
  // the session can detect its end.
  private var bodyLeft   = 0L
  private var isChunked  = false
  private val unread     = new ByteWriter(CgiProcess.ReadSize)
  private var unreadFrom = 0
  private var written    = 0L

  def begin(): Unit = {
    val head = new RequestHead(config.mountOrNull, isScript = true)
    val text = new ByteWriter(4 * 1024)
    // Apache passes chunked content on without a length, and ends it (by RFC 3875 §4.1.2 there would be none)
    val coded   = variables.get("CONTENT_LENGTH") == null && variables.get("HTTP_TRANSFER_ENCODING") != null
    val problem = head.write(text, variables, coded)
    known = head.info
    isChunked = coded
    bodyLeft = if (coded) Long.MaxValue else Math.max(0L, head.contentLength)
    session = new ServerSession(this, new RequestRunner(handler, context))
    session.takeLast() // its only request
    if (problem != null) refuse(problem, head.isHead)
    else if (session.receive(text.bytes, 0, text.length) < text.length && !over)
      refuse(HttpError(Status.BadRequest, "the environment does not describe a request"), isHead = false)
    settle()
  }

  private def refuse(error: HttpError, isHead: Boolean): Unit = {
    session.refuse(error, isHead)
    session.proceed()
  }

  /** Reads while content is requested, then waits for other events that the handler waits for. */
  private def settle(): Unit = {
    while (!over && (bodyLeft != 0 || unreadFrom < unread.length) && session.wantsInput) {
      if (unreadFrom == unread.length && bodyLeft > 0) read()
      if (unreadFrom < unread.length) unreadFrom = session.receive(unread.bytes, unreadFrom, unread.length)
      else if (bodyLeft < 0) {
        bodyLeft = 0
        session.peerEnded()
      }
    }
    if (timer != null) timer.cancel()
    val deadline = if (over) Long.MaxValue else session.deadline
    if (deadline != Long.MaxValue)
      timer = loop.schedule(deadline - nowNanos, () => { session.deadlinePassed(); settle() })
  }

  /** Reads one piece of content and appends it; `bodyLeft` is negative if the content was truncated. */
  private def read(): Unit = {
    if (unreadFrom == unread.length) {
      unread.clear()
      unreadFrom = 0
    }
    val piece = new Array[Byte](Math.min(bodyLeft, CgiProcess.ReadSize.toLong).toInt)
    val n     =
      try in.read(piece)
      catch { case _: IOException => -1 }
    if (n < 0) {
      bodyLeft = if (isChunked) 0 else -1
      if (isChunked) unread.writeLatin1("0\r\n\r\n")
    } else if (isChunked) {
      unread.writeHex(n)
      unread.writeCrLf()
      unread.write(piece, 0, n)
      unread.writeCrLf()
    } else {
      unread.write(piece, 0, n)
      bodyLeft -= n
    }
  }

  /**
   * Apache's mod_cgi reads no response before it has passed on all content. A program that writes its response while
   * content waits to be read would block forever. So the content is read first, and kept, up to `maxBody`. What exceeds
   * that is dropped: who reads it is told that it has ended early.
   */
  private def readAhead(): Unit = {
    while (bodyLeft > 0 && unread.length - unreadFrom <= context.config.maxBody) read()
    if (bodyLeft > 0) dropRest()
  }

  private def dropRest(): Unit = {
    val piece = new Array[Byte](CgiProcess.ReadSize)
    while (bodyLeft > 0) {
      val n =
        try in.read(piece, 0, Math.min(bodyLeft, CgiProcess.ReadSize.toLong).toInt)
        catch { case _: IOException => -1 }
      bodyLeft = if (n < 0) 0 else bodyLeft - n
    }
    bodyLeft = -1
  }

  // SessionOutput

  def info: ConnectionInfo = known
  def nowNanos: Long       = loop.nowNanos
  def pendingOutput: Int   = 0

  def write(bytes: Array[Byte], from: Int, count: Int): Unit = if (!over)
    try {
      written += count
      if (written > CgiProcess.PipeSize) readAhead()
      out.write(bytes, from, count)
      out.flush()
    } catch {
      case _: IOException => // the web server has disconnected
        end()
        session.peerGone()
    }

  def writeOwned(bytes: Array[Byte], from: Int, count: Int): Unit = write(bytes, from, count)

  def wake(): Unit = if (!woken && !over) {
    woken = true
    loop.endOfTurn(this)
  }

  /** Runs at the end of a turn in which something changed. */
  def run(): Unit = {
    woken = false
    if (!over) {
      session.proceed()
      settle()
    }
  }

  def finish(): Unit = end()

  /** The web server can detect it only by the length: less was sent than announced. */
  def abort(): Unit = end()

  private def end(): Unit = if (!over) {
    over = true
    done()
  }
}

private[gateway] object CgiProcess {
  private final val ReadSize = 64 * 1024

  /** The minimum that a pipe holds for a reader that does not read yet. */
  private final val PipeSize = 32 * 1024

  /** Serves the request in the environment, and returns when the response is complete. */
  def run(
      handler: Handler,
      config: GatewayConfig,
      variables: Variables,
      in: InputStream,
      out: OutputStream
  ): Unit = EventLoops.here("needletail-cgi") { loop =>
    new CgiProcess(handler, config, variables, in, out, loop, () => loop.stop()).begin()
  }

  /** No overload control in a process with a single request; that is the web server's task. */
  private def settings(config: GatewayConfig): ServerConfig =
    config.server.copy(overload = OverloadConfig.off)
}
