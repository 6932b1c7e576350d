package needletail.gateway.serve

import needletail.gateway.format.cgi.{GatewayRequest, RequestHead, Variables}
import needletail.gateway.format.fastcgi.{FastCgiRecord, NameValues}
import needletail.http.ConnectionInfo
import needletail.http.message.{HttpError, Status}
import needletail.http.text.ByteWriter
import needletail.server.connection.HeldMemory
import needletail.server.exchange.SessionOutput
import needletail.server.failure.MemoryExhausted
import needletail.server.session.ServerSession

/**
 * One request of a FastCGI connection: the output of a session of its own, which serves it as if it were the only
 * request of an HTTP connection.
 */
private[gateway] final class FastCgiRequest(
    val id: Int,
    connection: FastCgiConnection,
    loop: FastCgiLoop,
    val keepsConnection: Boolean
) extends SessionOutput
    with Runnable {

  /** Index among the connection's requests. */
  var index: Int = -1

  private val beganNanos = nowNanos
  private var params     = new ByteWriter(1024) // all of them; its array is then used for the variables
  private var overlong   = false
  private val variables  = new Variables
  private var complete   = false                // whether the parameters are complete
  private var session: ServerSession = null
  private var known: ConnectionInfo  = null
  private var woken                  = false
  private var over                   = false
  private var hasAnswered            = false // whether some of the response was sent

  // The request's content. If its length is not known, it is put into chunks, which the session can read.
  private var bodyLeft: Long     = 0
  private var chunked: Long      = 0    // bytes of it that were put into chunks
  private var isChunked: Boolean = false
  private var inputEnded         = false
  private var unread: ByteWriter = null // null if nothing is kept
  private var unreadFrom         = 0
  private var received           = 0L   // bytes of its variables and its content that have arrived

  /** Bytes counted in the loop's memory. */
  private var held: Long = 0

  /** What is logged about it, which the web server gets, too. */
  val errors: FastCgiErrors = new FastCgiErrors(loop.log) {
    protected def isOver: Boolean          = over
    protected def send(line: String): Unit = connection.send(FastCgiRecord.Stderr, id, line)
    protected def requestTurn(): Unit      = wake()
  }

  // what the web server sends

  def param(bytes: Array[Byte], from: Int, until: Int): Unit = if (!complete && !overlong) {
    received += until - from
    if (until - from > loop.config.maxVariables - params.length) {
      overlong = true
      params = null
    } else {
      params.write(bytes, from, until - from)
      count()
    }
  }

  def paramsEnded(): Unit = if (!complete) {
    complete = true
    val isRead = !overlong && NameValues.read(variables, params.bytes, 0, params.length)
    if (overlong)
      refuse(
        HttpError(
          Status.HeadersTooLarge,
          s"the request's variables are longer than ${loop.config.maxVariables} bytes"
        )
      )
    else if (!isRead) refuse(HttpError(Status.BadRequest, "the request's variables are malformed"))
    else if (RequestHead.length(variables) != -1) begin(hasBody = false)
    // otherwise the first record of content tells whether there is any
  }

  def content(bytes: Array[Byte], from: Int, until: Int): Unit = if (!over && complete && !inputEnded) {
    received += until - from
    if (loop.context.memory.hasRoom((until - from).toLong, held)) {
      take(bytes, from, until)
      count()
    } else {
      endContent()
      count()
    }
  }

  /** There is no memory for it: its content that has come is dropped, and what follows. */
  private def endContent(): Unit = {
    inputEnded = true
    bodyLeft = 0
    unread = null
    if (session == null) refuse(MemoryExhausted.asHttpError) else told(session.relieve())
  }

  private def take(bytes: Array[Byte], from: Int, until: Int): Unit = {
    if (session == null) begin(hasBody = true)
    if (isChunked && !over) {
      chunked += until - from
      val w = keeping
      w.writeHex(until - from)
      w.writeCrLf()
      w.write(bytes, from, until - from)
      w.writeCrLf()
      feed()
    } else if (bodyLeft > 0 && !over) {
      // bytes beyond CONTENT_LENGTH are not content (RFC 3875 §4.2)
      val n = Math.min(bodyLeft, (until - from).toLong).toInt
      bodyLeft -= n
      var at = from
      if (unread == null && session.wantsInput) at = receive(bytes, from, from + n)
      if (at < from + n && !over) keeping.write(bytes, at, from + n - at)
      feed()
      if (bodyLeft == 0) allHasCome()
    }
  }

  def contentEnded(): Unit = if (!over && complete && !inputEnded) {
    inputEnded = true
    if (session == null) begin(hasBody = false)
    else if (isChunked) {
      keeping.writeLatin1("0\r\n\r\n")
      feed()
      allHasCome()
    } else cutShort()
  }

  /** All of its content has come, some of which may be kept here. What is too large is refused when it is read. */
  private def allHasCome(): Unit =
    if (unread != null && !over && chunked <= loop.config.server.maxBody) told(session.contentIsKept())

  /**
   * Whether as much of its content is kept as allowed, so that reading pauses.
   *
   * @param isAhead whether its content is read before its response is taken: then up to `maxBody` may be kept
   */
  def isFull(isAhead: Boolean): Boolean = unread != null && {
    val most  = loop.config.maxUnread.toLong
    val ahead = Math.min(loop.config.server.maxBody, FastCgiRequest.MostAhead)
    unread.length - unreadFrom >= (if (isAhead) Math.max(most, ahead) else most)
  }

  /** More of its content is to come. */
  def awaitsContent: Boolean = complete && !over && !inputEnded && (isChunked || bodyLeft > 0)

  /** Updates the loop's memory count for this request. */
  private def count(): Unit = {
    val now = if (index < 0) 0L else sizeOf(params) + sizeOf(unread)
    loop.context.memory.add(now - held)
    held = now
  }

  private def sizeOf(writer: ByteWriter): Long = if (writer == null) 0 else writer.bytes.length.toLong

  /** It has been removed from its connection. */
  def dropped(): Unit = {
    index = -1
    count()
  }

  /** What is held for it until the web server has sent more of its content, or that waits behind its response. */
  val memory: HeldMemory = new HeldMemory {
    def heldForPeer: Long =
      if (over) 0
      else if (session == null) held
      else if (session.memory.awaitsClient) held + session.memory.heldForClient
      else if (session.memory.holdsUnread) sizeOf(unread)
      else 0

    def holdsUnread: Boolean = !over && unread != null && session != null && session.memory.holdsUnread
    def isOutput: Boolean    = false // that is the connection's

    // what it has sent ahead keeps others from being read, too
    private[needletail] override def isHeard: Boolean = holdsUnread || !connection.isPaused

    def offerOutput(): Unit = ()
    def bytesSent: Long     = received
    def outputTaken: Long   = 0
    def relieve(): Unit     = connection.relieve(FastCgiRequest.this)
  }

  def relieve(): Unit = if (!over) {
    if (session == null) complete = true
    endContent()
    count()
  }

  /** The web server has aborted the request or disconnected. */
  def cancel(): Unit = if (!over) {
    over = true
    if (session != null) session.peerGone()
  }

  /** The web server will send no more on the whole connection. */
  def connectionEnded(): Unit = if (!over)
    if (session == null) connection.drop(this)
    else {
      // what is kept here can still be read, if it is all of the content
      val isContentKept = unread != null && (if (isChunked) inputEnded else bodyLeft == 0)
      told(session.peerEnded(isContentKept))
    }

  // time and room

  def deadline: Long =
    if (over) Long.MaxValue
    else if (session == null) beganNanos + loop.context.headNanos
    else session.deadline

  def deadlinePassed(): Unit =
    if (session == null) {
      complete = true
      refuse(HttpError(Status.RequestTimeout, "the request's variables took too long"))
    } else told(session.deadlinePassed())

  /** The server stops, and with it event streams that wait. */
  def drain(): Unit = if (session != null && !over) told(session.drain())

  def proceed(): Unit = if (session != null && !over) {
    told(session.proceed())
    feed()
    count()
  }

  // the session

  private def begin(hasBody: Boolean): Unit = {
    val w = loop.headText
    w.clear()
    val problem = loop.head.write(w, variables, hasBody)
    known = loop.head.info
    loop.head.info.errors = errors
    if (problem != null) refuse(problem)
    else {
      isChunked = hasBody
      bodyLeft = if (isChunked) 0 else Math.max(0L, loop.head.contentLength)
      open()
      if (receive(w.bytes, 0, w.length) < w.length && !over)
        refuse(HttpError(Status.BadRequest, "the request's variables do not describe a request"))
    }
  }

  private def open(): Unit = {
    session = new ServerSession(this, loop.runner)
    session.takeLast() // its only request
  }

  private def refuse(error: HttpError): Unit = {
    if (known == null) known = new GatewayRequest(variables, "")
    if (session == null) open()
    told {
      session.refuse(error, loop.head.isHead && problemIsOfHead)
      session.proceed()
    }
  }

  /** `loop.head` has this request's method only while this request's head is being written. */
  private def problemIsOfHead: Boolean = loop.head.info eq known

  private def receive(bytes: Array[Byte], from: Int, until: Int): Int =
    told(session.receive(bytes, from, until))

  private def keeping: ByteWriter = {
    if (unread == null) {
      unread = new ByteWriter(1024)
      unreadFrom = 0
    }
    unread
  }

  /** Passes kept content to the session, as far as it reads it. */
  private def feed(): Unit = {
    var go = !over && unread != null
    while (go && session.wantsInput) {
      val used = receive(unread.bytes, unreadFrom, unread.length) - unreadFrom
      unreadFrom += used
      go = used > 0 && !over && unread != null
      if (unread != null && unreadFrom == unread.length) {
        unread = null
        go = false
      }
    }
    if (unread != null && unreadFrom >= unread.bytes.length / 2) compact()
    // its own output may be all that blocks it: if that is taken at once, nothing else would resume it
    if (unread != null && !over && connection.handsOverAll()) wake()
    cutShort()
  }

  private def compact(): Unit = {
    System.arraycopy(unread.bytes, unreadFrom, unread.bytes, 0, unread.length - unreadFrom)
    unread.length -= unreadFrom
    unreadFrom = 0
  }

  /** The content was truncated, and the session has read all that arrived. */
  private def cutShort(): Unit = if (inputEnded && bodyLeft > 0 && unread == null && !over) {
    bodyLeft = 0
    told(session.peerEnded())
  }

  /** Calls the session; its log messages are also sent to the web server, as this request's errors. */
  private def told[A](body: => A): A = {
    errors.turnBegins()
    try body
    finally {
      errors.turnEnds()
      if (!over) connection.dueBy(deadline)
    }
  }

  // SessionOutput

  def info: ConnectionInfo = known
  def nowNanos: Long       = connection.nowNanos
  def pendingOutput: Int   = connection.pendingOutput

  override def isBackedUp: Boolean = connection.isBackedUp

  def write(bytes: Array[Byte], from: Int, count: Int): Unit =
    if (!over) {
      hasAnswered = true
      connection.send(FastCgiRecord.Stdout, id, bytes, from, count)
    }

  def writeOwned(bytes: Array[Byte], from: Int, count: Int): Unit = write(bytes, from, count)

  def wake(): Unit = if (!woken && !over) {
    woken = true
    connection.atTurnEnd(this)
  }

  /** Runs at the end of a turn in which something changed. */
  def run(): Unit = {
    woken = false
    if (!over) connection.goOn(this)
  }

  def finish(): Unit = if (!over) {
    over = true
    unread = null
    // a request without output was cancelled
    connection.finished(this, if (hasAnswered) FastCgiRequest.Success else FastCgiRequest.Failure)
  }

  def abort(): Unit = if (!over) {
    over = true
    unread = null
    connection.broken(this)
  }
}

private[gateway] object FastCgiRequest {

  /** Maximum of bytes of content in memory, regardless of `maxBody`: the maximum size of an array. */
  private final val MostAhead = 1L << 30

  // exit statuses
  final val Success = 0
  final val Failure = 1
}
