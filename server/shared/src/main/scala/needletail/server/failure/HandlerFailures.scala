package needletail.server.failure

import needletail.async.{Rejected, Survivable, TimedOut, UpstreamFailure}
import needletail.http.{Around, Request, Response}
import needletail.http.message.{Answerable, HttpError, Status}
import needletail.io.loop.FailureLog
import needletail.server.clock.Clock
import needletail.server.operations.{Log, LoopCounts, RareWarning}

/**
 * Handles failures of handlers on one loop: chooses the response, counts the failure, and logs the details that the client is not
 * told. Used on the loop only.
 */
private[server] final class HandlerFailures(clock: Clock, counts: LoopCounts, log: Log) {
  private val upstream = new RareWarning(HandlerFailures.QuietNanos)

  /**
   * The response to a failure.
   *
   * @param request null if it is not known any more
   */
  def response(request: Request, cause: Throwable): Response = {
    cause match {
      case _: HttpError                                  => () // for the client, which gets its message
      case _: TimedOut | _: Rejected | _: ConnectionLost => ()
      case _                                             =>
        Around.errorOf(cause) match {
          case Some(error) => if (error.status.code >= 500) logBriefly(request, error.status, cause)
          case None        => logged(request, cause)
        }
    }
    Around.failure(cause)
  }

  private def logged(request: Request, cause: Throwable): Unit = {
    counts.failures += 1
    about(request)(() => log.error(s"a handler failed${HandlerFailures.name(request)}", cause))
  }

  /** Logs at most once a second: while a service is down, every request for it fails. */
  private def logBriefly(request: Request, status: Status, cause: Throwable): Unit =
    about(request) { () =>
      upstream.warn(log, clock.nanos)(
        s"responded ${status.code}${HandlerFailures.name(request)}: ${HandlerFailures.causes(cause)}"
      )
    }

  private def about(request: Request)(log: Runnable): Unit =
    if (request == null) log.run() else request.connection.logging(log)
}

private[server] object HandlerFailures {
  private final val QuietNanos = 1000L * 1000 * 1000

  /**
   * `: GET /orders/7 (route GET /orders/{id}, id 5f1e)`, without the query, which may contain secrets. The id is there if
   * the request has been given one that its client gets, too. Empty if the request is not known.
   */
  def name(request: Request): String =
    if (request == null) ""
    else
      try {
        val id    = if (request.shared.idField == null) None else Some(s"id ${request.shared.idOr("")}")
        val known = request.route.map(route => s"route $route") ++ id
        val more  = if (known.isEmpty) "" else known.mkString(" (", ", ", ")")
        s": ${request.method} ${RareWarning.shown(request.path)}$more"
      } catch { case Survivable(_) => "" } // its response is complete, so it can no longer be read

  /** An exception and its causes on one line; at most four, since a chain of causes can be a cycle. */
  def causes(cause: Throwable): String =
    RareWarning.inOneLine(
      Iterator
        .iterate(cause)(e => FailureLog.safely(e.getCause)(null))
        .takeWhile(_ != null)
        .take(4)
        .map {
          case e @ (_: Answerable | _: UpstreamFailure) => FailureLog.messageOf(e)
          case e                                        => FailureLog.described(e)
        }
        .mkString("; caused by ")
    )
}
