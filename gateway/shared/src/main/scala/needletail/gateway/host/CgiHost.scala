package needletail.gateway.host

import needletail.async.{Async, Blocking, BlockingConfig, Promise}
import needletail.http._
import needletail.io.EventLoop

/** Runs the programs of a directory, one process for each request (RFC 3875). */
private[host] final class CgiHost(mount: Mount, directory: String, cgi: CgiConfig)
    extends Hosting(mount, cgi.host) {
  private[host] val slots = new Slots(cgi.processes, cgi.queue, cgi.queueTime)

  // Looking for files and starting processes waits for disks; it is kept from taking the threads of others.
  private val system = new Blocking(BlockingConfig(threads = 8, queue = 8192, virtual = false))
  private val spool  = new Spool(config, system)
  private val finder = new ScriptFinder(mount, directory, mustExecute = true)

  protected def ask(request: Request): Async[Conversation.Answer] = {
    val loop = this.loop
    mount.below(request) match {
      case Left(error)              => Async.fail(error)
      case Right(_) if slots.isFull => refuse(Refusal.response) // before anything of the content is read
      case Right(segments)          =>
        system(finder.find(segments)).flatMap {
          case Left(error) =>
            if (error.status eq Status.Forbidden)
              config.log.warn(s"${request.path}: what it leads to is not executable")
            Async.fail(error)
          case Right(path) => spool(request.body).flatMap(content => enter(request, path, content, loop))
        }
    }
  }

  private def enter(
      request: Request,
      path: ScriptPath,
      content: Content,
      loop: EventLoop
  ): Async[Conversation.Answer] = {
    val variables = CgiVariables.of(request, path, content.length, config)
    val launch    = Launch(
      path.file,
      Nil,
      cgi.environment.toSeq.map { case (name, value) =>
        OctetText.of(name) -> OctetText.of(value)
      } ++ variables,
      path.file.substring(0, path.file.lastIndexOf('/')) // where section 7.2 has programs run
    )
    val isHead = request.method eq Method.HEAD
    val limit  = request.timeLimit
    var begun  = false
    slots
      .enter()
      .flatMap {
        case false => refuse(Refusal.response)
        case true  =>
          start(launch, path.script, loop).flatMap { program =>
            begun = true // from here on the conversation closes the content
            new Conversation(path.script, program, content, isHead, limit, config)(_ =>
              linger(program, loop)
            ).begin()
          }
      }
      .recoverWith { case e: LaunchFailed if e.reason == LaunchFailed.SystemFull => refuse(Refusal.response) }
      .andFinally(if (!begun) content.close())
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
          case scala.util.control.NonFatal(e) => // the loop can watch no more
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
