package needletail.gateway

import java.io.{IOException, InputStream, OutputStream}

import needletail.async.Timer
import needletail.http.{ByteWriter, ConnectionInfo, Handler, HttpError, Status}
import needletail.io.EventLoop
import needletail.server._

/**
 * The one request of a CGI program (RFC 3875): variables from the environment, content from standard input, the answer
 * to standard output, all on the calling thread's loop.
 *
 * Standard input and output wait when they have to, and the loop with them: there is nobody else to serve.
 */
private[gateway] final class CgiProcess(
    handler: Handler,
    config: GatewayConfig,
    variables: Variables,
    in: InputStream,
    out: OutputStream,
    loop: EventLoop,
    done: () => Unit
) extends Wire
    with Runnable {
  private val context = new LoopContext(new LoopClock(loop), CgiProcess.settings(config), 1, CgiFormat)
  private var session: ServerSession = null
  private var known: ConnectionInfo  = null
  private var timer: Timer           = null
  private var woken                  = false
  private var over                   = false

  // Content that was read and that the session has not used. Without CONTENT_LENGTH it goes into chunks, which it can
  // read to their end.
  private var bodyLeft   = 0L
  private var isChunked  = false
  private var unread     = CgiProcess.none
  private var unreadFrom = 0

  def begin(): Unit = {
    val head = new RequestHead(config.mountOrNull, isScript = true)
    val text = new ByteWriter(4 * 1024)
    // Apache hands chunked content on with no length, and ends it (RFC 3875 §4.1.2 would have there be none)
    val coded   = variables.get("CONTENT_LENGTH") == null && variables.get("HTTP_TRANSFER_ENCODING") != null
    val problem = head.write(text, variables, coded)
    known = head.info
    isChunked = coded
    bodyLeft = if (coded) Long.MaxValue else Math.max(0L, head.contentLength)
    session = new ServerSession(this, handler, context)
    session.drain() // its one request is its last
    if (problem != null) refuse(problem, head.isHead)
    else if (session.receive(text.bytes, 0, text.length) < text.length && !over)
      refuse(HttpError(Status.BadRequest, "the environment is no request"), isHead = false)
    settle()
  }

  private def refuse(error: HttpError, isHead: Boolean): Unit = {
    session.refuse(error, isHead)
    session.proceed()
  }

  /** Reads as long as content is wanted, then waits for what else the handler waits for. */
  private def settle(): Unit = {
    while (!over && (bodyLeft > 0 || unreadFrom < unread.length) && session.wantsInput) {
      if (unreadFrom == unread.length) read()
      if (unreadFrom < unread.length) unreadFrom = session.receive(unread, unreadFrom, unread.length)
    }
    if (timer != null) timer.cancel()
    val deadline = if (over) Long.MaxValue else session.deadline
    if (deadline != Long.MaxValue)
      timer = loop.schedule(deadline - nowNanos, () => { session.deadlinePassed(); settle() })
  }

  private def read(): Unit = {
    val piece = new Array[Byte](Math.min(bodyLeft, CgiProcess.ReadSize.toLong).toInt)
    val n     =
      try in.read(piece)
      catch { case _: IOException => -1 }
    unreadFrom = 0
    if (n < 0) {
      bodyLeft = 0
      if (isChunked) unread = CgiProcess.lastChunk
      else {
        unread = CgiProcess.none
        session.peerEnded()
      }
    } else if (isChunked) unread = CgiProcess.chunk(piece, n)
    else {
      unread = java.util.Arrays.copyOf(piece, n)
      bodyLeft -= n
    }
  }

  // Wire

  def info: ConnectionInfo = known
  def nowNanos: Long       = loop.nowNanos
  def pendingOutput: Int   = 0

  def write(bytes: Array[Byte], from: Int, count: Int): Unit = if (!over)
    try {
      out.write(bytes, from, count)
      out.flush()
    } catch {
      case _: IOException => // the server in front has gone
        end()
        session.peerGone()
    }

  def writeOwned(bytes: Array[Byte], from: Int, count: Int): Unit = write(bytes, from, count)

  def wake(): Unit = if (!woken && !over) {
    woken = true
    loop.endOfTurn(this)
  }

  /** The end of a turn in which something changed. */
  def run(): Unit = {
    woken = false
    if (!over) {
      session.proceed()
      settle()
    }
  }

  def finish(): Unit = end()

  /** The server in front cannot be told but by what has been sent: less than was announced. */
  def abort(): Unit = end()

  private def end(): Unit = if (!over) {
    over = true
    done()
  }
}

private[gateway] object CgiProcess {
  private final val ReadSize = 64 * 1024

  private val none      = new Array[Byte](0)
  private val lastChunk = "0\r\n\r\n".getBytes(java.nio.charset.StandardCharsets.ISO_8859_1)

  /** Serves the request that the environment describes, and returns when it is answered. */
  def run(
      handler: Handler,
      config: GatewayConfig,
      variables: Variables,
      in: InputStream,
      out: OutputStream
  ): Unit = EventLoop.here("needletail-cgi") { loop =>
    new CgiProcess(handler, config, variables, in, out, loop, () => loop.stop()).begin()
  }

  /** Nothing is shed by a process that has one request; its server does that. */
  private def settings(config: GatewayConfig): ServerConfig =
    config.server.copy(overload = OverloadConfig.off)

  private def chunk(bytes: Array[Byte], count: Int): Array[Byte] = {
    val w = new ByteWriter(count + 16)
    w.writeHex(count)
    w.writeCrLf()
    w.write(bytes, 0, count)
    w.writeCrLf()
    java.util.Arrays.copyOf(w.bytes, w.length)
  }
}
