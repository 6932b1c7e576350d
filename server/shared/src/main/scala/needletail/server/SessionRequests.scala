package needletail.server

import needletail.async.{Async, Survivable}
import needletail.http._

/**
 * The middle of a [[ServerSession]]: what becomes of a request whose head is there, from its limits over its handler
 * to the reply, which is sent at once or given a place in the queue.
 */
private[needletail] abstract class SessionRequests(wire: Wire, handler: Handler, context: LoopContext)
    extends SessionReplies(wire, context) {

  /** The body of the last request whose head was read, while it has not been read to its end. */
  protected var body: SessionBody = null

  /** The last body there was, perhaps read to its end. */
  protected var latest: SessionBody = null

  /** What reads the body of a request that has one. */
  protected def bodyOf(head: Head): SessionBody

  /** When what is asked for in this turn must be answered. */
  protected var dueNanos: Long = 0

  /** No head is read any more. */
  protected def giveUpParser(): Unit

  protected def serve(head: Head): Unit = {
    if (!head.keepAlive) over = true
    if (head.contentLength > config.maxBody) refuseLarge(head)
    else {
      val hasBody = head.chunked || head.contentLength > 0
      if (hasBody) {
        body = bodyOf(head)
        latest = body
      }
      val own     = body
      val started = admission.now
      val request = new Request(head, head.generation, if (hasBody) own else context.noBody, wire.info)
      request.dueNanos = dueNanos
      call(head, request) match {
        case response: Response if first == null =>
          if (response.source == null)
            sendNow(
              request,
              own,
              if (own == null) response else limited(response, own),
              response.content,
              head.method eq Method.HEAD,
              head.minor,
              head.keepAlive,
              started
            )
          else serveStream(head, request, own, response, started)
        case reply => serveLater(head, request, own, reply, started)
      }
    }
  }

  /** Short streams have often all there is to them already, as where a body that came with its head is sent back. */
  @noinline private def serveStream(
      head: Head,
      request: Request,
      own: SessionBody,
      response: Response,
      started: Long
  ): Unit = {
    val length = response.sourceLength
    if (
      length <= 0 || length > SessionReplies.CopyLimit || (head.method eq Method.HEAD) ||
      !response.status.allowsBody
    ) serveLater(head, request, own, response, started)
    else {
      val source  = response.source
      val next    = pulled(source)
      val piece   = next.resultOrNull
      val content =
        if (piece != null && piece.isValue && piece.value != null && piece.value.isDefined) piece.value.get
        else null
      if (content == null || content.length != length || (own != null && !own.isDone))
        serveLater(head, request, own, response.stream(new PulledStream(next, null, source), length), started)
      else {
        val after = pulled(source)
        val end   = after.resultOrNull
        if (end != null && end.isValue && end.value != null && end.value.isEmpty)
          sendNow(request, own, response, content, isHead = false, head.minor, head.keepAlive, started)
        else
          serveLater(
            head,
            request,
            own,
            response.stream(new PulledStream(next, after, source), length),
            started
          )
      }
    }
  }

  private def pulled(source: ByteStream): Async[Option[Array[Byte]]] =
    try source.next()
    catch { case Survivable(e) => Async.fail(e) }

  @noinline private def refuseLarge(head: Head): Unit =
    refuse(
      HttpError(Status.ContentTooLarge, s"the body is larger than ${config.maxBody} bytes"),
      head.method eq Method.HEAD
    )

  /** The reply cannot be sent now: it comes later, is streamed, or another one is before it. */
  @noinline private def serveLater(
      head: Head,
      request: Request,
      own: SessionBody,
      reply: Reply,
      started: Long
  ): Unit = {
    val x = new Exchange(
      this,
      request,
      own,
      head.method eq Method.HEAD,
      head.minor,
      head.method.isSafe,
      head.keepAlive,
      started,
      wire.nowNanos + context.handlerNanos,
      admission.route
    )
    request.detach(
      if (handler.routeClass == null || admission.hasRoute) null else new LateGate(x, admission),
      x.route.route
    )
    enqueue(x)
    reply match {
      case response: Response =>
        x.response = if (own == null) response else limited(response, own)
        x.begin(isMeasured = false)
      case later: Reply.Later =>
        // how long it takes says something of the server only if it does not wait for the client's body
        x.begin(isMeasured = !admission.isWaiting && (own == null || own.isDone))
        x.listen(later.response)
    }
  }

  /** A refusal is cheap only if little has to be read after it: else it is the connection's last reply. */
  private def limited(response: Response, own: SessionBody): Response =
    if (admission.hasRefused && (own.length < 0 || own.leftKnown > SessionRequests.SmallBody))
      admission.lastRefusal(response)
    else response

  /** The one place where a handler is called and where what it throws is caught. */
  private def call(head: Head, request: Request): Reply = {
    admission.beginRequest()
    val reply = answer(head, request)
    admission.handlerReturned()
    reply
  }

  @inline private def answer(head: Head, request: Request): Reply =
    if (head.method eq Method.CONNECT) SessionRequests.noTunnel
    else if (head.pathFrom == head.pathUntil && (head.method eq Method.OPTIONS)) SessionRequests.options
    else
      try {
        val reply = ask(request)
        if (reply == null) failed(request, new NullPointerException("a handler answered null"))
        else
          reply match {
            case later: Reply.Later =>
              val result = later.response.resultOrNull
              if (result == null) later
              else if (!result.isValue) failed(request, result.error)
              else if (result.value == null)
                failed(request, new NullPointerException("a handler answered null"))
              else result.value
            case response => response
          }
      } catch { case Survivable(e) => failed(request, e) }

  /**
   * Routes ask whether they may when they have found the one; for another handler it is asked here, unless it is known
   * to call routes.
   */
  @inline private def ask(request: Request): Reply = {
    val route   = handler.routeClass
    val refusal = if (route == null) null else admission.enterHandler(route)
    if (refusal == null) handler(request) else refused(request, route, refusal)
  }

  @noinline private def refused(request: Request, route: RouteClass, refusal: Response): Reply =
    if (refusal eq Gate.hold)
      admission.later(route, () => handler(request)) match {
        case later: Reply.Later =>
          new Reply.Later(later.response.map { response =>
            if (admission.isRefusal(response)) dressed(request, response) else response
          })
        case response => response
      }
    else dressed(request, refusal)

  protected def handlerDressed(request: Request, response: Response): Response =
    handler.dressed(request, response)

  /** Answers what is no request we can serve; nothing after it is read. */
  def refuse(error: HttpError, isHead: Boolean = false): Unit = refuseWith(error.response, isHead)

  protected def refuseWith(response: Response, isHead: Boolean): Unit = {
    over = true
    giveUpParser()
    body = null
    admission.beginRequest()
    admission.handlerReturned()
    val x = new Exchange(
      this,
      null,
      null,
      isHead,
      1,
      isSafe = true,
      keepAlive = false,
      admission.now,
      Long.MaxValue,
      admission.route
    )
    x.response = response
    x.begin(isMeasured = false)
    enqueue(x)
    onceMore = true
  }
}

private[server] object SessionRequests {

  /** What is read and dropped of a refused request's body to keep the connection, in octets. */
  final val SmallBody = 64 * 1024

  private val noTunnel = Response(Status.NotImplemented).text("CONNECT is not implemented").close

  /** RFC 9110 §9.3.7: what the server as a whole can do. */
  private val options = Response(Status.Ok).header("Allow", "GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS")
}
