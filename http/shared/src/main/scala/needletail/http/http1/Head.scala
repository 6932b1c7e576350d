package needletail.http.http1

import needletail.http.message.Method

/**
 * A parsed request head: offsets into the received bytes. Mutable, and reused by its parser for one request after
 * another. A [[Request]] is a view of it, and detects the reuse by `generation`.
 */
private[needletail] class Head(lines: Int = 16) extends MessageHead(lines) {

  /** Incremented each time this object is reused or cleared. */
  var generation: Int = 0

  var method: Method = Method.GET

  /** The request target as sent (RFC 9112 §3.2). */
  var targetFrom: Int  = 0
  var targetUntil: Int = 0

  /**
   * The normalised path (RFC 3986 §6.2.2): no dot segments, unreserved bytes decoded, everything else still
   * percent-encoded. It lies in `bytes`, with offsets from `base`, unless it had to be rewritten. Empty for
   * asterisk-form and authority-form.
   */
  var rewrittenPath: Array[Byte] = null
  var pathFrom: Int              = 0
  var pathUntil: Int             = 0

  /** Whether the normalised path contains a percent sign. */
  var pathEscaped: Boolean = false

  /** The query as sent, without "?"; `queryFrom` is -1 if there is none. */
  var queryFrom: Int  = -1
  var queryUntil: Int = -1

  /**
   * The authority: of an absolute-form target, else of Host (RFC 9112 §3.3); `authorityFrom` is -1 if there is none.
   */
  var authorityFrom: Int  = -1
  var authorityUntil: Int = -1

  /** Whether the client waits for 100 (Continue), as found by [[ConnectionRules]]. */
  var expectContinue: Boolean = false

  final def pathBytes: Array[Byte] = if (rewrittenPath != null) rewrittenPath else bytes
  final def pathStart: Int         = if (rewrittenPath != null) pathFrom else base + pathFrom
  final def pathEnd: Int           = if (rewrittenPath != null) pathUntil else base + pathUntil

  /** Removes all data of the previous request. */
  final def clear(): Unit = {
    generation += 1
    // References are written only if they change, as each write of one costs a garbage collector's barrier
    // GET and POST stay, as the reply to a head whose method cannot be read is the same for both
    if (!method.isGet && !method.isPost) method = Method.GET
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

  /** Makes `c` a copy with bytes of its own, which are never reused. */
  protected final def copyTo(c: Head): Unit = {
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
  }
}
