package needletail.gateway.host

import needletail.async.{Async, Loop, Promise}
import needletail.gateway.{FastCgiParser, FastCgiRecord, FastCgiWriter, NameValues, Variables}
import needletail.http.{ByteWriter, HttpError, Status}
import needletail.io.{Connection, ConnectionHandler}

/**
 * A connection to a FastCGI server, on one loop. Requests of it are side by side only where the server has said that it
 * can do that; what comes for a client that does not take it is bounded, as its reading stops then, for all of them.
 */
private[host] final class FastCgiPeer(connection: Connection, pool: FastCgiPool) extends ConnectionHandler {
  import FastCgiPeer.*

  private val parser     = new FastCgiParser
  private val exchanges  = new java.util.HashMap[Int, FastCgiExchange]
  private val management = new ByteWriter(64) // of the present record about the connection or its end
  private var served     = 0
  private var room: List[Promise[Unit]] = Nil // of those who wait until their content has left
  private[host] var closing             = false
  private[host] var lastUse: Long       = Loop.nanoTime()

  def isOpen: Boolean = connection.isOpen && !closing

  /** Requests under way, those given up included. */
  def inFlight: Int = exchanges.size

  /** Begins a request: all but its content is sent. */
  def begin(parameters: Seq[(String, String)], errors: ErrorLines): FastCgiExchange = {
    var id = 1
    while (exchanges.containsKey(id)) id += 1
    val x = new FastCgiExchange(this, id, errors)
    exchanges.put(id, x)
    served += 1
    connection.deadline = Long.MaxValue
    val pairs = new ByteWriter(2048)
    parameters.foreach { case (name, value) => NameValues.write(pairs, name, value) }
    val w = new ByteWriter(pairs.length + 64)
    if (served == 1 && pool.asksForValues) askForValues(w)
    FastCgiWriter.beginRequest(w, id, FastCgiRecord.Responder, pool.keeps)
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
    if (!connection.isOpen) noMore
    else if (connection.pendingBytes <= MostPending) Async.unit
    else {
      val promise = new Promise[Unit]
      room = promise :: room
      promise
    }
  }

  def endInput(x: FastCgiExchange): Unit = {
    val w = new ByteWriter(16)
    FastCgiWriter.endStream(w, FastCgiRecord.Stdin, x.id)
    connection.writeOwned(w.bytes, 0, w.length)
  }

  /** Nobody needs its answer. A connection of its own is closed, which is understood by all; else the peer is told. */
  def giveUp(x: FastCgiExchange): Unit =
    if (exchanges.size == 1) close()
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

  /** It waits for its next request until then. */
  def idle(untilNanos: Long): Unit = {
    lastUse = Loop.nanoTime()
    connection.deadline = untilNanos
  }

  private[host] def noMore: Async[Nothing] = Async.fail(new PeerLost("the connection is closed"))

  private[host] def roomAgain(): Unit = if (connection.isPaused && !anyIsFull) connection.resumeReading()

  private def anyIsFull: Boolean = {
    val all  = exchanges.values.iterator
    var full = false
    while (all.hasNext && !full) full = all.next().inbox.isFull
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
          x.inbox.add(java.util.Arrays.copyOfRange(bytes, from, until))
      case FastCgiRecord.Stderr =>
        if (x != null) x.errors(java.util.Arrays.copyOfRange(bytes, from, until))
      case FastCgiRecord.EndRequest | FastCgiRecord.GetValuesResult =>
        if (management.length + until - from > MostManagement)
          broken("a record about the connection is too long")
        else management.write(bytes, from, until - from)
      case _ => () // of no meaning to us
    }
  }

  private def recordEnded(): Unit = parser.kind match {
    case FastCgiRecord.Stdout if parser.contentLength == 0 =>
      val x = exchanges.get(parser.id)
      if (x != null) x.outEnded = true
    case FastCgiRecord.EndRequest =>
      if (!exchanges.containsKey(parser.id)) broken("the end of a request that is none")
      else if (management.length < FastCgiRecord.BodyLength) broken("an end of a request that is too short")
      else requestEnded(exchanges.remove(parser.id), management.bytes(4).toInt)
    case FastCgiRecord.GetValuesResult if parser.id == FastCgiRecord.Management =>
      val values = new Variables
      if (NameValues.read(values, management.bytes, 0, management.length))
        pool.learned(multiplexes = values.get(FastCgiRecord.MultiplexesConn) == "1")
    case _ => ()
  }

  private def requestEnded(x: FastCgiExchange, protocolStatus: Int): Unit = {
    x.end(protocolStatus match {
      case FastCgiRecord.RequestComplete => null
      case FastCgiRecord.Overloaded      => overloaded
      case FastCgiRecord.CannotMultiplex =>
        pool.learned(multiplexes = false)
        overloaded
      case other => new PeerLost(s"the FastCGI server refuses the request, with protocol status $other")
    })
    roomAgain()
    // what it has not been sent of its content would be taken for another request's
    if (exchanges.isEmpty && !(pool.keeps && x.hasSentAll)) close()
    else {
      x.endInputLate()
      pool.free(this)
    }
  }

  private def broken(why: String): Unit = {
    failAll(new PeerLost(s"it does not speak FastCGI as it should: $why"))
    close()
  }

  private def failAll(cause: Throwable): Unit = {
    val all = exchanges.values.toArray(new Array[FastCgiExchange](0))
    exchanges.clear()
    // a peer that closes the connection after the end of its output has said all there is
    all.foreach(x => x.end(if (x.outEnded) null else cause))
    val waiting = room
    room = Nil
    waiting.foreach(_.fail(cause))
  }

  def onEnd(): Unit = close()

  def onDrained(): Unit = {
    val waiting = room
    room = Nil
    waiting.foreach(_.succeed(()))
  }

  def onDeadline(): Unit = if (exchanges.isEmpty) close()

  def onClosed(cause: Throwable): Unit = {
    closing = true
    pool.gone(this)
    failAll(new PeerLost(
      if (cause == null) "it closed the connection before its answer was complete"
      else s"the connection was lost before its answer was complete: ${cause.getMessage}"
    ))
  }
}

private object FastCgiPeer {

  /** Octets of content that may wait to be sent before more is taken from a client. */
  final val MostPending = 128 * 1024

  final val MostManagement = 4096

  private val overloaded = HttpError(Status.ServiceUnavailable, "too much to do")
}
