package needletail.gateway.host.process

import needletail.async.{Async, AsyncPromise}
import needletail.io.{Connection, ConnectionHandler, EventLoop, Pipe, Readiness}

/**
 * A program whose pipes the loop watches like its connections; the kernel tells the loop when it has ended.
 *
 * @param numbers as needletail_host_start returns them
 */
private[host] final class NativeProgram(
    numbers: Array[Int],
    loop: EventLoop,
    killGraceNanos: Long,
    errors: Array[Byte] => Unit
) extends Program(loop, killGraceNanos) {
  import NativeProgram.*

  private val process = numbers(0)
  def pid: Long       = process.toLong

  private var room: AsyncPromise[Unit] = null  // completes when the content is in the pipe
  private var asked                    = false // whether output is wanted

  private val input: Connection =
    if (numbers(1) < 0) null else watched(1)(Pipe.begin(numbers(1), loop)(_ => new Input))
  private val out: Connection =
    watched(2)(Pipe.begin(numbers(2), loop)(connection => new Output(connection)))
  private val err: Connection = watched(3)(Pipe.begin(numbers(3), loop)(_ => new Errors))

  private val watch: Readiness =
    if (numbers(4) < 0) null
    else watched(4)(new Readiness(numbers(4), loop)(() => lookForEnd(), () => loopEnds()))
  if (watch == null) look(1)

  /** Discards the program if the loop cannot watch its descriptor `i`. */
  private def watched[A](i: Int)(begin: => A): A =
    try begin
    catch {
      case e: Throwable =>
        List(input, out, err).foreach(pipe => if (pipe != null) pipe.close()) // those that were begun before
        for (k <- i until numbers.length)
          // a pipe that could not be begun was closed by that
          if (numbers(k) >= 0 && (k > i || k == 4)) HostKernel.close(numbers(k))
        ProcessGroup.killAndReap(process)
        Program.over(this)
        throw e
    }

  /** If the kernel has no process descriptors: polls for the end, at growing intervals. */
  private def look(millis: Long): Unit = if (!hasEnded) {
    loop.schedule(millis * 1000 * 1000, () => { lookForEnd(); look(math.min(50, millis * 2)) })
    ()
  }

  private def lookForEnd(): Unit = if (!hasEnded && HostKernel.hasEnded(process) != 0) {
    // while its id is still that of its group
    if (isStopping) HostKernel.signal(process, 1)
    ended(HostKernel.reap(process))
  }

  /** The loop ends, so nothing will report the end of the program. */
  private def loopEnds(): Unit = if (!hasEnded) {
    ProcessGroup.killAndReap(process)
    ended(128 + 9)
  }

  protected def signal(kill: Boolean): Unit =
    if (loop.isStopping) loopEnds()
    else HostKernel.signal(process, if (kill) 1 else 0)

  private[host] def kill(): Unit = HostKernel.signal(process, 1)

  def write(bytes: Array[Byte]): Async[Unit] =
    if (input == null || !input.isOpen) notReading
    else {
      input.writeOwned(bytes, 0, bytes.length)
      if (!input.isOpen) notReading
      else if (input.pendingBytes == 0) Async.unit
      else {
        room = new AsyncPromise[Unit]
        room
      }
    }

  def endInput(): Unit = if (input != null) input.close()

  protected def wantOutput(): Unit = {
    asked = true
    if (!out.isOpen) loop.endOfTurn(() => outputEnded()) else out.resumeReading()
  }

  protected def closeOutput(): Unit = out.close()

  protected def reportsOutputEnd: Boolean = false

  protected def closeRest(): Unit = {
    endInput()
    // its last output is in the pipe; a process that holds the pipe open longer is not waited for
    if (loop.isStopping) err.close()
    else { loop.schedule(ErrorsNanos, () => err.close()); () }
  }

  private final class Input extends Unread {
    override def onDrained(): Unit                = give(null)
    override def onClosed(cause: Throwable): Unit = give(cause)

    private def give(cause: Throwable): Unit = if (room != null) {
      val promise = room
      room = null
      if (cause == null && input.isOpen) promise.succeed(()) else promise.fail(notReadingCause)
      ()
    }
  }

  private final class Output(connection: Connection) extends Unread {
    override def onData(bytes: Array[Byte], from: Int, until: Int): Int =
      if (!asked) {
        connection.pauseReading()
        from
      } else {
        asked = false
        outputArrived(java.util.Arrays.copyOfRange(bytes, from, until))
        until
      }
    override def onEnd(): Unit                    = outputEnded()
    override def onClosed(cause: Throwable): Unit = outputEnded()
  }

  private final class Errors extends Unread {
    override def onData(bytes: Array[Byte], from: Int, until: Int): Int = {
      errors(java.util.Arrays.copyOfRange(bytes, from, until))
      until
    }
    override def onEnd(): Unit = err.close()
  }
}

private object NativeProgram {
  private final val ErrorsNanos = 50L * 1000 * 1000

  private val notReadingCause = new java.io.IOException("the program no longer reads its input")

  /** The default for most pipes and events: do nothing. */
  private abstract class Unread extends ConnectionHandler {
    def onData(bytes: Array[Byte], from: Int, until: Int): Int = until
    def onEnd(): Unit                                          = ()
    def onDrained(): Unit                                      = ()
    def onDeadline(): Unit                                     = ()
    def onClosed(cause: Throwable): Unit                       = ()
  }
}
