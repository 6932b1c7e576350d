package needletail.http

import needletail.async.Async

/**
 * A request: a view of the bytes that came in, decoded when asked.
 *
 * It is good until its answer is complete, on its connection's loop. Asked for anything after that, or on another
 * thread, it throws IllegalStateException (it never shows another request's bytes); `keep` makes a copy that lasts, and
 * that any thread may read.
 */
final class Request private[needletail] (
    private var view: Head,
    private var generation: Int,
    val body: Body,
    val connection: ConnectionInfo
) {

  /** What most requests do without; one reference, as there are many requests. */
  private var extras: RequestExtras = null

  private[needletail] def more: RequestExtras = {
    if (extras == null) extras = new RequestExtras
    extras
  }

  /**
   * When the answer must be there; its time-out then answers in its place and what was begun for it is cancelled.
   * None for a request that no server has received.
   */
  def timeLimit: TimeLimit = if (dueNanos == Long.MaxValue) TimeLimit.none else TimeLimit.at(dueNanos)

  /** On the loop's clock; set by the server that calls the handler. */
  private[needletail] var dueNanos: Long = Long.MaxValue

  /** The limiter that is to be asked before anything is run for this request; null where nobody limits. */
  private[needletail] def gate: Gate =
    if (extras != null && extras.origin != null) extras.origin.gate
    else {
      val h = view
      if (h.generation == generation) h.gate else null
    }

  /** Whom to tell of failures, also when there is nothing more to ask. */
  private[needletail] def reporter: Gate =
    if (extras != null && extras.reporter != null) extras.reporter else gate

  /** Given by the server in the handler's place: with what is around the handler. */
  private[needletail] def dressed(response: Response): Response =
    if (extras == null || extras.dress == null) response else extras.dress(response)

  /** What it is known as from here on; for requests with bytes of their own. */
  private[needletail] def becomes(route: RouteClass): Unit = view.route = route

  /** That route; null where none is known yet. */
  private[needletail] def routeClass: RouteClass = view.route

  /**
   * The route that the request was found to be for, as metrics name it: `GET /orders/{id}`. None until one was found
   * and where none was; for access logs, and for what stands around routes.
   */
  def route: Option[String] =
    if (extras != null && extras.origin != null) extras.origin.route
    else {
      val h = head
      if (h.route != null) h.route.label else if (h.gate != null) h.gate.current.label else None
    }

  /** The head, for parsers of it; throws IllegalStateException when the answer is complete. */
  private[needletail] def head: Head = {
    val h = view
    if (h.generation != generation)
      throw new IllegalStateException(
        "this request's answer is complete; use request.keep for what must last"
      )
    if (h.owner != null && (h.owner ne Thread.currentThread)) offLoop()
    h
  }

  private def offLoop(): Nothing = throw new IllegalStateException(
    "a request is read on its connection's loop only; take what you need of it before, or use request.keep for another thread"
  )

  def method: Method = head.method

  /** The request target as it was sent. */
  def target: String = { val h = head; h.text(h.targetFrom, h.targetUntil) }

  /**
   * The path, normalised: dot segments removed, unreserved characters decoded, everything else still
   * percent-encoded, so that an encoded slash is no slash. `*` for OPTIONS *.
   */
  def path: String = {
    val h = head
    if (h.pathUntil > h.pathFrom) Latin1.decode(h.pathBytes, h.pathStart, h.pathEnd)
    else if (h.method eq Method.CONNECT) target
    else "*"
  }

  /**
   * The segments of the path, decoded: none for "/", an empty last one for a slash at the end. An encoded slash is
   * part of its segment. Throws HttpError 400 where an escape is not UTF-8.
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

  /** The query taken apart and decoded. Throws HttpError 400 where it is malformed. */
  def queryParams: QueryString = {
    if (more.parsedQuery == null)
      more.parsedQuery =
        query.fold(QueryString.empty)(QueryString.parse(_).fold(error => throw error, identity))
    more.parsedQuery
  }

  /** Host and port the client asked for: of an absolute target, else of Host; empty when it named none. */
  def authority: String = {
    val h = head
    if (h.authorityFrom < 0) "" else h.text(h.authorityFrom, h.authorityUntil)
  }

  /** The minor version: 1 for HTTP/1.1, 0 for HTTP/1.0. */
  def minorVersion: Int = head.minor

  /** The first value of that header, names compared without case. */
  def header(name: String): Option[String] = {
    val h = head
    val i = h.indexOf(name, 0)
    if (i < 0) None else Some(h.value(i))
  }

  /** All fields, copied out of the bytes. */
  def headers: Headers = head.toHeaders

  /** Content-Type as it was sent; see [[MediaType]] for what it says. */
  def contentType: Option[String] = header("content-type")

  /** Names and values of the cookies that came, in order; malformed ones are left out. */
  def cookies: List[(String, String)] = headers.getAll("cookie").flatMap(Cookie.parse)

  /** The first cookie of that name. */
  def cookie(name: String): Option[String] = cookies.collectFirst { case (`name`, value) => value }

  /** The whole body as text; its Content-Type's charset, else UTF-8. Fails as `body.bytes` does. */
  def text: Async[String] = {
    val charset = MediaType.charset(contentType)
    body.bytes.map(MediaType.decode(_, charset))
  }

  /** The whole body as the pairs of a form. Fails as `body.bytes` does, and with HttpError 400 where it is malformed. */
  def form: Async[QueryString] =
    text.flatMap(content =>
      QueryString.parse(content).fold(error => Async.fail(error), pairs => Async.value(pairs))
    )

  /** A copy with bytes of its own that stays readable after the answer. Its body is the same, read once. */
  def keep: Request = {
    val h   = head
    val own = h.copied
    if (h.route == null && h.gate != null) own.route = h.gate.current
    derived(new Request(own, own.generation, body, connection))
  }

  /** The same request with that header added; see `Request.apply` for what it throws. */
  def withHeader(name: String, value: String): Request =
    limitedAsThis(Request.built(method, target, headers.add(name, value), body, connection))

  /** The same request with that content. */
  def withBody(content: Body): Request =
    limitedAsThis(
      Request.built(
        method,
        target,
        headers.remove("Content-Length").remove("Transfer-Encoding"),
        content,
        connection
      )
    )

  private def derived(request: Request): Request = {
    request.dueNanos = dueNanos
    request
  }

  private def limitedAsThis(request: Request): Request = {
    request.more.origin = this
    derived(request)
  }

  /** Gives this request bytes of its own, before the ones it came in are reused; `gate` is asked from here on. */
  private[needletail] def detach(gate: Gate, route: RouteClass): Unit = {
    val h   = head
    val own = h.copied
    own.gate = gate
    own.route = route
    own.owner = h.owner
    view = own
    generation = own.generation
  }

  /** From here on this request's bytes are gone; a kept copy is not touched. */
  private[needletail] def release(): Unit = {
    view = Request.released
    generation = -1
  }

  override def toString: String =
    if (view.generation != generation) "Request(complete)" else s"$method $target"
}

/** What is known of some requests only. */
private[needletail] final class RequestExtras {
  var parsedQuery: QueryString = null

  /** The request that this one was made of, whose limiter is its too. */
  var origin: Request = null

  var reporter: Gate              = null
  var dress: Response => Response = null
}

object Request {
  private[needletail] val released: Head = new Head

  // For tests and for those who call handlers without a connection

  def get(target: String): Request                 = apply(Method.GET, target)
  def head(target: String): Request                = apply(Method.HEAD, target)
  def delete(target: String): Request              = apply(Method.DELETE, target)
  def options(target: String): Request             = apply(Method.OPTIONS, target)
  def post(target: String, body: Body): Request    = apply(Method.POST, target, Headers.empty, body)
  def post(target: String, text: String): Request  = post(target, Body.of(text))
  def put(target: String, body: Body): Request     = apply(Method.PUT, target, Headers.empty, body)
  def put(target: String, text: String): Request   = put(target, Body.of(text))
  def patch(target: String, body: Body): Request   = apply(Method.PATCH, target, Headers.empty, body)
  def patch(target: String, text: String): Request = patch(target, Body.of(text))

  /**
   * A request as if it had come over a connection: written as HTTP/1.1 and read again by the same parser. Host,
   * where it is missing, is localhost; the body's length is announced unless a header does so.
   *
   * Throws IllegalArgumentException for what the parser would refuse.
   */
  def apply(
      method: Method,
      target: String,
      headers: Headers = Headers.empty,
      body: Body = Body.empty
  ): Request =
    built(method, target, headers, body, ConnectionInfo.none())

  private def built(
      method: Method,
      target: String,
      headers: Headers,
      body: Body,
      connection: ConnectionInfo
  ): Request = {
    if (!target.forall(_ < 128))
      throw new IllegalArgumentException("a request target must be percent-encoded")
    val w = new ByteWriter(256)
    w.writeLatin1(s"${method.name} $target HTTP/1.1\r\n")
    if (!headers.contains("Host")) w.writeLatin1("Host: localhost\r\n")
    if (!headers.contains("Content-Length") && !headers.contains("Transfer-Encoding"))
      if (body.length > 0) w.writeLatin1(s"Content-Length: ${body.length}\r\n")
      else if (body.length < 0) w.writeLatin1("Transfer-Encoding: chunked\r\n")
    headers.toList.foreach { case (name, value) => w.writeLatin1(s"$name: $value\r\n") }
    w.writeCrLf()
    val parser =
      new HeadParser(HeadLimits(maxTarget = w.length, maxHead = w.length, maxHeaders = headers.size + 2))
    if (parser.parse(w.bytes, 0, w.length) != w.length)
      throw new IllegalArgumentException(
        if (parser.error != null) parser.error.message else s"not a request target: '$target'"
      )
    new Request(parser.head, parser.head.generation, body, connection)
  }
}
