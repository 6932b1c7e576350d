package needletail.gateway.host

import java.util.concurrent.RejectedExecutionException

import scala.util.control.NoStackTrace

import needletail.async.Blocking
import needletail.io.EventLoop

/**
 * What to run. All texts are octets, one in each character (see [[OctetText]]), as the system and CGI have them.
 *
 * @param program the path of the file to be run
 * @param arguments without the program's own name, which is `program`
 * @param directory to run in; empty: ours
 * @param listening what its standard input is to be in place of a pipe; null: a pipe
 */
private[host] final case class Launch(
    program: String,
    arguments: Seq[String] = Nil,
    environment: Seq[(String, String)] = Nil,
    directory: String = "",
    listening: Listening = null
)

/** A program could not be started; `message` is for the log. */
private[host] final class LaunchFailed(val reason: Int, message: String)
    extends RuntimeException(message)
    with NoStackTrace

private[host] object LaunchFailed {
  final val Other      = 0
  final val NotThere   = 1 // the file, or the interpreter that its first line names
  final val Forbidden  = 2
  final val NoProgram  =
    3 // neither a binary that the system can run nor a script with a first line that says how
  final val SystemFull = 4 // out of processes, memory or descriptors
}

private[host] object Launching {

  /**
   * Starts a program on one of `threads` and calls `done` on `loop`. When that ends meanwhile, so does the program: none
   * is ever left that nobody looks after. To be called on `loop`.
   */
  def start(launch: Launch, threads: Blocking, loop: EventLoop)(
      done: Either[Throwable, StartedProgram] => Unit
  ): Unit =
    threads {
      val started = Spawner.start(launch)
      try loop.execute(() => if (loop.isStopping) started.discard() else done(Right(started)))
      catch { case _: RejectedExecutionException => started.discard() }
    }.onComplete {
      case scala.util.Failure(e) => done(Left(e))
      case _                     => ()
    }
}
