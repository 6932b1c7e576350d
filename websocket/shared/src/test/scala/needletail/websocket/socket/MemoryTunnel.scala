package needletail.websocket.socket

import needletail.http.text.ByteWriter
import needletail.http.{ConnectionInfo, Tunnel}
import needletail.testkit.ManualLoop
import needletail.websocket.config.WebSocketConfig
import needletail.websocket.frame.{CountedMemory, FrameReader, Frames, MessageCodec}

/** A WebSocket, of a server by default, on a tunnel in memory, with the clock of its loop by hand. */
final class MemoryTunnel(
    config: WebSocketConfig = WebSocketConfig(),
    codec: MessageCodec = null,
    isServer: Boolean = true
) extends Tunnel {
  val loop: ManualLoop           = new ManualLoop
  private val out                = new ByteWriter(64)
  private val sent               = new ByteWriter(64)
  private var inTurn             = false
  private var woken              = false
  private var left               = Array.empty[Byte]
  var pendingOutput: Int         = 0
  var outputProgress: Long       = 0
  var isStuck: Boolean           = false // the peer reads nothing
  var isFinished, isAborted      = false
  var wantsInput: Boolean        = true
  var deadline: Long             = Long.MaxValue
  var held: Long                 = 0
  var room: Long                 = Long.MaxValue
  val maxPendingOutput: Int      = 1000
  val info: ConnectionInfo       = ConnectionInfo.none()
  var failures: Int              = 0
  var turns: Int                 = 0
  def nowNanos: Long             = loop.nowNanos
  def writer: ByteWriter         = if (inTurn) out else null
  def wake(): Unit               = woken = true
  def finish(): Unit             = { if (inTurn) flush(); isFinished = true }
  def abort(): Unit              = isAborted = true
  def release(bytes: Long): Unit = held -= bytes

  def hold(more: Int, already: Long): Boolean      = held + more <= room && { held += more; true }
  def failed(what: String, cause: Throwable): Unit = failures += 1

  def flush(): Unit = {
    put(out.bytes, 0, out.length)
    out.clear()
  }
  def writeOwned(bytes: Array[Byte], from: Int, count: Int): Unit = {
    if (inTurn) flush()
    put(bytes, from, count)
  }
  private def put(bytes: Array[Byte], from: Int, count: Int): Unit = if (!isFinished) {
    sent.write(bytes, from, count)
    if (isStuck) pendingOutput += count else outputProgress += count
  }

  // the listener, and what it was told

  var socket: WebSocket                = null
  var got: Vector[String]              = Vector.empty
  var onMessage: Message => Unit       = _ => ()
  private val role                     = if (isServer) Role.server else MemoryTunnel.client
  private val connection               = new SocketConnection(this, config, role, None, codec)
  private def turn(body: => Any): Unit = loop.within {
    inTurn = true
    turns += 1
    try {
      val _ = body
      flush()
    } finally inTurn = false
  }
  turn(connection.begin { s =>
    socket = s
    new WebSocketListener {
      def onMessage(message: Message): Unit = {
        got :+= (if (message.isText) message.text else s"${message.bytes.length} bytes")
        MemoryTunnel.this.onMessage(message)
      }
      override def onClose(code: Int, reason: String): Unit = got :+= s"closed $code"
    }
  })

  // the peer

  def receive(data: Array[Byte]*): this.type = {
    left = left ++ data.flatten
    settle()
  }

  /** As a connection does: brings what is left over as long as it is wanted, and the turns that were asked for. */
  def settle(): this.type = {
    var go = true
    while (go) {
      go = false
      if (woken) {
        woken = false
        turn(connection.turn())
        go = true
      }
      if (left.nonEmpty && wantsInput && pendingOutput <= maxPendingOutput && !isFinished) {
        val before = left.length
        turn { left = left.drop(connection.receive(left, 0, left.length)) }
        go = go || left.length < before
      }
    }
    this
  }

  def after(seconds: Int): this.type = {
    loop.advance(scala.concurrent.duration.FiniteDuration(seconds.toLong, "s"))
    if (deadline <= nowNanos) {
      deadline = Long.MaxValue
      turn(connection.deadlinePassed())
    }
    settle()
  }

  /** The peer reads everything. */
  def unstick(): this.type = {
    isStuck = false
    take(pendingOutput)
    turn(connection.outputTaken())
    settle()
  }

  /** The peer reads some bytes, and is stuck still. */
  def take(bytes: Int): Unit = {
    pendingOutput -= bytes
    outputProgress += bytes
  }

  def drain(): this.type   = { turn(connection.drain()); settle() }
  def end(): this.type     = { turn(connection.peerEnded()); settle() }
  def relieve(): this.type = { turn(connection.relieve()); settle() }
  def gone(): this.type    = { connection.closed(); this }

  /** As a connection does if there is no memory for what the socket has not used. */
  def dropInput(): this.type = { left = Array.empty; turn(connection.inputDropped()); settle() }

  /** Runs `body` on the loop outside of a turn. */
  def within(body: WebSocket => Unit): this.type = { loop.within(body(socket)); settle() }

  /** The frames that were sent since the last call. */
  def output: Vector[String] = {
    val bytes = java.util.Arrays.copyOf(sent.bytes, sent.length)
    sent.clear()
    Frames.found(new FrameReader(false, 1 << 24, Long.MaxValue, new CountedMemory), bytes, Seq(bytes.length))
  }
  def bytesLeft: Int = left.length
}

private object MemoryTunnel {
  val client: Role = new Role {
    def isServer: Boolean = false
    def maskKey(): Int    = Frames.key
  }
}
