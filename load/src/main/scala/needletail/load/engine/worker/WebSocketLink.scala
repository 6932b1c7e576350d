package needletail.load.engine.worker

import java.io.IOException
import java.net.{InetAddress, SocketTimeoutException}
import java.util.{ArrayDeque, Base64}

import needletail.async.{Async, AsyncPromise}
import needletail.http.http1.ResponseParser
import needletail.http.text.{ByteWriter, Entropy}
import needletail.io.{Address, Connection, ConnectionHandler, Connector, TlsPeer, TlsSession}
import needletail.load.engine.compiled.Target
import needletail.load.result.Outcome
import needletail.websocket.frame.{FrameReader, FrameWriter, Opcode}
import needletail.websocket.handshake.Handshake

/**
 * A WebSocket of the load (RFC 6455): a request is a text message, and the next message is its answer, as from a server
 * that echoes. It is opened before it is used, so that the handshake counts as connecting.
 */
private[engine] final class WebSocketLink private (
    connection: Connection,
    worker: Worker,
    gone: AnyRef => Unit,
    target: Target,
    opened: AsyncPromise[Link]
) extends Link
    with ConnectionHandler
    with FrameReader.Memory
    with Runnable {
  import WebSocketLink._

  private val key      = Base64.getEncoder.encodeToString(random(16))
  private var parser   = new ResponseParser(MaxHead, 100) // null once it is open
  private val reader   = new FrameReader(isServer = false, MaxMessage, Long.MaxValue, this)
  private val inFlight = new ArrayDeque[InFlightRequest](2)
  private val out      = new ByteWriter(1024)             // what is sent in this turn
  private val message  = new ByteWriter(1024)
  private var isAsked  = false
  private var hasAsked = false                            // whether a request was ever written
  private var unsent = 0 // requests in flight that were not written yet, which nothing can be the answer to
  private var isOver = false

  private def begin(timeoutNanos: Long): Unit = {
    out.writeLatin1(s"GET ${target.webSocket.path} HTTP/1.1\r\n")
    if (!target.webSocket.lines.exists(_._1.equalsIgnoreCase("Host")))
      out.writeField("Host", target.origin.authority)
    out.writeField("Upgrade", "websocket")
    out.writeField("Connection", "Upgrade")
    out.writeField("Sec-WebSocket-Key", key)
    out.writeField("Sec-WebSocket-Version", Handshake.Version)
    target.webSocket.lines.foreach { case (name, value) => out.writeField(name, value) }
    out.writeCrLf()
    flush()
    connection.deadline = worker.loop.clockNanos + timeoutNanos
  }

  // Link

  def tlsSession: Option[TlsSession]              = connection.tlsSession
  def isUsable: Boolean                           = !isOver && connection.isOpen
  def underWay: Int                               = inFlight.size
  def accepts(exchange: InFlightRequest): Boolean =
    isUsable && inFlight.size < worker.context.config.pipelining
  def isOf(ended: AnyRef): Boolean = ended eq this

  def send(exchange: InFlightRequest): Unit = {
    inFlight.add(exchange)
    unsent += 1
    message.clear()
    exchange.encode(message)
    val payload = java.util.Arrays.copyOf(message.bytes, message.length)
    val mask    = java.util.concurrent.ThreadLocalRandom.current.nextInt // it hides nothing here
    FrameWriter.maskedHead(out, FrameWriter.Final | Opcode.Text, payload.length, mask)
    FrameWriter.masked(out, payload, mask)
    exchange.onSent()
    settle()
    if (!isAsked) { // what is sent in one turn is one write
      isAsked = true
      connection.loop.endOfTurn(this)
    }
  }

  def run(): Unit = {
    isAsked = false
    flush()
  }

  private def flush(): Unit = if (out.length > 0) {
    connection.write(out.bytes, 0, out.length)
    out.clear()
    if (unsent > 0) hasAsked = true
    unsent = 0
  }

  private def settle(): Unit =
    connection.deadline = if (inFlight.isEmpty) Long.MaxValue else inFlight.peek.deadline

  def close(): Unit = if (!isOver) {
    if (parser == null) {
      FrameWriter.maskedHead(out, FrameWriter.Final | Opcode.Close, 0, 0)
      flush()
    }
    ends(Outcome.Reset, null)
  }

  // ConnectionHandler

  def onData(bytes: Array[Byte], from: Int, until: Int): Int = {
    val start = if (parser == null) from else shake(bytes, from, until)
    if (isOver) until
    else if (parser != null) start
    else {
      reader.open(bytes, start, until)
      var more = true
      while (more && !isOver) more = take(reader.next())
      val used = reader.close()
      if (isOver) until
      else {
        flush()
        settle()
        used
      }
    }
  }

  private def take(found: Int): Boolean = found match {
    case FrameReader.Message =>
      if (inFlight.size > unsent) inFlight.poll().onMessage(reader.data)
      else if (hasAsked) // a greeting is ignored, but what comes later would be taken for the next answer
        ends(Outcome.Garbage, new IOException("the server sent a message that nothing had asked for"))
      !isOver
    case FrameReader.Ping =>
      // a server that takes no answers gets none (RFC 6455 §5.5.3: that to the most recent one is enough)
      if (connection.pendingBytes <= MaxPending) {
        val payload = reader.data
        FrameWriter.maskedHead(out, FrameWriter.Final | Opcode.Pong, payload.length, 0)
        out.write(payload)
      }
      true
    case FrameReader.Pong  => true
    case FrameReader.Close =>
      ends(
        Outcome.Reset,
        new IOException(s"the server closed the WebSocket with ${reader.code} ${reader.reason}")
      )
      false
    case FrameReader.Failed =>
      ends(Outcome.Garbage, new IOException(s"the server sent invalid WebSocket frames: ${reader.reason}"))
      false
    case _ => false
  }

  /**
   * Reads the answer to the handshake; interim ones may precede it (RFC 9110 §15.2). Returns where the first frame
   * begins.
   */
  private def shake(bytes: Array[Byte], from: Int, until: Int): Int = {
    var at = from
    var n  = parser.parse(bytes, at, until, toHead = false)
    while (n > 0 && parser.head.code / 100 == 1 && parser.head.code != 101) {
      at += n
      n = if (at < until) parser.parse(bytes, at, until, toHead = false) else 0
    }
    val head = parser.head
    if (n == ResponseParser.Bad) refused("the server's response is malformed")
    else if (n > 0)
      if (head.code != 101) refused(s"the server responded ${head.code} instead of opening a WebSocket")
      else {
        val accept = head.indexOf("sec-websocket-accept", 0)
        if (accept < 0 || head.value(accept) != Handshake.acceptOf(key))
          refused("the server's Sec-WebSocket-Accept is wrong")
        else {
          parser = null
          settle()
          opened.succeed(this)
        }
      }
    at + Math.max(n, 0)
  }

  private def refused(why: String): Unit = fail(new IOException(why))

  private def fail(cause: IOException): Unit = {
    isOver = true
    opened.fail(cause)
    connection.abort()
  }

  def onEnd(): Unit =
    if (parser != null) refused("the server ended the connection instead of opening a WebSocket")
    else ends(Outcome.Reset, new IOException("the server ended the connection"))

  def onDrained(): Unit = ()

  def onDeadline(): Unit =
    if (parser != null) fail(new SocketTimeoutException("the server did not open the WebSocket in time"))
    else ends(Outcome.TimedOut, null)

  def onClosed(cause: Throwable): Unit =
    if (parser != null) {
      isOver = true
      val why = if (cause == null) "the connection was closed" else String.valueOf(cause.getMessage)
      opened.fail(new IOException(why, cause))
      ()
    } else ends(Outcome.Reset, cause)

  /** It is over, with what is in flight. */
  private def ends(outcome: Outcome, cause: Throwable): Unit = if (!isOver) {
    isOver = true
    if (connection.isOpen) if (outcome eq Outcome.Garbage) connection.abort() else connection.close()
    gone(this)
    while (!inFlight.isEmpty) {
      val exchange = inFlight.poll()
      if (!worker.isStopped) {
        if (cause != null) worker.note(outcome, cause)
        exchange.fail(outcome)
      }
    }
  }

  // FrameReader.Memory

  def hold(more: Int, already: Long): Boolean = true
  def release(bytes: Int): Unit               = ()
}

private[engine] object WebSocketLink {
  private final val MaxHead    = 32 * 1024
  private final val MaxMessage = 64 * 1024 * 1024
  private final val MaxPending = 64 * 1024

  private def random(count: Int): Array[Byte] = {
    val bytes = new Array[Byte](count)
    Entropy.fill(bytes)
    bytes
  }

  /** Connects and opens a WebSocket; fails with an IOException. Once it is over, `gone` is called with it. */
  def open(
      address: Address,
      worker: Worker,
      gone: AnyRef => Unit,
      target: Target,
      timeoutNanos: Long,
      source: InetAddress,
      peer: TlsPeer
  ): Async[Link] = {
    val until               = worker.loop.clockNanos + timeoutNanos
    val opened              = new AsyncPromise[Link]
    var link: WebSocketLink = null
    Connector
      .connect(address, worker.loop, worker.context.config.socket, timeoutNanos, source, peer) {
        connection =>
          link = new WebSocketLink(connection, worker, gone, target, opened)
          link
      }
      .flatMap { _ =>
        link.begin(Math.max(1, until - worker.loop.clockNanos))
        opened
      }
  }
}
