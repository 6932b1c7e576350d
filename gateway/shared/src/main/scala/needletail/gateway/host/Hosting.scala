package needletail.gateway.host

import needletail.async.{Async, Loop}
import needletail.http._
import needletail.io.EventLoop
import needletail.routing.Routes
import needletail.{routing => dsl}

/** What the routes of programs have in common: where they are mounted, refusals, local redirects. */
private[host] abstract class Hosting(protected val mount: Mount, protected val config: HostConfig) {

  /** What the program answers, or a refusal in its place. */
  protected def ask(request: Request): Async[Conversation.Answer]

  final val routes: Routes = {
    if (mount.segments.isEmpty) (dsl.ANY / dsl.* + dsl.request).to(answer(_))
    else {
      val base = dsl.ANY / mount.name.drop(1)
      Routes((base + dsl.request).to(answer(_)), (base / dsl.* + dsl.request).to(answer(_)))
    }
  }

  private[host] final def answer(request: Request): Async[Response] = ask(request).flatMap {
    case Conversation.Final(response) => Async.value(response)
    case Conversation.Redirect(path)  => redirect(request, path)
  }

  protected final def refuse(response: Response): Async[Conversation.Answer] =
    Async.value(Conversation.Final(response))

  protected final def loop: EventLoop = Loop.current match {
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
private[host] final class Redirected(connection: ConnectionInfo, val count: Int) extends ConnectionInfo {
  def remoteAddress: String                         = connection.remoteAddress
  def localAddress: String                          = connection.localAddress
  def isSecure: Boolean                             = connection.isSecure
  def attachment[A](key: Attachment[A]): A          = connection.attachment(key)
  def attach[A](key: Attachment[A], value: A): Unit = connection.attach(key, value)
}
