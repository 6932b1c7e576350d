package needletail.gateway.host

import needletail.async.{Async, Promise, Survivable}
import needletail.http._
import needletail.io.EventLoop

/** Runs the programs of a directory, one process for each request (RFC 3875). */
private[host] final class CgiHost(mount: Mount, directory: String, cgi: CgiConfig)
    extends Hosting(mount, cgi.host, "cgi", new Slots(cgi.processes, cgi.queue, cgi.queueTime)) {
  private val finder      = new ScriptFinder(mount, directory, mustExecute = true)
  private val environment =
    cgi.environment.toSeq.map { case (name, value) => OctetText.of(name) -> OctetText.of(value) }

  /** A place is taken from before a process is started until it is reaped. */
  protected def processes: Option[(Int, Int)] = Some((slots.inUse, 0))

  protected def nameOf(request: Request, path: ScriptPath): String = path.script

  protected def find(request: Request, segments: List[String]): Async[Either[HttpError, ScriptPath]] =
    system(finder.find(segments)).map { found =>
      if (found.left.exists(_.status eq Status.Forbidden))
        config.log.warn(s"${request.path}: what it leads to is not executable")
      found
    }

  protected def run(asked: Asked): Async[Conversation.Answer] = {
    val file      = asked.path.file
    val directory = file.substring(0, file.lastIndexOf('/')) // where section 7.2 has programs run
    start(Launch(file, Nil, environment ++ asked.variables, directory), asked.what, asked.loop)
      .flatMap { program =>
        asked.isBegun = true
        new Conversation(asked, program, config)(_ => linger(program, asked.loop)).begin()
      }
      .recoverWith {
        case e: LaunchFailed if e.reason == LaunchFailed.SystemFull => refuse(HostCounts.System)
      }
  }

  /**
   * Starts the program on a thread that may wait, with a place taken that is given back when its process is no more.
   * Who loses interest meanwhile leaves a process behind that is ended as soon as it is there.
   */
  private def start(launch: Launch, script: String, loop: EventLoop): Async[Program] = {
    val result = new Promise[Program]
    val errors = new ErrorLines(script, config.log)
    Launching.start(launch, system, loop) {
      case Right(started) =>
        try {
          val program = started.attach(loop, cgi.killGrace.toNanos, errors)
          program.onEnd { _ =>
            errors.end()
            slots.leave()
          }
          if (!result.succeed(program)) program.stop()
        } catch {
          case Survivable(e) => // the loop can watch no more
            started.kill()
            slots.leave()
            result.fail(e)
            ()
        }
      case Left(e) =>
        slots.leave()
        result.fail(failure(script, e))
        ()
    }
    result
  }

  /** Its answer is complete, or not wanted any more. It may go on for a while, in its place. */
  private def linger(program: Program, loop: EventLoop): Unit = if (!program.hasEnded) {
    val timer = loop.schedule(
      config.timeout.toNanos,
      () =>
        if (!program.hasEnded) {
          config.log.warn("a program did not end after its answer and was ended")
          program.stop()
        }
    )
    program.onEnd(_ => timer.cancel())
  }

  private def failure(script: String, e: Throwable): Throwable = e match {
    case e: LaunchFailed =>
      config.log.warn(s"$script: it could not be started: ${e.getMessage}")
      e.reason match {
        case LaunchFailed.Forbidden  => HttpError(Status.Forbidden, "not executable")
        case LaunchFailed.SystemFull => e
        case _                       => Conversation.badGateway
      }
    case e => e
  }
}
