package needletail.gateway.host.process

import java.io.{IOException, InputStream}
import java.util.concurrent.RejectedExecutionException

import needletail.async.{Async, Blocking, BlockingConfig, Survivable}
import needletail.io.EventLoop

/** A program on the JVM: [[OutputPoller]] reads its output, and threads of a pool write its input. */
private[host] final class JvmProgram(
    process: Process,
    loop: EventLoop,
    killGraceNanos: Long,
    errors: Array[Byte] => Unit
) extends Program(loop, killGraceNanos) {
  private val in  = process.getOutputStream
  private val out = process.getInputStream
  private val err = process.getErrorStream

  val pid: Long               = process.pid
  private[host] val startedAt = System.nanoTime()

  private var inputEnded = false // used by the loop

  // Set by the loop, cleared by the thread that writes, also if nobody waits for the end of its write any more
  @volatile private var isWriting = false

  // Set by the loop, read by the poller
  @volatile private var isWanted   = false
  @volatile private var isUnwanted = false // whether its output is not needed

  // Set by the poller, cleared by the loop: at most one piece of standard error is being delivered
  @volatile private var errorsUnderWay = false

  // Used by the poller only
  private var endTold              = false
  private var outClosed            = false
  private[host] var lastSeen: Long = startedAt // of the last activity

  protected def signal(kill: Boolean): Unit =
    if (loop.isStopping) ProcessGroup.signal(process, kill = true)
    else { JvmProgram.signals(ProcessGroup.signal(process, kill)).onComplete(_ => ()); () }

  private[host] def kill(): Unit = ProcessGroup.signal(process, kill = true)

  def write(bytes: Array[Byte]): Async[Unit] =
    if (hasEnded || inputEnded) notReading
    else {
      isWriting = true
      JvmProgram.inputs {
        try {
          in.write(bytes)
          in.flush()
        } finally isWriting = false
      }
    }

  /** Closing would wait for a write that is blocked. Then the program has ended, so that Java itself closes it. */
  def endInput(): Unit = if (!inputEnded) {
    inputEnded = true
    if (!isWriting)
      try in.close()
      catch { case _: IOException => () } // broken already: it is closed anyway
  }

  protected def wantOutput(): Unit = {
    isWanted = true
    OutputPoller.wake()
  }

  protected def closeOutput(): Unit = {
    isUnwanted = true
    OutputPoller.wake()
  }

  /** The poller detects it: a program that has ended and a pipe that is empty. */
  protected def reportsOutputEnd: Boolean = true

  protected def closeRest(): Unit = endInput()

  // On the poller's thread

  /** Moves available data. Returns true when the program has ended and everything is read. */
  private[host] def step(now: Long): Boolean = {
    val alive = process.isAlive // checked first: what was written before the end is read after it
    try {
      if (!loop.isAlive) throw new RejectedExecutionException("the loop has ended")
      if (isUnwanted) {
        if (!outClosed) {
          outClosed = true
          out.close()
        }
      } else if (isWanted) {
        val n = available(out)
        if (n > 0) {
          isWanted = false
          val piece = out.readNBytes(math.min(n, JvmProgram.MostAtOnce))
          lastSeen = now
          loop.execute(() => outputArrived(piece))
        } else if (!alive) {
          isWanted = false
          loop.execute(() => outputEnded())
        }
      }
      if (!errorsUnderWay) {
        val n = available(err)
        if (n > 0) {
          val piece = err.readNBytes(math.min(n, JvmProgram.MostAtOnce))
          lastSeen = now
          errorsUnderWay = true
          loop.execute { () =>
            errorsUnderWay = false
            errors(piece)
          }
        }
      }
      if (!alive && !endTold) {
        endTold = true
        lastSeen = now
        // ends the rest of its process group if it was told to end; otherwise leaves the group alone
        if (isStopping) JvmProgram.killRest(process)
        val status = process.exitValue
        loop.execute(() => ended(status))
      }
      val over = endTold && outClosed && !errorsUnderWay && available(err) == 0
      if (over) err.close()
      over
    } catch {
      case _: RejectedExecutionException => // the loop has ended
        Program.over(this)
        JvmProgram.killRest(process)
        out.close()
        err.close()
        true
      case _: IOException => endTold
    }
  }

  /** It cannot be watched any more: kills it, and says that it has ended. A fatal error is the loop's then. */
  private[host] def giveUp(cause: Throwable): Unit =
    try
      try JvmProgram.killRest(process)
      finally {
        process.destroyForcibly() // needs no thread: that there are no more may be the cause
        for (pipe <- Seq(out, err))
          try pipe.close()
          catch { case _: IOException => () }
      }
    finally
      try
        loop.execute { () =>
          ended(JvmProgram.Killed)
          outputEnded()
          if (!Survivable(cause)) throw cause
        }
      catch { case _: RejectedExecutionException => Program.over(this) }

  private def available(stream: InputStream): Int =
    try stream.available()
    catch { case _: IOException => 0 } // closed
}

private[host] object JvmProgram {
  final val MostAtOnce     = 64 * 1024
  private final val Killed = 128 + 9

  /**
   * Threads that write to programs: a write blocks if a program does not read, until the program is ended. At most one
   * for each program, so that none waits for others; their number is that of the programs, which their hosts limit, and of
   * the processes that programs have left behind with their input.
   */
  val inputs = new Blocking(BlockingConfig(threads = 4096, queue = 4096, virtual = false))

  /** Separate threads that send signals, as signals end those waits. */
  val signals = new Blocking(BlockingConfig(threads = 4, queue = 4096, virtual = false))

  def killRest(process: Process): Unit = {
    val thread = new Thread(() => ProcessGroup.signal(process, kill = true), "needletail-kill")
    thread.setDaemon(true)
    thread.start()
  }
}
