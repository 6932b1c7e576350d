package needletail.server.session

import needletail.server.config.ServerConfig
import needletail.server.operations.Log

import java.nio.charset.StandardCharsets.ISO_8859_1

import scala.concurrent.duration._

import needletail.http._
import needletail.server.clock.Clock
import needletail.server.exchange.{RequestRunner, ServerLoopContext, SessionOutput}
import needletail.server.session.ServerSession

/**
 * A session's peer and clock, in memory: what it sends goes in, what it would see is `output`.
 *
 * @param neighbour
 *   whose loop this connection is on as well; null for a loop of its own
 * @param canSwitch
 *   whether it can be handed over to another protocol
 */
final class FakeWire(
    handler: Handler,
    config: ServerConfig = ServerConfig(log = Log.none),
    neighbour: FakeWire = null,
    override val canSwitch: Boolean = false
) extends SessionOutput {
  private val written = new java.io.ByteArrayOutputStream
  private var woken   = false
  private var left    = Array.empty[Byte]

  // As a connection does: what is left over is passed again with more bytes, or when reading is resumed, and the end
  // is told only where reading is not paused.
  private var paused  = false
  private var unread  = false // whether `left` is to be passed
  private var ends    = false
  private var endTold = false

  private var turnEnd = Vector.empty[Runnable]

  var nowNanos: Long      = 1000000000L
  var pendingOutput: Int  = 0
  var isFinished: Boolean = false
  var isAborted: Boolean  = false
  var writes: Int         = 0

  /** Runs before anything is taken. */
  var writing: () => Unit = () => ()

  /** What it has been handed over to, and the bytes that follow. */
  var switchedTo: Upgrade.Accepted = null
  def leftover: String             = new String(left, ISO_8859_1)

  override def switchTo(protocol: Upgrade.Accepted, info: ConnectionInfo): Unit = {
    switchedTo = protocol
    isFinished = true
  }

  /** How much was said to be used at once, of what comes next; 0 if nothing was. */
  var expected: Int                      = 0
  override def expectInput(n: Int): Unit = expected = n
  override def offerAgain(): Unit        = paused = true

  /** Whether its TLS handshake has got further, each time it is asked for. */
  var handshake: Iterator[Boolean]          = Iterator.continually(false)
  override def handshakeProceeds(): Boolean = handshake.next()

  /** While true what is written stays with us, as with a peer that does not read. */
  var stuck: Boolean = false

  /** The client's address. */
  var client: () => String = () => "192.0.2.1:4711"

  val info: ConnectionInfo = new Attachments {
    def remoteAddress: String = client()
    def localAddress: String  = "192.0.2.2:80"
    def isSecure: Boolean     = false
  }
  private val clock = new Clock {
    def nowMillis: Long = 784111777000L
    def turnNanos: Long = FakeWire.this.nowNanos
    def nanos: Long     = FakeWire.this.nowNanos

    def atTurnEnd(task: Runnable): Unit = turnEnd :+= task
  }
  val context: ServerLoopContext =
    if (neighbour == null) new ServerLoopContext(clock, config) else neighbour.context
  val session = new ServerSession(this, new RequestRunner(handler, context))

  private var total              = 0L
  override def takenOutput: Long = total - pendingOutput

  def write(bytes: Array[Byte], from: Int, count: Int): Unit = {
    writing()
    total += count
    written.write(bytes, from, count)
    writes += 1
    if (stuck) pendingOutput += count
  }
  def writeOwned(bytes: Array[Byte], from: Int, count: Int): Unit = write(bytes, from, count)
  def wake(): Unit                                                = woken = true
  def finish(): Unit                                              = isFinished = true
  def abort(): Unit                                               = isAborted = true

  def send(text: String): this.type = send(text.getBytes(ISO_8859_1))

  def send(rawBytes: Array[Byte]): this.type = {
    left = left ++ rawBytes
    unread = true
    settle()
    this
  }

  /** Brings what there is to read, and gives the session the turns it asks for. */
  private def settle(): Unit = {
    work()
    while (turnEnd.nonEmpty) { // each is the end of one more turn
      val tasks = turnEnd
      turnEnd = Vector.empty
      tasks.foreach(_.run())
      work()
    }
  }

  private def work(): Unit = {
    var go = true
    while (go) {
      go = false
      if (woken && !isFinished) {
        woken = false
        measured(session.proceed())
        go = true
      }
      pauseOrResume()
      if (unread && !paused && !isFinished) {
        unread = false
        if (left.nonEmpty) pass()
        go = true
      } else if (ends && !endTold && !paused && !isFinished) {
        endTold = true
        session.peerEnded()
        go = true
      }
    }
  }

  /** The most bytes that one turn has written. */
  var mostInTurn: Long = 0

  private def measured[A](turn: => A): A = {
    val before = total
    val result = turn
    mostInTurn = Math.max(mostInTurn, total - before)
    result
  }

  private def pauseOrResume(): Unit = if (!isFinished) {
    val reads = session.wantsInput || session.watchesForEnd(hasUnused = left.nonEmpty)
    if (reads && paused) unread = true
    paused = !reads
  }

  private def pass(): Unit = {
    val read = left.clone()
    val used = measured(session.receive(read, 0, read.length))
    java.util.Arrays.fill(read, '#'.toByte) // as the next read would overwrite it
    left = left.drop(used)
  }

  /** Runs only what is due at the end of the present turn; what that adds is left to the next. */
  def endTurn(): Unit = {
    val tasks = turnEnd
    turnEnd = Vector.empty
    tasks.foreach(_.run())
  }

  /** Bytes written in all. */
  def writtenInAll: Long = total

  /** Whether the session has asked for a turn. */
  def isWoken: Boolean = woken

  /** Lets callbacks that came between take effect. */
  def turn(): this.type = { settle(); this }

  def end(): this.type = { ends = true; settle(); this }

  def after(time: FiniteDuration): this.type = {
    nowNanos += time.toNanos
    if (!isFinished && session.deadline <= nowNanos) session.deadlinePassed()
    settle()
    this
  }

  /** The peer reads everything. */
  def unstick(): this.type = {
    stuck = false
    pendingOutput = 0
    session.proceed()
    settle()
    this
  }

  /** All that was written since the last call. */
  def output: String = {
    val text = new String(written.toByteArray, ISO_8859_1)
    written.reset()
    text
  }

  /** The status codes of what was written since the last call. */
  def statuses: List[Int] = "HTTP/1\\.1 (\\d{3})".r.findAllMatchIn(output).map(_.group(1).toInt).toList
}
