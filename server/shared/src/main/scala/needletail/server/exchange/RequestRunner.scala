package needletail.server.exchange

import needletail.async.Survivable
import needletail.http.{Gate, Handler, Reply, Request, RequestView, Response}
import needletail.http.admission.RouteClass
import needletail.http.message.Status
import needletail.server.failure.HandlerFailures
import needletail.server.overload.{AdmissionController, LateGate, LateRequest}

/**
 * Runs requests on one loop, independent of their protocol: asks the admission control, calls the handler, turns
 * exceptions into responses, and counts and logs what was sent. It knows no connection, so all connections of the loop
 * with the same handler share one.
 */
private[needletail] final class RequestRunner(handler: Handler, val context: ServerLoopContext) {
  private[server] val admission: AdmissionController = context.admission

  /** The class of the handler's requests; null if it asks the admission control itself. It is always the same. */
  private val routeClass: RouteClass = handler.routeClass

  /**
   * Calls the handler, unless the request is refused or the server itself responds. There is always a reply, whatever
   * the handler throws; one that is available already is not a `Later`. This is the only place where a session calls a
   * handler.
   */
  def run(head: RequestView, request: Request): Reply = {
    admission.beginRequest()
    val reply = answer(head, request)
    admission.handlerReturned()
    reply
  }

  /** Reports to the admission control a request that was refused before it could run. */
  def runNothing(): Unit = {
    admission.beginRequest()
    admission.handlerReturned()
  }

  @inline private def answer(head: RequestView, request: Request): Reply =
    if (head.pathFrom == head.pathUntil) withoutPath(head)
    else
      try {
        // Routes ask the admission control once they are found. For any other handler it is asked here, unless the handler is known
        // to call routes.
        val refusal = if (routeClass == null) null else admission.enterHandler(routeClass)
        val reply   = if (refusal == null) handler(request) else refused(request, routeClass, refusal)
        if (reply == null) failed(request, new NullPointerException("a handler returned null"))
        else
          reply match {
            case later: Reply.Later =>
              val result = later.response.resultOrNull
              if (result == null) later
              else if (!result.isValue) failed(request, result.error)
              else if (result.value == null)
                failed(request, new NullPointerException("a handler returned null"))
              else result.value
            case response => response
          }
      } catch { case Survivable(e) => failed(request, e) }

  /** The response to CONNECT, or to OPTIONS for the server as a whole: no other request is without a path. */
  private def withoutPath(head: RequestView): Reply =
    if (head.method.isConnect) RequestRunner.noTunnel
    else {
      admission.answeredFor(RouteClass.options)
      RequestRunner.options
    }

  @noinline private def refused(request: Request, route: RouteClass, refusal: Response): Reply =
    if (refusal eq Gate.hold) {
      var hasBegun = false // then its wrappers have seen the response
      val run      = () => {
        hasBegun = true
        handler(request)
      }
      admission.later(route, run) match {
        case later: Reply.Later =>
          new Reply.Later(later.response.map { response =>
            if (hasBegun || !admission.isRefusal(response)) response
            else {
              request.shared.wasRefused = true
              dressed(request, response)
            }
          })
        case response => response
      }
    } else dressed(request, refusal)

  /** The response to a failure, which is counted and logged. `request` may be null. */
  def failed(request: Request, cause: Throwable): Response =
    try admission.failed(request, cause)
    catch {
      case Survivable(e) =>
        context.log.error("a failure could not be answered as it demands", e)
        RequestRunner.internal
    }

  /** A response instead of the handler's, passed through the wrappers of the handler. */
  def dressed(request: Request, response: Response): Response =
    try {
      val dressed = handler.dressed(request, request.dressed(response))
      if (dressed == null) failed(request, new NullPointerException("a wrapper returned null")) else dressed
    } catch { case Survivable(e) => failed(request, e) }

  /**
   * The response to the current request, with `Connection: close` if that is cheaper: a refusal is cheap only if
   * little has to be read after it.
   */
  def limited(response: Response, body: BodyReader): Response =
    if (body != null && admission.hasRefused && (body.length < 0 || body.leftKnown > RequestRunner.SmallBody))
      admission.lastRefusal(response)
    else response

  /**
   * Copies the head of the current request, whose reply comes later. Routes that it calls later ask on behalf of
   * `exchange`.
   */
  def detach(request: Request, exchange: LateRequest): Unit = {
    val hasRoute = admission.hasRoute && (exchange.route ne admission.noRoute) ||
      (routeClass == null && admission.isWaiting)
    request.detach(
      if (routeClass == null && admission.hasRefused) null else new LateGate(exchange, admission, hasRoute),
      exchange.route.route
    )
  }

  /** Counts and logs a complete reply. `request` may be null. */
  @inline def served(request: Request, response: Response, sent: Long, startedNanos: Long): Unit = {
    val context = this.context
    val counts  = context.counts
    counts.requests += 1
    if (response.status.isError) counts.errors += 1
    if (context.accessLog != null) log(request, response, sent, startedNanos)
    if (request != null) request.release()
  }

  /** Logs a reply that was partly sent and will not be completed. `request` may be null. */
  def cutOff(request: Request, response: Response, sent: Long, startedNanos: Long): Unit =
    if (context.accessLog != null && request != null) log(request, response, sent, startedNanos)

  @noinline private def log(request: Request, response: Response, sent: Long, startedNanos: Long): Unit =
    try context.accessLog.served(request, response.status.code, sent, context.nanos - startedNanos)
    catch {
      case Survivable(e) => context.log.error(s"the access log failed${HandlerFailures.name(request)}", e)
    }

  /** The `cancel` of the stream of a response to that request, which may be null, threw `cause`. */
  def cancelFailed(request: Request, cause: Throwable): Unit =
    context.log.error(s"cancelling a stream failed${HandlerFailures.name(request)}", cause)
}

private[needletail] object RequestRunner {

  /** Bytes of a refused request's content that are read and dropped to keep the connection. */
  final val SmallBody = 64 * 1024

  /** The response to a request whose handler has timed out. */
  private[server] val tooSlow = Response(Status.ServiceUnavailable).text("the request took too long")

  private val internal = Response(Status.InternalServerError).text("internal server error")
  private val noTunnel = Response(Status.NotImplemented).text("CONNECT is not implemented").close

  /** RFC 9110 §9.3.7: the capabilities of the server as a whole. */
  private val options = Response(Status.Ok).header("Allow", "GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS")
}
