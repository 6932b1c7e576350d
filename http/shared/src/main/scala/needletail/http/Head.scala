package needletail.http

/**
 * A parsed request head: offsets into the bytes that came in. Mutable and reused from request to request by
 * whoever parses; a [[Request]] is a view of it that knows, by `generation`, when it has been reused.
 */
private[needletail] final class Head extends MessageHead {

  /** Grows each time this object comes to describe another request, or none. */
  var generation: Int = 0

  /** Asked by routers before a route runs; null where nobody limits, as on the head of a copy. */
  var gate: Gate = null

  /** Whose it is, who alone may read it, as what comes next is written over it; null for a copy that anybody may read. */
  var owner: Thread = null

  /** What limits and counts the request, on the head of a copy: the gate knows that of the loop's present request. */
  var route: RouteClass = null

  var method: Method = Method.GET

  /** The request target as sent (RFC 9112 §3.2). */
  var targetFrom: Int  = 0
  var targetUntil: Int = 0

  /**
   * The path, normalised (RFC 3986 §6.2.2): no dot segments, unreserved octets decoded, all else still
   * percent-encoded. It lies in `bytes` (offsets then count from `base`) unless it had to be rewritten;
   * empty for asterisk-form and authority-form.
   */
  var rewrittenPath: Array[Byte] = null
  var pathFrom: Int              = 0
  var pathUntil: Int             = 0

  /** Does the normalised path still hold a percent sign? */
  var pathEscaped: Boolean = false

  /** The query as sent, without "?"; from is -1 when there is none. */
  var queryFrom: Int  = -1
  var queryUntil: Int = -1

  /** The authority: of an absolute-form target, else of Host (RFC 9112 §3.3); from is -1 when there is none. */
  var authorityFrom: Int  = -1
  var authorityUntil: Int = -1

  /** What [[ConnectionRules]] found: does the client wait for a 100? */
  var expectContinue: Boolean = false

  def pathBytes: Array[Byte] = if (rewrittenPath != null) rewrittenPath else bytes
  def pathStart: Int         = if (rewrittenPath != null) pathFrom else base + pathFrom
  def pathEnd: Int           = if (rewrittenPath != null) pathUntil else base + pathUntil

  /** Begins on another request: nothing of the last one is left. */
  def clear(): Unit = {
    generation += 1
    // References are written where they change only: each write of one costs the collector a mark
    if (method ne Method.GET) method = Method.GET
    if (rewrittenPath != null) rewrittenPath = null
    targetFrom = 0
    targetUntil = 0
    minor = 1
    pathFrom = 0
    pathUntil = 0
    pathEscaped = false
    queryFrom = -1
    queryUntil = -1
    authorityFrom = -1
    authorityUntil = -1
    contentLength = 0
    chunked = false
    keepAlive = true
    expectContinue = false
    length = 0
    clearFields()
  }

  /** A copy with bytes of its own, which nothing reuses. */
  def copied: Head = {
    val c = new Head
    c.bytes = java.util.Arrays.copyOfRange(bytes, base, base + length)
    c.method = method
    c.targetFrom = targetFrom
    c.targetUntil = targetUntil
    c.minor = minor
    c.rewrittenPath = rewrittenPath
    c.pathFrom = pathFrom
    c.pathUntil = pathUntil
    c.pathEscaped = pathEscaped
    c.queryFrom = queryFrom
    c.queryUntil = queryUntil
    c.authorityFrom = authorityFrom
    c.authorityUntil = authorityUntil
    c.fields = java.util.Arrays.copyOf(fields, 4 * fieldCount)
    c.fieldCount = fieldCount
    c.seen = seen
    c.repeated = repeated
    System.arraycopy(first, 0, c.first, 0, first.length)
    c.contentLength = contentLength
    c.chunked = chunked
    c.keepAlive = keepAlive
    c.expectContinue = expectContinue
    c.length = length
    c.route = route
    c
  }
}
