package needletail.gateway.host

import scala.util.{Failure, Success}

import needletail.async.{Async, Blocking, BlockingConfig, Loop}
import needletail.gateway.Wrapped
import needletail.http._
import needletail.io.EventLoop
import needletail.routing.Routes
import needletail.{routing => dsl}

/**
 * One request on its way to a program.
 *
 * @param what is asked, for the log
 */
private[host] final class Asked(
    val request: Request,
    val path: ScriptPath,
    val content: Content,
    val variables: Seq[(String, String)],
    val what: String,
    val loop: EventLoop
) {
  val isHead: Boolean  = request.method eq Method.HEAD
  val limit: TimeLimit = request.timeLimit

  /** A [[Conversation]] has begun, which closes the content; until then it is for who has the request to close. */
  var isBegun: Boolean = false
}

/** What the routes of programs have in common: where they are mounted, their bound, refusals, local redirects. */
private[host] abstract class Hosting(
    protected val mount: Mount,
    protected val config: HostConfig,
    kind: String,
    private[host] val slots: Slots
) {
  private[host] val counts = new HostCounts(mount, kind, slots, () => processes)
  config.metrics.foreach(_.add(counts))

  // Looking for files and starting processes waits for disks; it is kept from taking the threads of others.
  protected val system: Blocking = new Blocking(BlockingConfig(threads = 8, queue = 8192, virtual = false))
  private val spool              = new Spool(config, system)

  /** What those segments below the mount mean. */
  protected def find(request: Request, segments: List[String]): Async[Either[HttpError, ScriptPath]]

  /** For the log. */
  protected def nameOf(request: Request, path: ScriptPath): String

  /** What the program answers, or a refusal in its place. With a place taken, which is then its to give back. */
  protected def run(asked: Asked): Async[Conversation.Answer]

  /** Processes of ours, and how often one was started anew; None where there are none. */
  protected def processes: Option[(Int, Int)]

  final val routes: Routes = {
    if (mount.segments.isEmpty) (dsl.ANY / dsl.* + dsl.request).to(answer(_))
    else {
      val base = dsl.ANY / mount.name.drop(1)
      Routes((base + dsl.request).to(answer(_)), (base / dsl.* + dsl.request).to(answer(_)))
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
      case Right(_) if slots.isFull => refuse(HostCounts.QueueFull) // before anything of the content is read
      case Right(segments)          =>
        find(request, segments).flatMap {
          case Left(error) => Async.fail(error)
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
    val asked     = new Asked(request, path, content, variables, nameOf(request, path), loop)
    slots
      .enter()
      .flatMap {
        case Slots.Entered =>
          counts.begun()
          run(asked)
        case Slots.Full => refuse(HostCounts.QueueFull)
        case _          => refuse(HostCounts.QueueTime)
      }
      .andFinally(if (!asked.isBegun) content.close())
  }

  /** 503, for one of the reasons of [[HostCounts]]. */
  protected final def refuse(reason: Int): Async[Conversation.Answer] = {
    counts.refused(reason)
    val why = reason match {
      case HostCounts.QueueFull => Refusal.Bulkhead
      case HostCounts.QueueTime => Refusal.QueueTime
      case _                    => Refusal.Rejected
    }
    Async.value(Conversation.Final(Refusal.response(why)))
  }

  private def loop: EventLoop = Loop.current match {
    case loop: EventLoop => loop
    case _ => throw new UnsupportedOperationException("programs are run on the loops of a server only")
  }

  /** RFC 3875 section 6.2.2: as if the client had asked for that path. */
  private def redirect(request: Request, target: String): Async[Response] = {
    val before = request.connection match {
      case redirected: Redirected => redirected.count
      case _                      => 0
    }
    if (before >= config.maxRedirects) {
      config.log.warn(
        s"${mount.name}: more than ${config.maxRedirects} local redirects, the last one to $target"
      )
      Async.fail(Conversation.badGateway)
    } else
      again(request, target, before + 1) match {
        case None =>
          config.log.warn(s"${mount.name}: a local redirect to what is no path")
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
        .foldLeft(request.headers)((headers, name) => headers.remove(name))
      val method = if (request.method eq Method.HEAD) Method.HEAD else Method.GET
      val made   = Request(method, target, headers)
      val next   =
        new Request(made.head, made.head.generation, Body.empty, new Redirected(request.connection, count))
      next.dueNanos = request.dueNanos
      Some(next)
    } catch { case _: IllegalArgumentException => None }

  private def now(reply: Reply): Async[Response] = reply match {
    case response: Response => Async.value(response)
    case later: Reply.Later => later.response
  }
}

/** A connection as a request sees it that has been redirected so many times without its client's knowing. */
private[host] final class Redirected(connection: ConnectionInfo, val count: Int)
    extends ConnectionInfo
    with Wrapped {
  def wrapped: ConnectionInfo                       = connection
  def remoteAddress: String                         = connection.remoteAddress
  def localAddress: String                          = connection.localAddress
  def isSecure: Boolean                             = connection.isSecure
  override def draining: Async[Unit]                = connection.draining
  def attachment[A](key: Attachment[A]): A          = connection.attachment(key)
  def attach[A](key: Attachment[A], value: A): Unit = connection.attach(key, value)
}
