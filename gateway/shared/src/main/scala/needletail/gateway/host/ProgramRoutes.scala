package needletail.gateway.host

import scala.util.{Failure, Success}

import needletail.async.{Async, Blocking, BlockingConfig, Loop, Semaphore}
import needletail.gateway.host.backend.MountCounts
import needletail.gateway.host.incoming.{
  Mount,
  ProgramRequest,
  RedirectedConnection,
  ScriptPath,
  SizedContent
}
import needletail.http.{MessageBody, Refusal, Reply, Request, Response}
import needletail.http.message.{HttpError, Method, Status}
import needletail.io.EventLoop
import needletail.routing.Routes
import needletail.server.operations.Log
import needletail.{routing => dsl}

/** What the routes of all programs have in common: the mount, the limit of requests, refusals, local redirects. */
private[host] abstract class ProgramRoutes(
    protected val mount: Mount,
    settings: ProgramHostConfig,
    kind: String,
    private[host] val slots: Semaphore
) {

  /** Its log throws nothing: it may be called between two steps that belong together. */
  protected final val config: ProgramHostConfig = settings.copy(log = Log.guarded(settings.log))

  private[host] val counts =
    new MountCounts(if (mount.name.isEmpty) "/" else mount.name, kind, slots, () => processes)
  config.metrics.foreach(_.add(counts))

  // Finding files and starting processes waits for disks, so it has threads of its own.
  protected val system: Blocking = new Blocking(BlockingConfig(threads = 8, queue = 8192, virtual = false))
  private[host] val spool        = new BodySpool(config, system)

  /** The script for these segments below the mount. */
  protected def find(request: Request, segments: List[String]): Async[Either[HttpError, ScriptPath]]

  /** The name of a request in the log. */
  protected def nameOf(request: Request, path: ScriptPath): String

  /**
   * Begins the conversation and returns its response, or a refusal. It is called with a place of `slots` taken, which
   * it has to return.
   *
   * @param since when it began to wait for that place
   */
  protected def run(conversation: Conversation, since: Long): Async[Conversation.Answer]

  /** How many processes of this server run, and how many restarts there were; None if it starts none. */
  protected def processes: Option[(Int, Int)]

  final val routes: Routes = {
    if (mount.segments.isEmpty) (dsl.ANY / dsl.* + dsl.request).to(answer(_))
    else {
      val base = dsl.ANY / mount.name.drop(1)
      Routes((base + dsl.request).to(answer(_)).yielding, (base / dsl.* + dsl.request).to(answer(_)))
    }
  }

  private[host] final def answer(request: Request): Async[Response] = ask(request).transform {
    case Success(Conversation.Final(response)) => Async.value(response)
    case Success(Conversation.Redirect(path))  => redirect(request, path)
    case Failure(e)                            =>
      counts.failed(e)
      Async.fail(e)
  }

  private def ask(request: Request): Async[Conversation.Answer] = {
    val loop = this.loop
    mount.below(request) match {
      case Left(error)              => Async.fail(error)
      case Right(_) if slots.isFull => refuse(MountCounts.QueueFull) // before any of the content is read
      case Right(segments)          =>
        find(request, segments).flatMap {
          case Left(error) => Async.fail(error)
          case Right(path) =>
            spool(request.body).transform {
              case Success(content)        => enter(request, path, content, loop)
              case Failure(BodySpool.Full) => refuse(MountCounts.SpoolFull)
              case Failure(e)              => Async.fail(e)
            }
        }
    }
  }

  private def enter(
      request: Request,
      path: ScriptPath,
      content: SizedContent,
      loop: EventLoop
  ): Async[Conversation.Answer] = {
    val conversation =
      try {
        val variables = CgiVariables.of(request, path, content.length, config)
        new Conversation(
          new ProgramRequest(request, path, content, variables, nameOf(request, path), loop),
          config
        )
      } catch {
        case e: Throwable => // no conversation owns the content
          content.close()
          throw e
      }
    val since = Loop.nanoTime()
    slots
      .enter()
      .flatMap {
        case Semaphore.Entered =>
          counts.begun()
          run(conversation, since)
        case Semaphore.Full => refuse(MountCounts.QueueFull)
        case _              => refuse(MountCounts.QueueTime)
      }
      .andFinally(conversation.abandon())
  }

  /** 503, for one of the reasons of [[MountCounts]]. */
  protected final def refuse(reason: Int): Async[Conversation.Answer] = {
    counts.refused(reason)
    val why = reason match {
      case MountCounts.QueueFull => Refusal.Bulkhead
      case MountCounts.QueueTime => Refusal.QueueTime
      case _                     => Refusal.Rejected
    }
    Async.value(Conversation.Final(Refusal.response(why)))
  }

  private def loop: EventLoop = Loop.current match {
    case loop: EventLoop => loop
    case _ => throw new UnsupportedOperationException("programs can only be run on the loops of a server")
  }

  /** RFC 3875 section 6.2.2: as if the client had requested that path. */
  private def redirect(request: Request, target: String): Async[Response] = {
    val before = request.connection match {
      case redirected: RedirectedConnection => redirected.count
      case _                                => 0
    }
    if (before >= config.maxRedirects) {
      config.log.warn(
        s"${mount.name}: more than ${config.maxRedirects} local redirects, the last one to $target"
      )
      Async.fail(Conversation.badGateway)
    } else
      again(request, target, before + 1) match {
        case None =>
          config.log.warn(s"${mount.name}: the target of a local redirect is not a path")
          Async.fail(Conversation.badGateway)
        case Some(next) =>
          config.redirects match {
            case Some(handler)               => now(handler()(next))
            case None if mount.isAbove(next) => answer(next)
            case None                        => Async.value(Response(Status.Found).header("Location", target))
          }
      }
  }

  private def again(request: Request, target: String, count: Int): Option[Request] =
    try {
      val headers = List("Content-Length", "Content-Type", "Content-Encoding", "Transfer-Encoding", "Expect")
        .foldLeft(request.headersToPassOn)((headers, name) => headers.remove(name))
      val method = if (request.method eq Method.HEAD) Method.HEAD else Method.GET
      val made   = Request(method, target, headers)
      val next   =
        new Request(
          made.head,
          made.head.generation,
          MessageBody.empty,
          new RedirectedConnection(request.connection, count)
        )
      next.dueNanos = request.dueNanos
      Some(next)
    } catch { case _: IllegalArgumentException => None }

  private def now(reply: Reply): Async[Response] = reply match {
    case response: Response => Async.value(response)
    case later: Reply.Later => later.response
  }
}
