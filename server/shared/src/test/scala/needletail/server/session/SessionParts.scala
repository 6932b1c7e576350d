package needletail.server.session

import needletail.server.config.ServerConfig
import needletail.server.operations.Log

import java.nio.charset.StandardCharsets.ISO_8859_1

import needletail.http._
import needletail.server.clock.Clock
import needletail.server.exchange.{
  BodyOwner,
  BodyReader,
  InputWindow,
  RequestRunner,
  ServerExchange,
  ServerLoopContext,
  SessionOutput
}
import needletail.server.session.{ReplyQueue, ReplyWriter, RequestReader, SessionState}

/** The parts of a session without the session: their connection and clock in memory, and what they report. */
private[server] final class SessionParts(
    handler: Handler = _ => Response.ok("hi"),
    config: ServerConfig = ServerConfig(log = Log.none)
) extends SessionOutput
    with BodyOwner
    with ServerExchange.Owner {
  private val written = new java.io.ByteArrayOutputStream

  var nowNanos: Long     = 1000000000L
  var pendingOutput: Int = 0
  var wakes: Int         = 0
  var isAborted: Boolean = false

  /** Does the connection let its session keep arrays? */
  var givesInput: Boolean = false

  /** While true what is written stays with us, as with a client that does not read. */
  var isStuck: Boolean = false

  /** What the parts have reported, oldest first. */
  var reports: List[String] = Nil

  val info: ConnectionInfo = new Attachments {
    def remoteAddress: String = "192.0.2.1:4711"
    def localAddress: String  = "192.0.2.2:80"
    def isSecure: Boolean     = false
  }
  val context: ServerLoopContext = new ServerLoopContext(
    new Clock {
      def nowMillis: Long                 = 784111777000L
      def turnNanos: Long                 = SessionParts.this.nowNanos
      def nanos: Long                     = SessionParts.this.nowNanos
      def atTurnEnd(task: Runnable): Unit = ()
    },
    config
  )
  val runner = new RequestRunner(handler, context)
  val state  = new SessionState
  val input  = new InputWindow(this)
  val reader = new RequestReader(this, context, state, input)
  val queue  = new ReplyQueue(state, context.heads, context.admission)
  val writer = new ReplyWriter(this, runner, state, queue)

  def write(bytes: Array[Byte], from: Int, count: Int): Unit = {
    written.write(bytes, from, count)
    if (isStuck) pendingOutput += count
  }
  def writeOwned(bytes: Array[Byte], from: Int, count: Int): Unit = write(bytes, from, count)
  override def keepInput(bytes: Array[Byte]): Boolean             = givesInput
  def wake(): Unit                                                = wakes += 1
  def finish(): Unit                                              = ()
  def abort(): Unit                                               = isAborted = true

  def bodyWanted(body: BodyReader): Unit   = report("wanted")
  def bodyUnwanted(body: BodyReader): Unit = report("unwanted")
  def bodyEnded(body: BodyReader): Unit    = { reader.contentEnded(); report("ended") }
  def bodyFailed(body: BodyReader): Unit   = { reader.stop(); report("failed") }
  def bodyRefused(body: BodyReader): Unit  = report("refused")
  def exchangeChanged(): Unit              = report("changed")

  private def report(what: String): Unit = reports = reports :+ what

  /** The bytes at hand from here on. */
  def open(text: String): Unit = {
    val bytes = text.getBytes(ISO_8859_1)
    input.open(bytes, 0, bytes.length)
  }

  /** What is left of them. */
  def left: String = new String(input.bytes, input.position, input.available, ISO_8859_1)

  /** A head that was read whole. */
  def head(text: String): RequestView = {
    open(text)
    val parser = reader.readHead()
    input.skip(reader.headSize)
    parser.view
  }

  /** The content of a request with these fields, which has been begun. */
  def content(fields: String): BodyReader = {
    val h = head(s"POST / HTTP/1.1\r\nHost: a\r\n$fields\r\n\r\n")
    state.requested(hasContent = true, isLast = !h.keepAlive)
    reader.beginContent(h, this)
  }

  /** A request that waits in the queue for its reply. */
  def queued(method: String = "GET", more: String = ""): ServerExchange = {
    val h       = head(s"$method / HTTP/1.1\r\nHost: a\r\n$more\r\n")
    val request = new Request(h, h.generation, context.noBody, info)
    val x       = ServerExchange(this, runner, h, request, null, nowNanos, nowNanos + context.handlerNanos)
    runner.detach(request, x)
    queue.add(x)
    x.begin(limitedBy = null)
    x
  }

  /** What was written since the last call. */
  def output: String = {
    val text = new String(written.toByteArray, ISO_8859_1)
    written.reset()
    text
  }
}
