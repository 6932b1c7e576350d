package needletail.server

import needletail.async.Survivable
import needletail.http._

/**
 * What one loop does with a handler that has failed: says which response takes its place, counts it, and tells the log
 * of what a client cannot be told.
 */
private[server] final class HandlerFailures(clock: Clock, counts: LoopCounts, log: Log) {
  private var quietUntil: Long = Long.MinValue
  private var unsaid: Int      = 0

  /** @param request null where none is known any more */
  def response(request: Request, cause: Throwable): Response = {
    cause match {
      case _: HttpError  => () // it says all there is to say to the client
      case e: Answerable =>
        Around.errorOf(e) match {
          case Some(error) => if (error.status.code >= 500) sayBriefly(request, error.status, cause)
          case None        => logged(request, cause)
        }
      case _: needletail.async.TimedOut | _: needletail.async.Rejected | _: ConnectionLost => ()
      case _ => logged(request, cause)
    }
    Around.failure(cause)
  }

  private def logged(request: Request, cause: Throwable): Unit = {
    counts.failures += 1
    log.error(s"a handler failed${HandlerFailures.name(request)}", cause)
  }

  /** Once a second at most: where a service is gone, each request for it would say so. */
  private def sayBriefly(request: Request, status: Status, cause: Throwable): Unit = {
    val now = clock.nanos
    if (quietUntil != Long.MinValue && now - quietUntil < 0) unsaid += 1
    else {
      quietUntil = now + HandlerFailures.QuietNanos
      val more = if (unsaid == 0) "" else s" (and $unsaid more like it since this was last said)"
      unsaid = 0
      log.warn(
        s"answered ${status.code}${HandlerFailures.name(request)}: ${HandlerFailures.causes(cause)}$more"
      )
    }
  }
}

private[server] object HandlerFailures {
  private final val QuietNanos = 1000L * 1000 * 1000

  /** Characters of a path that a line of the log has at most. */
  private final val MaxPath = 200

  /** `: GET /orders/7 (route GET /orders/{id})`, without the query, which may hold secrets; empty where it is unknown. */
  def name(request: Request): String =
    if (request == null) ""
    else
      try {
        val path  = request.path
        val shown = if (path.length <= MaxPath) path else path.take(MaxPath) + "…"
        val route = request.route.fold("")(route => s" (route $route)")
        s": ${request.method} ${shown.map(c => if (c < ' ' || c >= 127 && c < 160) '?' else c)}$route"
      } catch { case Survivable(_) => "" } // its answer is complete

  /** What happened and why, on one line; bounded, as an exception can be its own cause by a detour. */
  def causes(cause: Throwable): String =
    Iterator
      .iterate(cause)(_.getCause)
      .takeWhile(_ != null)
      .take(4)
      .map(e => if (e.isInstanceOf[Answerable]) String.valueOf(e.getMessage) else e.toString)
      .mkString("; caused by ")
      .replace('\n', ' ')
}
