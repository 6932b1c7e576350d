package needletail.gateway.host.process

import java.util.concurrent.RejectedExecutionException

import needletail.async.Blocking
import needletail.io.EventLoop

/** Starts programs without blocking a loop. */
private[host] object ProgramStarter {

  /**
   * Starts a program on one of `threads` and calls `done` on `loop`. If the loop ends meanwhile the program is killed,
   * so that no program runs that no loop watches. To be called on `loop`.
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
