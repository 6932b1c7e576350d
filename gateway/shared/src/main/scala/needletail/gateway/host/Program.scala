package needletail.gateway.host

import java.io.IOException
import java.util.concurrent.ConcurrentHashMap

import needletail.async.{Async, Promise, Timer}
import needletail.http.ByteStream
import needletail.io.EventLoop

/**
 * A program that runs, on the loop that serves its request: all methods are to be called on that loop's own thread.
 *
 * This half knows what is owed to whom; the platforms' half moves octets and signals.
 */
private[host] abstract class Program(protected val loop: EventLoop, killGraceNanos: Long) extends Backend {
  private var wanted: Promise[Option[Array[Byte]]] = null
  private var silentLooks                          = 0 // after its end, since output was wanted
  private var outputOver                           = false
  private var status                               = -1
  private var stopping                             = false
  private var killer: Timer                        = null
  private var afterEnd                             = 0 // octets of output that have come since it ended
  private var endHooks: List[Int => Unit]          = Nil

  Program.begun(this)

  def pid: Long

  /** From any thread, at once, for good: this program's own end has come. */
  private[host] def kill(): Unit

  // What the platform does

  /** To its whole process group: asks it to end, or kills it. */
  protected def signal(kill: Boolean): Unit

  /** Has `came` or `outputEnded` called, once. */
  protected def wantOutput(): Unit

  /** Closes our end of its output. */
  protected def closeOutput(): Unit

  /** Is `outputEnded` called for a program that has ended though others hold its output open? */
  protected def tellsEnd: Boolean

  /** Closes our ends of its input and, when what has come was handed out, of its errors. */
  protected def closeRest(): Unit

  // What it tells

  protected final def came(bytes: Array[Byte]): Unit = {
    if (status >= 0) afterEnd += bytes.length
    if (wanted != null && !outputOver) {
      val promise = wanted
      wanted = null
      promise.succeed(Some(bytes))
      ()
    }
    // more than the pipe held: it is another process that writes
    if (afterEnd > Program.MostInPipe) outputEnded()
  }

  protected final def outputEnded(): Unit = if (!outputOver) {
    outputOver = true
    closeOutput()
    val promise = wanted
    wanted = null
    if (promise != null) { promise.succeed(None); () }
  }

  /** It is over and reaped. */
  protected final def ended(exitStatus: Int): Unit = if (status < 0) {
    status = exitStatus
    Program.over(this)
    if (killer != null) killer.cancel()
    closeRest()
    if (!tellsEnd && !loop.isStopping) lookForRest()
    val hooks = endHooks.reverse
    endHooks = Nil
    hooks.foreach(_.apply(exitStatus))
  }

  /**
   * Its output may be held open by a process that it has left behind. What it wrote itself lies in the pipe by now, so
   * the end is where nothing comes any more though it is wanted, or more than a pipe holds. Looks are counted and not
   * time alone: between two of them the loop has asked the pipe, however long it was kept from that.
   */
  private def lookForRest(): Unit = if (!outputOver) {
    if (wanted != null) silentLooks += 1
    if (silentLooks > Program.SilentLooks) outputEnded()
    else { loop.schedule(Program.LookNanos, () => lookForRest()); () }
  }

  final def hasEnded: Boolean   = status >= 0
  final def isStopping: Boolean = stopping

  /** Calls `f` with its exit status once it is over and reaped; 128 and more: the signal that ended it. */
  final def onEnd(f: Int => Unit): Unit = if (status >= 0) f(status) else endHooks = f :: endHooks

  val output: ByteStream = new ByteStream {
    def next(): Async[Option[Array[Byte]]] =
      if (outputOver) Async.value(None)
      else if (wanted != null) Async.fail(new IllegalStateException("the last piece has not come yet"))
      else {
        val promise = new Promise[Option[Array[Byte]]]
        wanted = promise
        silentLooks = 0
        promise.onCancel(() => if (wanted eq promise) wanted = null)
        wantOutput()
        promise
      }
    def cancel(): Unit = outputEnded()
  }

  /** Asks it to end, with all it has started, and kills what has not ended after the grace. */
  final def stop(): Unit = {
    outputEnded()
    closeRest()
    if (status < 0 && !stopping) {
      stopping = true
      val now = killGraceNanos <= 0 || loop.isStopping
      signal(kill = now)
      if (!now) killer = loop.schedule(killGraceNanos, () => if (status < 0) signal(kill = true))
    }
  }

  protected final def notReading: Async[Nothing] = Program.notReading
}

private[host] object Program {

  /** What would be left behind if this program ended now. */
  private val running         = ConcurrentHashMap.newKeySet[Program]()
  private lazy val hook: Unit = Spawner.atExit(
    new Thread(() => running.forEach(program => program.kill()), "needletail-programs-end")
  )

  private def begun(program: Program): Unit = {
    hook
    running.add(program)
    ()
  }
  private[host] def over(program: Program): Unit = { running.remove(program); () }

  /** How often an output is found silent, after its program has ended, before it is taken to have ended too. */
  private final val SilentLooks = 2
  private final val LookNanos   = 25L * 1000 * 1000

  /** What a program may have left in its pipe: Linux's `pipe-max-size` for users. */
  private final val MostInPipe = 1024 * 1024

  private val notReading = Async.fail(new IOException("the program reads no more"))
}
