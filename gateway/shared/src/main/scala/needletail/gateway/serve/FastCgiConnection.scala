package needletail.gateway.serve

import java.nio.charset.StandardCharsets.ISO_8859_1

import needletail.async.Survivable
import needletail.gateway.format.cgi.Variables
import needletail.gateway.format.fastcgi.{FastCgiParser, FastCgiRecord, FastCgiWriter, NameValues}
import needletail.http.text.ByteWriter
import needletail.io.Connection
import needletail.server.connection.{HeldMemory, SessionConnection}
import needletail.server.exchange.LentWriter

/**
 * One connection of a web server that speaks FastCGI: any number of concurrent requests, up to a bound.
 *
 * FastCGI has no flow control for a request, only that of the connection. So a bounded amount of content is kept for
 * a request whose handler does not read it; then reading the connection is paused. And while the peer does not read,
 * none of its requests begins, and none continues to write.
 */
private[gateway] final class FastCgiConnection(connection: Connection, loop: FastCgiLoop)
    extends SessionConnection(connection, loop.context) {
  import FastCgiRecord.*

  private val parser                  = new FastCgiParser
  private var current: FastCgiRequest = null               // whose record is being read
  private var small                   = new ByteWriter(16) // content of records that belong to no request

  private var active   = new Array[FastCgiRequest](4)
  private var count    = 0
  private var first    = 0 // which request continues first when there is room again
  private var over     = false
  private var draining = false

  /** Whether to close it as soon as no request is in progress: the web server has requested it, or closed its side. */
  private var endsWhenIdle = false

  /** Whether a request has been served since draining began: then no other is waited for. */
  private var hasServed = false

  private var idleSince   = nowNanos
  private var requestsDue = Long.MaxValue // not later than any request's deadline

  if (!loop.admits(connection.remoteAddress)) {
    loop.log.warn(
      s"refused a FastCGI connection from ${connection.remoteAddress}: not in FCGI_WEB_SERVER_ADDRS"
    )
    over = true
    connection.abort()
  }
  turn(settle())

  // Turns: every call from outside is one, as the loop's writer is lent to it.

  private def turn(body: => Unit): Unit = loop.lent.lend(new LentWriter.Turn {
    def work(): Unit                    = body
    def aborted(cause: Throwable): Unit = end(cause)
  })

  /** A turn threw an exception: it is not known which records were sent, so no others follow. */
  private def end(cause: Throwable): Unit = {
    over = true
    connection.abort()
    if (!Survivable(cause)) throw cause
    loop.log.error("a FastCGI connection was closed because of an exception", cause)
  }

  // reading

  def onData(bytes: Array[Byte], from: Int, until: Int): Int = {
    var used = from
    turn { used = read(bytes, from, until) }
    if (over) until else used
  }

  private def read(bytes: Array[Byte], from: Int, until: Int): Int = {
    var at = from
    var go = true
    while (go && !over && !isStuck) {
      at = parser.next(bytes, at, until)
      parser.state match {
        case FastCgiParser.Begin   => recordBegins()
        case FastCgiParser.Content => recordContent(bytes, parser.dataFrom, parser.dataUntil)
        case FastCgiParser.End     => recordEnds()
        case FastCgiParser.Bad     => violated(parser.error)
        case _                     => go = false
      }
    }
    settle()
    at
  }

  private def isBlocked: Boolean = {
    // any output that is not taken counts: some servers take none of it before its content has been read
    val readsAhead = loop.readsAhead && count == 1 && active(0).awaitsContent && connection.pendingBytes > 0
    (!readsAhead && pendingOutput > loop.context.config.maxPendingOutput) ||
    (current != null && current.isFull(readsAhead))
  }

  /** The same, after passing on as much as possible: then reading pauses, and only a change of this resumes it. */
  private def isStuck: Boolean = isBlocked && {
    flush()
    isBlocked
  }

  private def recordBegins(): Unit = {
    current = null
    if (small.bytes.length > FastCgiConnection.UsualSmall) small = new ByteWriter(16) else small.clear()
    parser.kind match {
      case Params | Stdin | AbortRequest if parser.id != Management => current = find(parser.id)
      case _                                                        => ()
    }
  }

  private def recordContent(bytes: Array[Byte], from: Int, until: Int): Unit = parser.kind match {
    case Params                   => if (current != null) current.param(bytes, from, until)
    case Stdin                    => if (current != null) current.content(bytes, from, until)
    case BeginRequest | GetValues => small.write(bytes, from, until - from) // at most a record's content
    case _                        => ()
  }

  private def recordEnds(): Unit = {
    val request = current
    current = null
    parser.kind match {
      case BeginRequest                    => begin()
      case Params if request != null       => if (parser.contentLength == 0) request.paramsEnded()
      case Stdin if request != null        => if (parser.contentLength == 0) request.contentEnded()
      case AbortRequest if request != null =>
        request.cancel()
        finished(request, FastCgiRequest.Failure)
      case GetValues if parser.id == Management => answerValues()
      // section 4.2: GET_VALUES is the only management record known here
      case kind if parser.id == Management || !isOfRequest(kind) => FastCgiWriter.unknownType(loop.out, kind)
      case _                                                     => () // of a request that is over or unknown
    }
  }

  private def begin(): Unit =
    if (parser.id == Management || small.length != BodyLength) violated("a malformed BEGIN_REQUEST")
    else if (find(parser.id) != null) violated(s"request ${parser.id} began twice")
    else {
      val role  = ((small.bytes(0) & 0xff) << 8) | (small.bytes(1) & 0xff)
      val keeps = (small.bytes(2) & KeepConnection) != 0
      if (role != Responder) turnAway(UnknownRole, keeps)
      else if (count >= loop.config.maxMultiplexed)
        turnAway(if (loop.config.maxMultiplexed == 1) CannotMultiplex else Overloaded, keeps)
      else {
        val request = new FastCgiRequest(parser.id, this, loop, keeps)
        if (count == active.length) active = java.util.Arrays.copyOf(active, 2 * count)
        request.index = count
        active(count) = request
        count += 1
        dueBy(request.deadline)
      }
    }

  private def turnAway(status: Int, keeps: Boolean): Unit = {
    FastCgiWriter.endRequest(loop.out, parser.id, FastCgiRequest.Failure, status)
    if (!keeps) endsWhenIdle = true
  }

  /** Section 4.1: unknown names are ignored, and a repeated name is answered once. */
  private def answerValues(): Unit = {
    val asked  = new Variables
    val answer = new ByteWriter(128)
    if (NameValues.read(asked, small.bytes, 0, small.length)) {
      val connections                                = loop.context.config.maxConnections
      val each                                       = loop.config.maxMultiplexed
      def tell(name: String, value: => String): Unit =
        if (asked.indexOf(name) >= 0) NameValues.write(answer, name, value)
      tell(MaxConnections, connections.toString)
      tell(MaxRequests, (connections.toLong * each).toString)
      tell(MultiplexesConn, if (each > 1) "1" else "0")
    }
    FastCgiWriter.management(loop.out, GetValuesResult, answer)
  }

  private def find(id: Int): FastCgiRequest = {
    var i = 0
    while (i < count && active(i).id != id) i += 1
    if (i < count) active(i) else null
  }

  /** The peer has violated the protocol: nothing it sends can be interpreted any more. */
  private def violated(what: String): Unit = {
    loop.log.warn(s"closing a FastCGI connection: $what")
    over = true
    connection.abort()
  }

  // used by its requests

  def nowNanos: Long      = connection.loop.nowNanos
  def isBackedUp: Boolean = connection.pendingBytes > 0
  def isPaused: Boolean   = connection.isPaused

  /** Pending output of all its requests, after passing on as much as possible. */
  def pendingOutput: Int = {
    if (connection.pendingBytes + loop.out.length > loop.context.config.maxPendingOutput) flush()
    connection.pendingBytes + loop.out.length
  }

  def atTurnEnd(task: Runnable): Unit = connection.loop.endOfTurn(task)

  /** Sends bytes of a request's stream. */
  def send(kind: Int, id: Int, bytes: Array[Byte], from: Int, count: Int): Unit = {
    var at = from
    while (at < from + count) {
      val n = Math.min(FastCgiConnection.Slice, from + count - at)
      FastCgiWriter.stream(loop.out, kind, id, bytes, at, n)
      at += n
      if (loop.out.length >= FastCgiConnection.Slice) flush()
    }
  }

  def send(kind: Int, id: Int, text: String): Unit = {
    val bytes = text.getBytes(ISO_8859_1)
    send(kind, id, bytes, 0, bytes.length)
  }

  /** The response is complete, or no longer needed. */
  def finished(request: FastCgiRequest, appStatus: Int): Unit = {
    if (request.errors.hasTold) FastCgiWriter.endStream(loop.out, Stderr, request.id) // section 6.2
    if (appStatus == FastCgiRequest.Success) FastCgiWriter.endStream(loop.out, Stdout, request.id)
    FastCgiWriter.endRequest(loop.out, request.id, appStatus, RequestComplete)
    drop(request)
    hasServed = draining
    if (!request.keepsConnection) endsWhenIdle = true
  }

  /**
   * The response was broken off. If the request is alone on its connection, the connection ends, so that a server that
   * waits for the end of the content detects it; otherwise only the status tells it.
   */
  def broken(request: FastCgiRequest): Unit =
    if (count == 1) {
      drop(request)
      over = true
      flush()
      connection.abort()
    } else finished(request, FastCgiRequest.Failure)

  def drop(request: FastCgiRequest): Unit = if (request.index >= 0) {
    count -= 1
    val last = active(count)
    active(request.index) = last
    last.index = request.index
    active(count) = null
    request.dropped()
    if (current eq request) current = null
    if (count == 0) idleSince = nowNanos
  }

  /** Continues a request at the end of a turn of the loop in which something changed for it. */
  def goOn(request: FastCgiRequest): Unit = if (!over) turn {
    request.proceed()
    settle()
  }

  /** A request has a deadline at that time. */
  def dueBy(nanos: Long): Unit = if (nanos < requestsDue) requestsDue = nanos

  /** At the end of every turn: passes on the output, and sets the deadline and whether to continue reading. */
  private def settle(): Unit = {
    if (count == 0 && (endsWhenIdle || (draining && hasServed))) end()
    flush()
    if (connection.isOpen && !over) {
      if (isBlocked) { if (!connection.isPaused) connection.pauseReading() }
      else if (connection.isPaused) connection.resumeReading()
      val due =
        if (count > 0) requestsDue
        else if (connection.pendingBytes > 0) Long.MaxValue // not idle: the peer has something to read
        else idleDeadline
      connection.deadline = Math.min(due, writingDeadline())
    } else watchFlushing()
  }

  private def idleDeadline: Long =
    idleSince + (if (draining) loop.context.config.drainGrace.toNanos else loop.context.idleNanos)

  /** Passes on what waits. Returns true if there was something, and nothing is left. */
  def handsOverAll(): Boolean = pendingOutput > 0 && {
    flush()
    pendingOutput == 0
  }

  private def flush(): Unit = if (loop.out.length > 0) {
    connection.write(loop.out.bytes, 0, loop.out.length)
    loop.out.clear()
  }

  private def end(): Unit = if (!over) {
    over = true
    cancelAll()
    flush()
    connection.closeGracefully(loop.context.lingerNanos, SessionConnection.MaxDiscard)
  }

  private def cancelAll(): Unit = while (count > 0) {
    val request = active(count - 1)
    request.cancel()
    drop(request)
  }

  // events of the connection

  def onEnd(): Unit = turn {
    each(_.connectionEnded())
    endsWhenIdle = true
    settle()
  }

  def onDrained(): Unit = turn {
    if (count == 0) idleSince = nowNanos
    // each is first in turn, as the first may use up the room
    first += 1
    each(_.proceed())
    settle()
  }

  def onDeadline(): Unit = turn {
    abortIfStuck()
    val now = nowNanos
    if (requestsDue <= now) {
      requestsDue = Long.MaxValue
      each { request =>
        if (request.deadline <= now) request.deadlinePassed()
        dueBy(request.deadline)
      }
    }
    if (count == 0 && connection.pendingBytes == 0 && idleDeadline <= now) end()
    settle()
  }

  protected def closed(cause: Throwable): Unit = {
    over = true
    cancelAll()
  }

  /** `f` may end the request it is given, or the connection. */
  private def each(f: FastCgiRequest => Unit): Unit = {
    val all = java.util.Arrays.copyOf(active, count)
    var i   = 0
    while (i < all.length) {
      val request = all(Math.floorMod(i + first, all.length))
      if (request.index >= 0) f(request)
      i += 1
    }
  }

  // requests of the server

  /** Output that the peer does not read. What is held for a request is measured with it. */
  private[needletail] override def heldForPeer: Long =
    if (connection.pendingBytes > 0) super.heldForPeer else 0

  private[needletail] override def eachHeld(f: HeldMemory => Unit): Unit = {
    f(this)
    var i = 0
    while (i < count) {
      f(active(i).memory)
      i += 1
    }
  }

  /** Releases what is held for a request. */
  def relieve(request: FastCgiRequest): Unit = if (!over && request.index >= 0) turn {
    request.relieve()
    settle()
  }

  def idleTimeoutChanged(nanos: Long): Unit = turn(settle())

  def drain(): Unit = turn {
    draining = true
    if (count == 0) idleSince = nowNanos
    each(_.drain())
    settle()
  }
}

private[gateway] object FastCgiConnection {

  /** Bytes kept between records for the content of GET_VALUES: the names that exist take 50. */
  private final val UsualSmall = 512

  /** Bytes that are passed on at once. */
  private final val Slice = 32 * 1024
}
