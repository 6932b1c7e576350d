package needletail.http

import needletail.async.{Async, Loop}
import needletail.http.admission.{HasTimeLimit, RouteClass, TimeLimit}
import needletail.http.http1.{HeadLimits, HeadParser}
import needletail.http.message.{Cookie, Headers, HttpError, MediaType, Method, Parameters, PercentCoding}
import needletail.http.text.{ByteWriter, Latin1}

/**
 * A request: a view of the received bytes, decoded on demand.
 *
 * It may be read until its response is complete, on its connection's event loop. Later, or on another thread, every
 * method throws IllegalStateException; it never shows the bytes of another request. `keep` makes a copy without these
 * limits.
 */
final class Request private[needletail] (
    private var view: RequestView,
    private var generation: Int,
    val body: MessageBody,
    received: ConnectionInfo
) extends HasTimeLimit {

  /** Fields that most requests do not use; one reference, as there are many requests. */
  private var extras: RequestExtras = null

  /** The connection; behind reverse proxies that are trusted (`routes.behind`) with the client's address, not theirs. */
  def connection: ConnectionInfo =
    if (extras == null || shared.client == null) received else shared.client

  private[needletail] def more: RequestExtras = {
    if (extras == null) {
      extras = new RequestExtras
      if (view eq Request.released) extras.end()
    }
    extras
  }

  /** Whether a limit has refused it after it had waited. */
  private[needletail] def wasRefused: Boolean = extras != null && shared.wasRefused

  /** State shared by the request and all requests derived from it. */
  private[needletail] def shared: RequestExtras = {
    val own = more
    if (own.first == null) own else own.first.more
  }

  /**
   * When the head of the response must be there. After that the server sends a 503 instead and cancels the handler's
   * `Async`. Content that arrives for a handler which reads it begins the time anew, and after a read that was
   * given up or has failed it is later by as much as that one has waited. No limit for a request that was not
   * received by a server; in a test, that of the route.
   */
  def timeLimit: TimeLimit =
    if (dueNanos >= Request.LimitedByRoute) TimeLimit.none else TimeLimit.at(dueNanos)

  /** The deadline in nanoseconds on the loop's clock, set by the server that calls the handler; of the first request. */
  private[needletail] def dueNanos: Long =
    if (extras == null || extras.first == null) due else extras.first.dueNanos
  private[needletail] def dueNanos_=(nanos: Long): Unit = due = nanos

  /**
   * The route that has matched has a time limit of its own: `nanos` from now on. Not if nobody limits the request, or one
   * has matched before that has a limit.
   */
  private[needletail] def limitTo(nanos: Long): Unit =
    if (extras != null && extras.first != null) extras.first.limitTo(nanos)
    else if (due != Long.MaxValue && ownLimit == 0) {
      more.ownLimit = nanos
      due = Loop.nanoTime() + nanos
    }

  /** The time limit of its route, in nanoseconds; 0 for that of the server. */
  private[needletail] def ownLimit: Long = if (extras == null) 0 else shared.ownLimit

  private var due: Long = Long.MaxValue

  /** The gate to ask before anything is run for this request; null if nothing limits it. */
  private[needletail] def gate: Gate =
    if (extras != null && extras.origin != null) extras.origin.gate
    else {
      val h = view
      if (h.generation == generation) h.gate else null
    }

  /** Where failures are reported, also after the request has been admitted. */
  private[needletail] def reporter: Gate =
    if (extras == null) gate
    else if (extras.reporter != null) extras.reporter
    else if (extras.origin != null) extras.origin.reporter
    else gate

  /** Applies the handler's wrappers to a response that the server sends in its place. */
  private[needletail] def dressed(response: Response): Response =
    if (extras == null || extras.dress == null) response else extras.dress(response)

  /** Sets what `dressed` applies, also for the requests that this one was made from: after it what they had before. */
  private[needletail] def dressBy(dress: Response => Response): Unit = {
    more.dress = dress
    if (extras.origin != null) {
      val outer = extras.origin.more.dress
      extras.origin.dressBy(if (outer == null) dress else response => outer(dress(response)))
    }
  }

  /** Sets the route; for requests with bytes of their own. */
  private[needletail] def becomes(route: RouteClass): Unit = view.route = route

  /** The route; null if it is not known yet. */
  private[needletail] def routeClass: RouteClass = view.route

  /** The `routeClass` of the request that this one was made from at first, or of this one; null until it was detached. */
  private[needletail] def lateRoute: RouteClass = origin.routeClass

  /** Whether the server has dropped it, or its response is complete. */
  private[needletail] def isOver: Boolean = origin.view eq Request.released

  private def origin: Request = if (extras == null || extras.first == null) this else extras.first

  /**
   * The route of the request as in metrics, `GET /orders/{id}`; None before a route is found, and if there is none.
   * For access logs and filters.
   */
  def route: Option[String] =
    if (extras != null && extras.origin != null) extras.origin.route
    else {
      val h = head
      if (h.route != null) h.route.label else if (h.gate != null) h.gate.current.label else None
    }

  /** The head, for parsers of it. Throws IllegalStateException if the response is complete. */
  private[needletail] def head: RequestView = {
    val h = view
    if (h.generation != generation)
      throw new IllegalStateException(
        "this request's response is complete; use request.keep for a copy that lasts"
      )
    if (h.owner != null && (h.owner ne Thread.currentThread)) offLoop()
    h
  }

  private def offLoop(): Nothing = throw new IllegalStateException(
    "a request is read on its connection's loop only; copy what you need before, or use request.keep for another thread"
  )

  /** The method as sent. */
  def method: Method = head.method

  /** The request target as sent (RFC 9112 §3.2). */
  def target: String = { val h = head; h.text(h.targetFrom, h.targetUntil) }

  /**
   * The path, normalised: dot segments removed, unreserved characters decoded, everything else still
   * percent-encoded, so that an encoded slash does not divide segments. `*` for OPTIONS *.
   */
  def path: String = {
    val h = head
    if (h.pathUntil > h.pathFrom) Latin1.decode(h.pathBytes, h.pathStart, h.pathEnd)
    else if (h.method eq Method.CONNECT) target
    else "*"
  }

  /**
   * The decoded segments of the path: none for "/", an empty last one for a slash at the end. An encoded slash is part
   * of its segment. Throws HttpError 400 if an escape is not UTF-8.
   */
  def segments: List[String] = {
    val text = path
    if (text.length <= 1 || text.charAt(0) != '/') Nil
    else text.substring(1).split(
      "/",
      -1
    ).toList.map(PercentCoding.decode(_).fold(error => throw error, identity))
  }

  /** The query as sent, without the question mark. */
  def query: Option[String] = {
    val h = head
    if (h.queryFrom < 0) None else Some(h.text(h.queryFrom, h.queryUntil))
  }

  /** The parameters of the query; empty if there is none. Throws HttpError 400 if it is malformed. */
  def queryParams: Parameters = {
    if (more.parsedQuery == null)
      more.parsedQuery =
        query.fold(Parameters.empty)(Parameters.parse(_).fold(error => throw error, identity))
    more.parsedQuery
  }

  /** The host and port of the request: from an absolute target, else from Host; empty if the client sent neither. */
  def authority: String = {
    val h = head
    if (h.authorityFrom < 0) "" else h.text(h.authorityFrom, h.authorityUntil)
  }

  /** The minor version: 1 for HTTP/1.1, 0 for HTTP/1.0. */
  def minorVersion: Int = head.minor

  /** The first value of a header; names are case-insensitive. */
  def header(name: String): Option[String] = {
    val h = head
    val i = h.indexOf(name, 0)
    if (i < 0) None else Some(h.value(i))
  }

  /** All header fields, in order. */
  def headers: Headers = head.toHeaders

  /** For those that the request is passed on to: Host is `authority`, whatever the client sent (RFC 9112 §3.2.2). */
  private[needletail] def headersToPassOn: Headers = {
    val all  = headers
    val host = authority
    if (host.isEmpty || all.get("Host").contains(host)) all else all.set("Host", host)
  }

  /** Content-Type as sent; [[MediaType]] parses it. */
  def contentType: Option[String] = header("content-type")

  /** Names and values of the request's cookies, in order; malformed ones are left out. */
  def cookies: List[(String, String)] = headers.getAll("cookie").flatMap(Cookie.parse)

  /** The first cookie with that name. */
  def cookie(name: String): Option[String] = cookies.collectFirst { case (`name`, value) => value }

  /**
   * The whole body as text, in the charset of Content-Type, else in UTF-8. Fails as `body.bytes` does, and with HttpError
   * 415 if the body has a Content-Encoding.
   */
  def text: Async[String] = {
    val coded   = codingRefusal
    val charset = MediaType.charset(contentType)
    if (coded != null) Async.fail(coded) else body.bytes.map(MediaType.decode(_, charset))
  }

  /**
   * Why the body is not read by who does not decode it: a 415 that says so in Accept-Encoding (RFC 9110 §12.5.3); null if
   * it has no Content-Encoding.
   */
  private[needletail] def codingRefusal: HttpError =
    if (header("content-encoding").isEmpty) null else ContentCoding.refusal(headers)

  /** The whole body as a form. Fails as `text` does, and with HttpError 400 if it is malformed. */
  def form: Async[Parameters] =
    text.flatMap(content =>
      Parameters.parse(content).fold(error => Async.fail(error), pairs => Async.value(pairs))
    )

  /**
   * A copy that stays readable after the response, on any thread. The two share one body, which can be read once,
   * before the response is complete and on the connection's event loop: for another thread, read it first.
   */
  def keep: Request = {
    val h   = head
    val own = h.copied
    if (h.route == null && h.gate != null) own.route = h.gate.current
    val kept = derived(new Request(own, own.generation, body, connection))
    kept
  }

  /** The same request with that header added, of the same version; see `Request.apply` for what it throws. */
  def withHeader(name: String, value: String): Request = made(headers.add(name, value), body)

  /** The same request with another body; Content-Length and Transfer-Encoding are set accordingly. */
  def withBody(content: MessageBody): Request =
    made(headers.remove("Content-Length").remove("Transfer-Encoding"), content)

  private[needletail] def withoutHeader(name: String): Request = made(headers.remove(name), body)

  private def made(fields: Headers, content: MessageBody): Request =
    limitedAsThis(Request.built(method, target, fields, content, connection, minorVersion, isReceived = true))

  private def derived(request: Request): Request = {
    val own = more
    request.more.first = if (own.first == null) this else own.first
    request
  }

  private def limitedAsThis(request: Request): Request = {
    request.more.origin = this
    derived(request)
  }

  /**
   * The same request as if a server had received it with that content: `gate` is asked, and it has a time limit once a
   * route with one has matched, which the caller has to keep.
   */
  private[needletail] def asReceived(gate: Gate, content: MessageBody): Request = {
    val own = head.copied
    own.gate = gate
    own.route = null
    val request = new Request(own, own.generation, content, connection)
    request.dueNanos = Request.LimitedByRoute
    request
  }

  /** The same request over another connection. */
  private[needletail] def over(connection: ConnectionInfo): Request = {
    val own = head.copied
    new Request(own, own.generation, body, connection)
  }

  /** Copies this request's bytes, before the buffer is reused; `gate` is asked from now on. */
  private[needletail] def detach(gate: Gate, route: RouteClass): Unit = {
    val h   = head
    val own = h.copied
    own.gate = gate
    own.route = route
    own.owner = h.owner
    view = own
    generation = own.generation
  }

  /** Ends this request's access to the received bytes, which are about to be reused. Copies are not affected. */
  private[needletail] def release(): Unit = {
    view = Request.released
    generation = -1
    if (extras != null) extras.end()
  }

  /**
   * Runs `task`, which must not throw, on the loop when this request is over: its response is complete, or it has been
   * dropped. At once if it is over already. Not at all for a request that no server received.
   */
  private[needletail] def onOver(task: Runnable): Unit =
    shared.onOver(task)

  override def toString: String =
    if (view.generation != generation) "Request(complete)" else s"$method $target"
}

object Request {
  private[needletail] val released: RequestView = new RequestView

  /** In place of a deadline: none, until a route matches that has one. */
  private[needletail] final val LimitedByRoute = Long.MaxValue - 1

  // For tests, and for calling handlers without a connection

  /** A GET request without headers. Throws as `apply` does; so do the following methods. */
  def get(target: String): Request = apply(Method.GET, target)

  /** A HEAD request without headers. */
  def head(target: String): Request = apply(Method.HEAD, target)

  /** A DELETE request without headers. */
  def delete(target: String): Request = apply(Method.DELETE, target)

  /** An OPTIONS request without headers. */
  def options(target: String): Request = apply(Method.OPTIONS, target)

  /** A POST request without headers. */
  def post(target: String, body: MessageBody): Request = apply(Method.POST, target, Headers.empty, body)

  /** A POST request with a text in UTF-8. */
  def post(target: String, text: String): Request = post(target, MessageBody.of(text))

  /** A PUT request without headers. */
  def put(target: String, body: MessageBody): Request = apply(Method.PUT, target, Headers.empty, body)

  /** A PUT request with a text in UTF-8. */
  def put(target: String, text: String): Request = put(target, MessageBody.of(text))

  /** A PATCH request without headers. */
  def patch(target: String, body: MessageBody): Request = apply(Method.PATCH, target, Headers.empty, body)

  /** A PATCH request with a text in UTF-8. */
  def patch(target: String, text: String): Request = patch(target, MessageBody.of(text))

  /**
   * Makes a request as if received over a connection: written as HTTP/1.1 and parsed again. Without a Host header its
   * host is localhost. Content-Length is set unless a header announces the length.
   *
   * Throws IllegalArgumentException for what the parser would reject.
   */
  def apply(
      method: Method,
      target: String,
      headers: Headers = Headers.empty,
      body: MessageBody = MessageBody.empty
  ): Request =
    built(method, target, headers, body, ConnectionInfo.none(), minor = 1)

  /** With `isReceived` the target is of a request that was parsed before, maybe with other limits and over TLS. */
  private def built(
      method: Method,
      target: String,
      headers: Headers,
      body: MessageBody,
      connection: ConnectionInfo,
      minor: Int,
      isReceived: Boolean = false
  ): Request = {
    if (!target.forall(c => c > ' ' && c < 127)) // white space would end the target
      throw new IllegalArgumentException("a request target must be percent-encoded")
    val w = new ByteWriter(256)
    // content of unknown length, such as what has been decompressed, has no framing in HTTP/1.0
    val version = if (body.length < 0) 1 else minor
    w.writeLatin1(s"${method.name} $target HTTP/1.$version\r\n")
    // a client of HTTP/1.0 may have named no host: then none is invented (RFC 9110 §7.2)
    if (!headers.contains("Host") && !(isReceived && version == 0))
      w.writeLatin1(if (isReceived) "Host:\r\n" else "Host: localhost\r\n")
    if (!headers.contains("Content-Length") && !headers.contains("Transfer-Encoding"))
      if (body.length > 0) w.writeLatin1(s"Content-Length: ${body.length}\r\n")
      else if (body.length < 0) w.writeLatin1("Transfer-Encoding: chunked\r\n")
    headers.toList.foreach { case (name, value) => w.writeLatin1(s"$name: $value\r\n") }
    w.writeCrLf()
    val limits =
      HeadLimits(w.length, w.length, headers.size + 2, relaxedTarget = isReceived, maxMethod = w.length)
    val view   = new RequestView
    val parser = new HeadParser(limits, view)
    parser.secure = isReceived
    if (parser.parse(w.bytes, 0, w.length) != w.length)
      throw new IllegalArgumentException(
        if (parser.error != null) parser.error.message else s"not a request target: '$target'"
      )
    new Request(view, view.generation, body, connection)
  }
}
