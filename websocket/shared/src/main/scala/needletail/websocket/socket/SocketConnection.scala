package needletail.websocket.socket

import needletail.async.{Async, Loop, Survivable}
import needletail.http.{ConnectionInfo, Tunnel, TunnelHandler}
import needletail.websocket.config.WebSocketConfig
import needletail.websocket.frame.{CloseCode, CloseFrame, FrameReader, FrameWriter, MessageCodec, Opcode}

/**
 * A WebSocket on its tunnel: reads frames and passes messages to its listener, writes frames, answers pings, closes
 * (RFC 6455 §5 to §7).
 *
 * @param name identifies it in the log
 */
private[websocket] final class SocketConnection(
    tunnel: Tunnel,
    config: WebSocketConfig,
    role: Role,
    val subprotocol: Option[String],
    codec: MessageCodec, // null: nothing is compressed
    name: () => String = SocketConnection.unnamed
) extends WebSocket
    with TunnelHandler
    with FrameReader.Memory {
  import SocketConnection._
  import SocketPhase._

  private val reader = new FrameReader(role.isServer, config.maxMessage, config.maxFrame, this, codec)
  private var listener: WebSocketListener = null
  @volatile private var phase             = Opening // read on other threads

  private var isResting              = false // others have their turn
  private var spent                  = 0     // bytes of messages in this turn
  private var isPaused               = false
  private var isDelivering           = false // what was kept
  private var kept: BufferedMessages = null  // null: nothing has been so far
  private var ending = FrameReader.More // Close, or Failed for an end without one: comes after what is kept

  private val keepAlive = new KeepAlive(config, tunnel.nowNanos)
  private val closing   = new CloseDeadline(config, tunnel)
  private val writable  = new WritableSignal(this, tunnel)
  private val ends      = new EndObservers

  private val mostPending = Math.min(tunnel.maxPendingOutput, config.maxPendingOutput) // for reading
  private val output      = new FrameOutput(tunnel, role, mostPending)

  /** Begins, in a turn of the tunnel. Returns what `open` has thrown, which ends it; null if nothing. */
  def begin(open: WebSocket => WebSocketListener): Throwable = {
    phase = Open
    val thrown =
      try {
        listener = open(this)
        if (listener == null) throw new NullPointerException("a WebSocket without a listener")
        null
      } catch {
        case Survivable(e) =>
          listenerFailed(e)
          e
      }
    settle()
    thrown
  }

  // what the tunnel reports

  def receive(bytes: Array[Byte], from: Int, until: Int): Int = {
    keepAlive.heard(tunnel.nowNanos)
    spent = 0
    deliverKept()
    reader.open(bytes, from, until)
    var go = phase < Over && !isHeldBack
    while (go) {
      val found = reader.next()
      go =
        (if (found == FrameReader.Message) received()
         else proceed(found)) && !isHeldBack && spent < FrameReader.Turn
    }
    val used = reader.close()
    // a little compressed input may contain many messages, or a large one
    if (used < until && (spent >= FrameReader.Turn || reader.isSpent)) {
      isResting = true
      tunnel.wake()
    }
    settle()
    if (phase == Over) until else used
  }

  @inline private def isHeldBack: Boolean = !mayRead || isBacklogged

  /** Frames are read while the listener is paused, for pings and the end, as long as there is room for messages. */
  @inline private def mayRead: Boolean =
    phase != Open || ending == FrameReader.More && (kept == null || !kept.isFull)

  @inline private def hasKept: Boolean = kept != null && !kept.isEmpty

  /** Handles a message. Returns whether to continue. */
  private def received(): Boolean = {
    val data = reader.data
    spent += data.length
    if (phase == Open) {
      val message = Message.of(reader.isText, data)
      if (isPaused || hasKept) keep(message)
      else
        try listener.onMessage(message) // as `deliver`, which cannot be inlined
        catch { case Survivable(e) => listenerFailed(e) }
    }
    phase < Over
  }

  /** Handles other input. Returns whether to continue. */
  private def proceed(found: Int): Boolean = found match {
    case FrameReader.Ping =>
      if (phase == Open) write(FrameWriter.Final | Opcode.Pong, reader.data)
      true
    case FrameReader.Pong  => true
    case FrameReader.Close =>
      if (phase == Open && hasKept) endsLater(FrameReader.Close)
      else if (phase != Closed) peerCloses() // a further one gives no more time
      false
    case FrameReader.Failed =>
      fail(reader.code, reader.reason)
      false
    case _ => false
  }

  private def keep(message: Message): Unit = {
    if (kept == null) kept = new BufferedMessages(this)
    if (!kept.add(message)) fail(CloseCode.TryAgainLater, "there is no memory for the message")
  }

  /** Delivers kept messages, as far as the listener takes them; then the end, if it was reached. */
  private def deliverKept(): Unit = if (kept != null && phase == Open) {
    isDelivering = true
    while (phase == Open && !isPaused && hasKept && !isBacklogged) {
      if (ending != FrameReader.More) closing.begin()
      deliver(kept.take())
    }
    isDelivering = false
    if (phase == Open && !hasKept) end()
  }

  /** The peer has closed or ended; the listener is notified after the kept messages, if it takes them in time. */
  private def endsLater(how: Int): Unit = if (ending == FrameReader.More) {
    ending = how
    closing.begin()
  }

  private def end(): Unit =
    if (ending == FrameReader.Close) peerCloses() else if (ending == FrameReader.Failed) endedSilently()

  private def dropKept(): Unit = if (kept != null) kept.drop()

  private def deliver(message: Message): Unit =
    try listener.onMessage(message)
    catch { case Survivable(e) => listenerFailed(e) }

  private def listenerFailed(e: Throwable): Unit = {
    report("the listener", e)
    fail(CloseCode.InternalError, "")
  }

  private[websocket] def report(what: String, cause: Throwable): Unit =
    tunnel.failed(s"$what of a WebSocket failed${name()}", cause)

  /**
   * Whether more waits for the peer than allowed, or `send` would refuse. In a turn: what it has written is passed on
   * before this returns true.
   */
  @inline private def isBacklogged: Boolean = !surelyHasRoom && countsBacklogged()

  @noinline private def countsBacklogged(): Boolean = {
    if (waiting > mostPending) output.flush()
    output.counted(unsentBytes)
    waiting > mostPending
  }

  /**
   * What waits for the peer. Once it closes, that is not what other threads have sent: it is dropped, and reading would
   * not be resumed then.
   */
  private def waiting: Int = if (phase == Open) pendingBytes else unsentBytes

  def turn(): Unit = {
    isResting = false
    output.writeWaiting()
    if (phase > Open) closing.written()
    deliverKept()
    writable.look()
    settle()
  }

  def outputTaken(): Unit = turn()

  def peerEnded(): Unit = {
    if (phase == Open && hasKept) endsLater(FrameReader.Failed) else endedSilently()
    settle()
  }

  private def endedSilently(): Unit = {
    concluded(CloseCode.Abnormal, "the connection ended without a close frame")
    finish()
  }

  def deadlinePassed(): Unit = {
    val now = tunnel.nowNanos
    if (phase == Open) {
      if (ending != FrameReader.More) {
        if (closing.isOver) {
          dropKept()
          end()
        }
      } else
        keepAlive.timePassed(now, isHeldBack, tunnel.pendingOutput == 0) match {
          case KeepAlive.Ping   => write(FrameWriter.Final | Opcode.Ping, none)
          case KeepAlive.GiveUp =>
            concluded(CloseCode.Abnormal, "the peer did not answer a ping")
            finish()
          case _ => ()
        }
    } else if (closing.isOver) {
      concluded(CloseCode.Abnormal, "the peer did not answer a close frame")
      over()
      if (closing.isIgnored) tunnel.abort() else tunnel.finish()
    }
    settle()
  }

  def drain(): Unit = {
    if (phase == Open) close(CloseCode.GoingAway)
    settle()
  }

  def held: Long      = reader.held.toLong + heldAhead
  def heldAhead: Long = if (kept == null) 0 else kept.held.toLong

  def relieve(): Unit = {
    if (codec != null) codec.relieve(this)
    if (held > 0) memoryShort()
  }

  def inputDropped(): Unit = memoryShort()

  private def memoryShort(): Unit = fail(CloseCode.TryAgainLater, "memory is short")

  def closed(): Unit = {
    concluded(CloseCode.Abnormal, "the connection was lost")
    over()
  }

  private def settle(): Unit = {
    if (phase < Over) tunnel.wantsInput = mayRead && !isResting && !isBacklogged
    tunnel.deadline =
      if (phase == Open && ending == FrameReader.More) keepAlive.dueAt
      else if (phase == Over) Long.MaxValue
      else closing.dueAt
  }

  // closing

  private[websocket] def closeWith(payload: Array[Byte]): Unit =
    if (phase == Open && ending != FrameReader.More) { // the peer was first
      dropKept()
      tunnel.wake()
    } else if (phase == Open) {
      write(FrameWriter.Final | Opcode.Close, payload)
      awaitsEnd(Closing)
    }

  /** The peer has to do something within `closeTimeout`. */
  private def awaitsEnd(next: Int): Unit = {
    phase = next
    dropKept()
    closing.begin()
    tunnel.wantsInput = true
    tunnel.wake() // so that it reads, and has the deadline, whoever called
  }

  private def peerCloses(): Unit = {
    if (phase == Open)
      write(
        FrameWriter.Final | Opcode.Close,
        if (reader.data.length == 0) none else java.util.Arrays.copyOf(reader.data, 2)
      )
    if (role.isServer) {
      concluded(reader.code, reader.reason)
      finish()
    } else { // the server is to end the connection first (RFC 6455 §7.1.1)
      awaitsEnd(Closed)
      concluded(reader.code, reader.reason)
    }
  }

  /** Ends the connection because of an error, with its reason. */
  private def fail(code: Int, reason: String): Unit = {
    if (phase == Open) write(FrameWriter.Final | Opcode.Close, CloseFrame.payload(code, reason))
    concluded(code, reason)
    finish()
  }

  private def finish(): Unit = {
    over()
    tunnel.finish()
  }

  private def over(): Unit = {
    phase = Over
    reader.end()
    dropKept()
  }

  /** Calls `f` when it closes; at once if it has. */
  def atEnd(f: SocketConnection => Unit): Unit = if (phase == Open) ends.add(f) else f(this)

  /** Takes back `atEnd`. */
  def notAtEnd(f: SocketConnection => Unit): Unit = ends.remove(f)

  private[socket] def atEndCount: Int = ends.size

  /** Reports the end, once. */
  private def concluded(code: Int, reason: String): Unit = {
    ends.notifyOf(this)
    val told = listener
    listener = null
    if (phase == Open) phase = Closing
    writable.fail(new WebSocketClosed(code, reason))
    if (told != null)
      try told.onClose(code, reason)
      catch { case Survivable(e) => report("the listener", e) }
  }

  // sending

  private[websocket] def writeMessage(opcode: Int, payload: Array[Byte]): Unit = {
    val packed = if (codec == null) null else codec.compress(payload, this)
    val first  = if (packed == null) FrameWriter.Final else FrameWriter.Final | FrameWriter.Compressed
    write(first | opcode, if (packed == null) payload else packed)
  }

  private[websocket] def writePing(bytes: Array[Byte]): Unit = write(FrameWriter.Final | Opcode.Ping, bytes)

  private[websocket] def unsentBytes: Int = output.pendingBytes
  private[websocket] def isRoomy: Boolean = output.hasRoom
  private[websocket] def mostUnsent: Int  = config.maxPendingOutput

  private[websocket] def untilWritable: Async[Unit] =
    if (phase != Open) Async.fail(new WebSocketClosed(CloseCode.NoStatus, "")) else writable.await()

  /**
   * Sends a whole frame of a server that other connections send too, or the same message by itself where that would not
   * keep its place. Returns false if there is no room.
   */
  def sendShared(frame: SharedFrame): Boolean = phase == Open && writable.hasRoom && {
    if (!role.isServer || tunnel.writer != null || output.isWaiting) write(frame.first, frame.message.bytes)
    else {
      output.writeFrame(frame.bytes)
      if (tunnel.pendingOutput > 0) tunnel.wake() // so that the peer has to read it in time
    }
    true
  }

  private def write(first: Int, payload: Array[Byte]): Unit = output.write(first, payload)

  // receiving

  private[websocket] def pauseHere(): Unit = isPaused = true

  private[websocket] def resumeHere(): Unit = if (isPaused) {
    isPaused = false
    if (phase == Open && !isDelivering && (hasKept || tunnel.writer == null)) tunnel.wake()
  }

  // FrameReader.Memory

  def hold(more: Int, already: Long): Boolean = tunnel.hold(more, already)
  def release(bytes: Int): Unit               = if (bytes > 0) tunnel.release(bytes.toLong)

  def isOpen: Boolean            = phase == Open
  def connection: ConnectionInfo = tunnel.info
  def loop: Loop                 = tunnel.loop
}

private[websocket] object SocketConnection {

  private val none = new Array[Byte](0)

  val unnamed: () => String = () => ""
}
