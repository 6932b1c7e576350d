package needletail.server

import needletail.async.Loop
import needletail.http._
import needletail.io.LoopMemory

/**
 * What all HTTP connections of one loop share, used by one of them at a time: the head parser with its head,
 * the buffer that replies are written to before they go out together, the Date line.
 */
private[needletail] final class LoopContext(
    clock: Clock,
    val config: ServerConfig,
    loops: Int = 1,
    val format: ReplyFormat = ReplyFormat.http,
    val memory: LoopMemory = new LoopMemory
) {
  private val limits = HeadLimits(config.maxTarget, config.maxHead, config.maxHeaders, config.relaxedTarget)

  val log: Log = Log.guarded(config.log)

  val counts    = new LoopCounts
  val admission = new Admission(clock, config.overload, loops, new HandlerFailures(clock, counts, log))

  /** Where replies are written to, in a turn only; and the same as turns get it. */
  val lent               = new LentWriter(LoopContext.WriterSize)
  val writer: ByteWriter = lent.bytes

  /** To those for whom there is no memory. */
  val memoryShort: Response = admission.response(Refusal.Memory)

  /** Durations of the config in nanoseconds, read on the way of a request. */
  val headNanos: Long      = config.headTimeout.toNanos
  val bodyNanos: Long      = config.bodyTimeout.toNanos
  val bodyGraceNanos: Long = config.bodyGrace.toNanos
  val handlerNanos: Long   = config.handlerTimeout.toNanos
  val writeNanos: Long     = config.writeTimeout.toNanos
  val halfCloseNanos: Long = config.halfCloseGrace.toNanos

  /** Shorter while the server is crowded. */
  var idleNanos: Long = config.idleTimeout.toNanos

  /** How long the end of a connection may take; no longer than it may idle while the server is crowded. */
  def lingerNanos: Long = {
    val most = config.lingerTimeout.toNanos
    if (idleNanos < config.idleTimeout.toNanos) Math.min(most, idleNanos) else most
  }

  /** Content of requests that have none. */
  val noBody: Body = Body.empty

  /** No null check for a hook nobody set but this one. */
  val accessLog: AccessLog = config.accessLog.orNull

  private var spare: HeadParser  = newParser()
  private var commonSecond: Long = -1
  private var commonLines        = new Array[Byte](0)

  /** A parser for one connection; it goes back by `giveParser`, unless a head has only come in part. */
  def takeParser(): HeadParser =
    if (spare == null) newParser()
    else {
      val p = spare
      spare = null
      // the first one is made before the loop has a thread
      if (p.head.owner == null) p.head.owner = Thread.currentThread
      p
    }

  def giveParser(parser: HeadParser): Unit = spare = parser

  private def newParser(): HeadParser = {
    val parser = new HeadParser(limits)
    parser.head.gate = admission
    if (Loop.currentOrNull != null) parser.head.owner = Thread.currentThread
    parser.secure = config.tls.isDefined
    parser
  }

  /** The clock, read anew. */
  def nanos: Long = clock.nanos

  /**
   * The lines every response has, rendered once a second for `ResponseEncoder`: Date (RFC 9110 §6.6.1), and Server
   * where it is set.
   */
  @inline def common: Array[Byte] = {
    val second = clock.nowMillis / 1000
    if (second != commonSecond) renderCommon(second)
    commonLines
  }

  @noinline private def renderCommon(second: Long): Unit = {
    commonSecond = second
    val server = config.serverHeader.fold("")(value => s"Server: $value\r\n")
    commonLines = ResponseEncoder.common(s"Date: ${HttpDate.format(second)}\r\n$server")
  }
}

/** The clocks of a loop. */
private[needletail] trait Clock {

  /** The wall clock, in milliseconds since 1970. */
  def nowMillis: Long

  /** When the loop's present turn began: when it had stopped waiting. */
  def turnNanos: Long

  /** On the same clock, read anew. */
  def nanos: Long

  /** By when the wait before the present turn should have ended, at the latest; MaxValue where nothing was due. */
  def dueNanos: Long = Long.MaxValue

  /** The processor's time that the loop's thread has had, in nanoseconds; -1 where the platform does not tell. */
  def processorNanos: Long = -1

  /** Runs `task` at the end of the loop's present turn. */
  def atTurnEnd(task: Runnable): Unit
}

private[needletail] object LoopContext {
  final val WriterSize = 32 * 1024
}
