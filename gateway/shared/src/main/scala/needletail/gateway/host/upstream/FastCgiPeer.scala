package needletail.gateway.host.upstream

import needletail.async.{Async, AsyncPromise, Loop}
import needletail.gateway.format.cgi.Variables
import needletail.gateway.format.fastcgi.{FastCgiParser, FastCgiRecord, FastCgiWriter, NameValues}
import needletail.gateway.host.backend.StandardErrorLog
import needletail.http.message.{HttpError, Status}
import needletail.http.text.ByteWriter
import needletail.io.{Connection, ConnectionHandler}

/** The owner of a [[FastCgiPeer]], such as a pool; called on its loop's thread. */
private[host] trait FastCgiPeerOwner {

  /** Whether a connection is kept for the next request. */
  def keepsConnections: Boolean

  /** Whether to query if the server accepts several requests on one connection. */
  def asksForValues: Boolean

  /** The server has answered that query. */
  def learned(multiplexes: Boolean): Unit

  /** A request on `peer` has ended; the connection may still be open. */
  def requestEnded(peer: FastCgiPeer): Unit

  /** `peer` is closed. */
  def closed(peer: FastCgiPeer): Unit
}

/**
 * A connection to a FastCGI server, on one loop. It has concurrent requests only if the server has announced that it
 * supports them. What arrives for a client that does not read is bounded: reading then pauses, for all of its
 * requests.
 */
private[host] final class FastCgiPeer(connection: Connection, owner: FastCgiPeerOwner)
    extends ConnectionHandler {
  import FastCgiPeer.*

  private val parser     = new FastCgiParser
  private val exchanges  = new java.util.HashMap[Int, FastCgiExchange]
  private val management = new ByteWriter(64) // of the current management or END_REQUEST record
  private var served     = 0
  private var lastId     = 0
  private var room: List[AsyncPromise[Unit]] = Nil // completed when pending content has been written
  private var unreadNanos                    = 0L  // for how long reading was paused before
  private var pausedAt                       = 0L  // since when it is, if it is
  private[host] var closing                  = false
  private[host] var lastUse: Long            = Loop.nanoTime()

  def isOpen: Boolean = connection.takesOutput && !closing

  /** Whether the server has sent nothing that was not read: it would be taken for the next request's. */
  def isQuiet: Boolean = connection.isQuiet

  /** Requests in flight, including aborted ones. */
  def inFlight: Int = exchanges.size

  /** Begins a request: sends everything except its content. */
  def begin(parameters: Seq[(String, String)], errors: StandardErrorLog): FastCgiExchange = {
    var id = lastId % FewIds + 1
    while (exchanges.containsKey(id) || id == lastId) id += 1
    lastId = id
    val x = new FastCgiExchange(this, id, errors)
    exchanges.put(id, x)
    served += 1
    connection.deadline = Long.MaxValue
    val pairs = new ByteWriter(2048)
    parameters.foreach { case (name, value) => NameValues.write(pairs, name, value) }
    val w = new ByteWriter(pairs.length + 64)
    if (served == 1 && owner.asksForValues) askForValues(w)
    FastCgiWriter.beginRequest(w, id, FastCgiRecord.Responder, owner.keepsConnections)
    FastCgiWriter.stream(w, FastCgiRecord.Params, id, pairs.bytes, 0, pairs.length)
    FastCgiWriter.endStream(w, FastCgiRecord.Params, id)
    connection.writeOwned(w.bytes, 0, w.length)
    x
  }

  private def askForValues(w: ByteWriter): Unit = {
    val names = new ByteWriter(64)
    NameValues.write(names, FastCgiRecord.MultiplexesConn, "")
    FastCgiWriter.management(w, FastCgiRecord.GetValues, names)
  }

  def send(x: FastCgiExchange, bytes: Array[Byte]): Async[Unit] = {
    val w = new ByteWriter(bytes.length + 64)
    FastCgiWriter.stream(w, FastCgiRecord.Stdin, x.id, bytes, 0, bytes.length)
    connection.writeOwned(w.bytes, 0, w.length)
    x.contentUntil = connection.outputProgress + connection.pendingBytes
    if (!connection.takesOutput) noMore
    else if (connection.pendingBytes <= MostPending) Async.unit
    else {
      val promise = new AsyncPromise[Unit]
      room = promise :: room
      promise
    }
  }

  /** Whether nothing is read from it until a client has read more. */
  def isPaused: Boolean = connection.isPaused

  /** For how long that was so, in nanoseconds. */
  def pausedNanos: Long = unreadNanos + (if (isPaused) Loop.nanoTime() - pausedAt else 0)

  def outputProgress: Long = connection.outputProgress

  // the kernel reports room in its buffer only long after a slow reader has freed it
  def offerPending(): Unit = connection.offerPending()

  def endInput(x: FastCgiExchange): Unit = {
    val w = new ByteWriter(16)
    FastCgiWriter.endStream(w, FastCgiRecord.Stdin, x.id)
    connection.writeOwned(w.bytes, 0, w.length)
  }

  /**
   * The response is not needed. If the connection has no other request it is closed, which all servers support;
   * otherwise the server is told, which many do not listen to.
   */
  def giveUp(x: FastCgiExchange): Unit =
    if (servesNobody) close()
    else {
      val w = new ByteWriter(16)
      FastCgiWriter.abortRequest(w, x.id)
      connection.writeOwned(w.bytes, 0, w.length)
      roomAgain()
    }

  def close(): Unit = if (!closing) {
    closing = true
    connection.close()
  }

  /** Waits for the next request until `untilNanos`, then closes itself. */
  def idle(untilNanos: Long): Unit = {
    lastUse = Loop.nanoTime()
    connection.deadline = untilNanos
  }

  private[host] def noMore: Async[Nothing] = Async.fail(new PeerLost("the connection is closed"))

  private[host] def roomAgain(): Unit = if (isPaused && !anyIsFull) {
    unreadNanos = pausedNanos
    connection.resumeReading()
  }

  /** Whether all of its requests were given up. */
  private def servesNobody: Boolean = {
    val all    = exchanges.values.iterator
    var nobody = true
    while (all.hasNext && nobody) nobody = all.next().isDropped
    nobody
  }

  private def anyIsFull: Boolean = {
    val all  = exchanges.values.iterator
    var full = false
    while (all.hasNext && !full) full = all.next().answer.isFull
    full
  }

  // What comes

  def onData(bytes: Array[Byte], from: Int, until: Int): Int = {
    var at = from
    var go = true
    while (go && !closing) {
      at = parser.next(bytes, at, until)
      parser.state match {
        case FastCgiParser.Begin   => management.clear()
        case FastCgiParser.Content =>
          content(bytes, parser.dataFrom, parser.dataUntil)
          if (anyIsFull) {
            connection.pauseReading()
            pausedAt = Loop.nanoTime()
            go = false
          }
        case FastCgiParser.End  => recordEnded()
        case FastCgiParser.More => go = false
        case _                  =>
          broken(parser.error)
          go = false
      }
    }
    if (closing) until else at
  }

  private def content(bytes: Array[Byte], from: Int, until: Int): Unit = {
    val x = if (parser.id == FastCgiRecord.Management) null else exchanges.get(parser.id)
    parser.kind match {
      case FastCgiRecord.Stdout =>
        if (x != null && !x.isDropped && !x.outEnded)
          x.answer.add(java.util.Arrays.copyOfRange(bytes, from, until))
      case FastCgiRecord.Stderr =>
        if (x != null) x.errors(java.util.Arrays.copyOfRange(bytes, from, until))
      case FastCgiRecord.EndRequest | FastCgiRecord.GetValuesResult =>
        if (management.length + until - from > MostManagement)
          broken("a management record is too long")
        else management.write(bytes, from, until - from)
      case _ => () // not relevant here
    }
  }

  private def recordEnded(): Unit = parser.kind match {
    case FastCgiRecord.Stdout if parser.contentLength == 0 =>
      val x = exchanges.get(parser.id)
      if (x != null) x.outEnded = true
    case FastCgiRecord.EndRequest =>
      if (!exchanges.containsKey(parser.id)) broken("END_REQUEST for an unknown request")
      else if (management.length < FastCgiRecord.BodyLength) broken("END_REQUEST is too short")
      else requestEnded(exchanges.remove(parser.id), appStatus, management.bytes(4).toInt)
    case FastCgiRecord.GetValuesResult if parser.id == FastCgiRecord.Management =>
      val values = new Variables
      if (NameValues.read(values, management.bytes, 0, management.length))
        owner.learned(multiplexes = values.get(FastCgiRecord.MultiplexesConn) == "1")
    case _ => ()
  }

  private def appStatus: Int =
    (0 to 3).foldLeft(0)((status, i) => (status << 8) | (management.bytes(i) & 0xff))

  private def requestEnded(x: FastCgiExchange, appStatus: Int, protocolStatus: Int): Unit = {
    val cause = protocolStatus match {
      // Not all servers end the output first, but those that do not end with 0 (PHP), or have broken it off. Where
      // nothing has come there is nothing to cut off, and the request must not be repeated as if it had been lost.
      case FastCgiRecord.RequestComplete if appStatus != 0 && !x.outEnded && !x.isUnused =>
        new PeerLost(s"it ended with status $appStatus before its output did")
      case FastCgiRecord.RequestComplete => null
      case FastCgiRecord.Overloaded      => overloaded
      case FastCgiRecord.CannotMultiplex =>
        owner.learned(multiplexes = false)
        overloaded
      case other => new PeerLost(s"the FastCGI server refuses the request, with protocol status $other")
    }
    roomAgain()
    // the part of its content that was not sent would be taken for another request's
    if (servesNobody && !(exchanges.isEmpty && owner.keepsConnections && x.hasSentAll)) close()
    else {
      x.endInputLate()
      owner.requestEnded(this)
    }
    x.end(cause) // last, as a local redirect may begin the next request now, here
  }

  private def broken(why: String): Unit = {
    failAll(new PeerLost(s"it violates the FastCGI protocol: $why"))
    close()
  }

  private def failAll(cause: Throwable): Unit = {
    val all = exchanges.values.toArray(new Array[FastCgiExchange](0))
    exchanges.clear()
    // if the peer closes the connection after the end of its output, the response is complete
    all.foreach(x => x.end(if (x.outEnded) null else cause))
    noRoom(cause)
  }

  private def noRoom(cause: Throwable): Unit = {
    val waiting = room
    room = Nil
    waiting.foreach(_.fail(cause))
  }

  /** A server may respond, and close the connection, before it has read the content: that resets it. */
  private[needletail] override def readsWhenBroken: Boolean = true

  private[needletail] override def onBroken(): Unit = noRoom(new PeerLost("the connection is closed"))

  def onEnd(): Unit = close()

  def onDrained(): Unit = {
    val waiting = room
    room = Nil
    waiting.foreach(_.succeed(()))
  }

  def onDeadline(): Unit = if (exchanges.isEmpty) close()

  def onClosed(cause: Throwable): Unit = {
    closing = true
    owner.closed(this)
    failAll(new PeerLost(
      if (cause == null) "it closed the connection before its response was complete"
      else s"the connection was lost before its response was complete: ${cause.getMessage}"
    ))
  }
}

private object FastCgiPeer {

  /** Bytes of content that may be pending before more is read from a client. */
  final val MostPending = 128 * 1024

  final val MostManagement = 4096

  /**
   * Ids of requests that follow one another differ, so that a second response to one is not taken for the next one's.
   * They stay small, as the specification has it (3.3), for programs that keep an array of them.
   */
  final val FewIds = 8

  private val overloaded = HttpError(Status.ServiceUnavailable, "server overloaded")
}
