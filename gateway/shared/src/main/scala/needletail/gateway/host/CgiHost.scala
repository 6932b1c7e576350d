package needletail.gateway.host

import needletail.async.{Async, AsyncPromise, Semaphore, Survivable}
import needletail.gateway.host.backend.{ByteText, MountCounts, StandardErrorLog}
import needletail.gateway.host.process.{Launch, LaunchFailed, Program, ProgramStarter}
import needletail.gateway.host.incoming.{Mount, ProgramRequest, ScriptFinder, ScriptPath}
import needletail.http.Request
import needletail.http.message.{HttpError, Status}
import needletail.io.EventLoop

/** Runs the programs of a directory, one process for each request (RFC 3875). */
private[host] final class CgiHost(mount: Mount, directory: String, cgi: CgiConfig)
    extends ProgramRoutes(mount, cgi.host, "cgi", new Semaphore(cgi.processes, cgi.queue, cgi.queueTime)) {
  private val finder      = new ScriptFinder(mount, directory, mustExecute = true)
  private val environment =
    cgi.environment.toSeq.map { case (name, value) => ByteText.of(name) -> ByteText.of(value) }

  /** A place is taken from before a process is started until it is reaped. */
  protected def processes: Option[(Int, Int)] = Some((slots.inUse, 0))

  protected def nameOf(request: Request, path: ScriptPath): String = path.script

  protected def find(request: Request, segments: List[String]): Async[Either[HttpError, ScriptPath]] =
    system(finder.find(segments)).map { found =>
      if (found.left.exists(_.status eq Status.Forbidden))
        config.log.warn(s"${request.path}: its file is not executable")
      found
    }

  protected def run(conversation: Conversation, since: Long): Async[Conversation.Answer] = {
    val request   = conversation.request
    val file      = request.path.file
    val directory = file.substring(0, file.lastIndexOf('/')) // the working directory, section 7.2
    start(Launch(file, Nil, environmentOf(request), directory), request.what, request.loop)
      .flatMap(program => conversation.begin(program)(_ => linger(program, request.loop)))
      .recoverWith {
        case e: LaunchFailed if e.reason == LaunchFailed.SystemFull => refuse(MountCounts.System)
      }
  }

  /** Each name once: of two, some programs would see the first, and others the last. The request's own come first. */
  private def environmentOf(request: ProgramRequest): Seq[(String, String)] =
    if (environment.isEmpty) request.variables
    else {
      val names = request.variables.map(_._1).toSet
      environment.filterNot(pair => names(pair._1)) ++ request.variables
    }

  /**
   * Starts the program on a thread that may block, with a place taken that is returned when its process has ended. If
   * the request is cancelled meanwhile, the process is ended as soon as it exists.
   */
  private def start(launch: Launch, script: String, loop: EventLoop): Async[Program] = {
    val result = new AsyncPromise[Program]
    val errors = new StandardErrorLog(script, config.log)
    ProgramStarter.start(launch, system, loop) {
      case Right(started) =>
        try {
          val program = started.attach(loop, cgi.killGrace.toNanos, errors)
          program.onEnd { _ =>
            try errors.end()
            finally slots.leave()
          }
          if (!result.succeed(program)) program.stop()
        } catch {
          case Survivable(e) => // the loop can watch no more
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

  /** Its response is complete, or no longer needed. It may continue for a while, and keeps its place. */
  private def linger(program: Program, loop: EventLoop): Unit = if (!program.hasEnded) {
    val timer = loop.schedule(
      config.timeout.toNanos,
      () =>
        if (!program.hasEnded) {
          config.log.warn("a program kept running after its response and was terminated")
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
