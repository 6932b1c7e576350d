package needletail.gateway.host

import java.io.{Closeable, IOException, InputStream}
import java.util.concurrent.RejectedExecutionException
import java.util.concurrent.locks.LockSupport

import needletail.async.{Async, Blocking, BlockingConfig}
import needletail.io.EventLoop

/** A program whose output one thread looks at for all ([[Pump]]), and whose input another thread writes. */
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

  // Set by the loop, read by the pump.
  @volatile private var isWanted   = false
  @volatile private var isUnwanted = false // its output

  // Set by the pump, cleared by the loop: one piece of errors is under way at most.
  @volatile private var errorsUnderWay = false

  // The pump's own.
  private var endTold              = false
  private var outClosed            = false
  private[host] var lastSeen: Long = startedAt // when something happened

  protected def signal(kill: Boolean): Unit =
    if (loop.isStopping) Spawner.signal(process, kill = true)
    else { JvmProgram.signals(Spawner.signal(process, kill)).onComplete(_ => ()); () }

  private[host] def kill(): Unit = Spawner.signal(process, kill = true)

  def write(bytes: Array[Byte]): Async[Unit] =
    if (hasEnded) notReading
    else
      JvmProgram.inputs {
        in.write(bytes)
        in.flush()
      }

  /** On another thread: where a write is stuck, it would wait for that. */
  def endInput(): Unit = quietly(in)

  protected def wantOutput(): Unit = {
    isWanted = true
    Pump.wake()
  }

  protected def closeOutput(): Unit = {
    isUnwanted = true
    Pump.wake()
  }

  /** The pump finds it: a program that has ended and a pipe that is empty. */
  protected def tellsEnd: Boolean = true

  protected def closeRest(): Unit = endInput()

  private def quietly(stream: Closeable): Unit =
    if (loop.isStopping) () // its process is killed and the streams die with it
    else {
      JvmProgram
        .inputs {
          try stream.close()
          catch { case _: IOException => () } // broken already: it is closed all the same
        }
        .onComplete(_ => ())
    }

  // On the pump's thread

  /** Moves what there is to be moved. True when it is over. */
  private[host] def step(now: Long): Boolean = {
    val alive = process.isAlive // looked at first: what was written before the end is seen after it
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
          loop.execute(() => came(piece))
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
        // what it has left behind in its group, if it was told to end; else that is left alone
        if (isStopping) JvmProgram.killRest(process)
        val status = process.exitValue
        loop.execute(() => ended(status))
      }
      val over = endTold && outClosed && !errorsUnderWay && available(err) == 0
      if (over) err.close()
      over
    } catch {
      case _: RejectedExecutionException => // nobody asks for it any more
        Program.over(this)
        JvmProgram.killRest(process)
        out.close()
        err.close()
        true
      case _: IOException => endTold
    }
  }

  private def available(stream: InputStream): Int =
    try stream.available()
    catch { case _: IOException => 0 } // closed
}

private[host] object JvmProgram {
  final val MostAtOnce = 64 * 1024

  /** Threads that write to programs: a write can wait for a program that does not read, until that is ended. */
  val inputs = new Blocking(BlockingConfig(threads = 256, queue = 4096, virtual = false))

  /** Those that send signals are others, as what they do is what ends the wait. */
  val signals = new Blocking(BlockingConfig(threads = 4, queue = 4096, virtual = false))

  def killRest(process: Process): Unit = {
    val thread = new Thread(() => Spawner.signal(process, kill = true), "needletail-kill")
    thread.setDaemon(true)
    thread.start()
  }
}

/**
 * Looks at the output of all programs in turn, and never waits for one of them: a read that waits could not be ended
 * where a process that a program has left behind holds its pipe open, and Java's selectors know no pipes. While
 * something happens it looks every 200 µs, later every 5 ms; without programs it sleeps. What it costs: the end of an
 * output is seen only with the end of its program.
 *
 * When a program ends, Java itself reads what lies in its pipes and closes them, so that a process that was left behind
 * and writes without end is ended by that (SIGPIPE).
 */
private[host] object Pump {
  private final val QuickNanos = 200L * 1000
  private final val SlowNanos  = 5L * 1000 * 1000
  private final val BusyNanos  = 30L * 1000 * 1000 // since something happened

  private val programs                 = new java.util.concurrent.ConcurrentLinkedQueue[JvmProgram]
  @volatile private var thread: Thread = null

  def add(program: JvmProgram): Unit = {
    programs.add(program)
    start()
    wake()
  }

  def wake(): Unit = LockSupport.unpark(thread)

  private def start(): Unit = if (thread == null) synchronized {
    if (thread == null) {
      val fresh = new Thread(() => run(), "needletail-programs")
      fresh.setDaemon(true)
      thread = fresh
      fresh.start()
    }
  }

  private def run(): Unit =
    while (true) {
      if (programs.isEmpty) LockSupport.park(this)
      val now  = System.nanoTime()
      var last = now - BusyNanos
      val all  = programs.iterator
      while (all.hasNext) {
        val program = all.next()
        val over    =
          try program.step(now)
          catch {
            case e: Throwable => // whatever it is, the others' programs go on
              EventLoop.onFailure("a program's output could not be read", e)
              true
          }
        if (over) all.remove()
        else if (program.lastSeen - last > 0) last = program.lastSeen
      }
      if (!programs.isEmpty)
        LockSupport.parkNanos(this, if (now - last < BusyNanos) QuickNanos else SlowNanos)
    }
}
