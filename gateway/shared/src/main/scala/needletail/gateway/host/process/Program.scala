package needletail.gateway.host.process

import java.io.IOException
import java.util.concurrent.ConcurrentHashMap

import needletail.async.{Async, AsyncPromise, Survivable, Timer}
import needletail.gateway.host.backend.Backend
import needletail.http.ByteStream
import needletail.io.EventLoop

/*
 * The platform contract for running programs. Everything else in this package is portable.
 *
 *   object Spawner
 *     val handsOverSockets: Boolean       can a program be given a listening socket as its descriptor 0?
 *     def start(launch: Launch): StartedProgram  starts a program; blocks for as long as the system takes to do that.
 *                                         Throws LaunchFailed
 *     def listen(path: String): Listening a Unix socket for programs that take it as descriptor 0; throws IOException,
 *                                         and UnsupportedOperationException where it cannot be handed over
 *   object ExitHook
 *     def add(hook: Thread): Unit         has it run when this process exits in order. Signal handlers stay as they
 *                                         are: a server still drains on SIGTERM
 *   final class Listening
 *     def close(): Unit
 *   final class StartedProgram                   a running program that no loop watches yet
 *     def attach(loop: EventLoop, killGraceNanos: Long, errors: Array[Byte] => Unit): Program
 *                                         on the loop's own thread, which watches it from then on. `errors` is called
 *                                         with all bytes of standard error, which is always read. If it throws, it
 *                                         has discarded the program
 *     def kill(): Unit                    kills its process group and reaps it; may block for a moment
 *     def discard(): Unit                 instead of attach: kills it and closes its pipes
 *
 * A program that was started
 *   - leads a process group of its own, so that it can be ended with all it has started;
 *   - has no descriptor but 0, 1 and 2, and ignores and blocks no signal (on the JVM: but those the JVM was started
 *     with);
 *   - has the environment of its Launch and no other.
 */

/**
 * A running program. All methods are to be called on the thread of `loop`, the loop that serves its request.
 *
 * This class has the state, which is the same on all platforms; its subclasses move bytes and send signals.
 */
private[host] abstract class Program(protected val loop: EventLoop, killGraceNanos: Long) extends Backend {
  private var wanted: AsyncPromise[Option[Array[Byte]]] = null
  private var isAsked                     = false // whether the platform was, and has not answered yet
  private var unclaimed: Array[Byte]      = null  // a piece whose reader had stopped waiting for it
  private var silentChecks                = 0     // after the program has ended, since output was wanted
  private var outputOver                  = false
  private var status                      = -1
  private var stopping                    = false
  private var killer: Timer               = null
  private var afterEnd                    = 0     // bytes of output that arrived after the program had ended
  private var endHooks: List[Int => Unit] = Nil

  Program.begun(this)

  def pid: Long

  /** Kills the program at once, because this process exits. May be called from any thread. */
  private[host] def kill(): Unit

  // For the platform to implement

  /** Sends SIGTERM, or SIGKILL, to the whole process group. */
  protected def signal(kill: Boolean): Unit

  /** Requests one call of `outputArrived` or `outputEnded`, and is not called again before that. */
  protected def wantOutput(): Unit

  /** Closes this end of the pipe of its output. */
  protected def closeOutput(): Unit

  /** Whether `outputEnded` is called for a program that has ended even if another process holds its output open. */
  protected def reportsOutputEnd: Boolean

  /** Closes these ends of its input and, when what has arrived was delivered, of its standard error. */
  protected def closeRest(): Unit

  // For the platform to call

  protected final def outputArrived(bytes: Array[Byte]): Unit = {
    isAsked = false
    if (status >= 0) afterEnd += bytes.length
    if (wanted == null && !outputOver) unclaimed = bytes
    else if (!outputOver) {
      val promise = wanted
      wanted = null
      promise.succeed(Some(bytes))
      ()
    }
    // more than the pipe held: another process is writing
    if (afterEnd > Program.MostInPipe) outputEnded()
  }

  protected final def outputEnded(): Unit = if (!outputOver) {
    outputOver = true
    closeOutput()
    if (wanted != null) awaitEnd()
  }

  /**
   * How a program has ended says whether its output is complete, and is known a moment after the end of that output. A
   * program that has closed its output and goes on is not waited for.
   */
  private def awaitEnd(): Unit =
    if (status >= 0 || stopping || loop.isStopping) tellOutputEnd()
    else { loop.schedule(Program.EndNanos, () => tellOutputEnd()); () }

  private def tellOutputEnd(): Unit = if (wanted != null) {
    val promise = wanted
    wanted = null
    if (isCutOff) promise.fail(new ProgramKilled(status)) else promise.succeed(None)
    ()
  }

  /** Whether it has ended by a signal that it was not sent from here. */
  private def isCutOff: Boolean = !stopping && ProgramKilled.isSignal(status)

  /** The program has ended and was reaped. */
  protected final def ended(exitStatus: Int): Unit = if (status < 0) {
    status = exitStatus
    Program.over(this)
    if (killer != null) killer.cancel()
    closeRest()
    if (outputOver) tellOutputEnd()
    else if (!reportsOutputEnd && !loop.isStopping) checkRestOfOutput()
    val hooks = endHooks.reverse
    endHooks = Nil
    hooks.foreach { hook =>
      try hook(exitStatus)
      catch { case Survivable(e) => EventLoop.report("what a program's end is told to has failed", e) }
    }
  }

  /**
   * A process that the program has left behind may hold its output open. What the program itself wrote is in the pipe
   * by then. So the output has ended when nothing more arrives although it is wanted, or when more has arrived than a
   * pipe holds. Counts checks instead of time: between two checks the loop has polled the pipe, however late.
   */
  private def checkRestOfOutput(): Unit = if (!outputOver) {
    if (wanted != null) silentChecks += 1
    if (silentChecks > Program.SilentChecks) outputEnded()
    else { loop.schedule(Program.CheckNanos, () => checkRestOfOutput()); () }
  }

  final def hasEnded: Boolean   = status >= 0
  final def isStopping: Boolean = stopping

  /** Calls `f` with the exit status once the program has ended and was reaped; 128 + n if it was ended by signal n. */
  final def onEnd(f: Int => Unit): Unit = if (status >= 0) f(status) else endHooks = f :: endHooks

  /** Fails with [[ProgramKilled]] at its end if the program was ended by a signal, so that it may not be complete. */
  val output: ByteStream = new ByteStream {
    def next(): Async[Option[Array[Byte]]] =
      if (wanted != null) Async.fail(new IllegalStateException("the last piece has not arrived yet"))
      else if (unclaimed != null) {
        val piece = unclaimed
        unclaimed = null
        Async.value(Some(piece))
      } else {
        val promise = new AsyncPromise[Option[Array[Byte]]]
        wanted = promise
        promise.onCancel(() => if (wanted eq promise) wanted = null)
        if (outputOver) awaitEnd()
        else {
          silentChecks = 0
          if (!isAsked) {
            isAsked = true
            wantOutput()
          }
        }
        promise
      }
    def cancel(): Unit = {
      unclaimed = null
      outputEnded()
    }
  }

  /** Closes the pipe of its output, and ends it as `terminate` does; its other pipes are closed when it has ended. */
  final def stop(): Unit = {
    val isRunning = status < 0 && !stopping
    if (isRunning) stopping = true
    unclaimed = null
    outputEnded()
    tellOutputEnd()
    if (isRunning) sendSignals()
  }

  /**
   * Sends SIGTERM to the program and all it has started, and SIGKILL if it has not ended after the grace period. Until
   * then it can still write: its output and its standard error are read to their ends.
   */
  final def terminate(): Unit = if (status < 0 && !stopping) {
    stopping = true
    sendSignals()
  }

  private def sendSignals(): Unit = {
    val now = killGraceNanos <= 0 || loop.isStopping
    signal(kill = now)
    if (!now) killer = loop.schedule(killGraceNanos, () => if (status < 0) signal(kill = true))
  }

  protected final def notReading: Async[Nothing] = Program.notReading
}

private[host] object Program {

  /** Programs that would be left behind if this process exited now. */
  private val running         = ConcurrentHashMap.newKeySet[Program]()
  private lazy val hook: Unit = ExitHook.add(
    new Thread(() => running.forEach(program => program.kill()), "needletail-programs-end")
  )

  private def begun(program: Program): Unit = {
    hook
    running.add(program)
    ()
  }
  private[host] def over(program: Program): Unit = { running.remove(program); () }

  /** How many successive checks find no output, after the program has ended, before the output counts as ended. */
  private final val SilentChecks = 2
  private final val CheckNanos   = 25L * 1000 * 1000

  /** How long the end of a program is waited for whose output has ended. */
  private final val EndNanos = 250L * 1000 * 1000

  /** Bytes that a program may have left in its pipe: Linux's `pipe-max-size` for users. */
  private final val MostInPipe = 1024 * 1024

  private val notReading = Async.fail(new IOException("the program no longer reads its input"))
}
