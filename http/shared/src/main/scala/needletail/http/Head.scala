package needletail.http

import java.nio.charset.StandardCharsets.ISO_8859_1

/**
 * A parsed request head: offsets into the bytes that came in. Mutable and reused from request to request by
 * whoever parses; a [[Request]] is a view of it that knows, by `generation`, when it has been reused.
 *
 * All offsets count from `base`, so that the bytes may move to another array as long as `bytes` and `base`
 * move with them. `null` and arrays: this is on the way of every request.
 */
private[needletail] final class Head {
  var bytes: Array[Byte] = Head.noBytes
  var base: Int          = 0

  /** Grows each time this object comes to describe another request, or none. */
  var generation: Int = 0

  var method: Method = Method.GET

  /** The request target as sent (RFC 9112 §3.2). */
  var targetFrom: Int  = 0
  var targetUntil: Int = 0

  /** The 1 of HTTP/1.1. */
  var minor: Int = 1

  /**
   * The path, normalised (RFC 3986 §6.2.2): no dot segments, unreserved octets decoded, all else still
   * percent-encoded. It lies in `path`, which is `bytes` (offsets then count from `base`) unless it had to be
   * rewritten; empty for asterisk-form and authority-form.
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

  /** Four for each field line: name from, name until, value from, value until. */
  var fields: Array[Int] = new Array[Int](4 * 16)
  var fieldCount: Int    = 0

  /** What Framing and the connection rules found in the fields. */
  var contentLength: Long     = -1
  var chunked: Boolean        = false
  var keepAlive: Boolean      = true
  var expectContinue: Boolean = false

  /** Octets of the whole head, with its final empty line. */
  var length: Int = 0

  def pathBytes: Array[Byte] = if (rewrittenPath != null) rewrittenPath else bytes
  def pathStart: Int         = if (rewrittenPath != null) pathFrom else base + pathFrom
  def pathEnd: Int           = if (rewrittenPath != null) pathUntil else base + pathUntil

  /** Text of the octets between two offsets, as Latin-1: what every octet means is kept. */
  def text(from: Int, until: Int): String = new String(bytes, base + from, until - from, ISO_8859_1)

  def name(field: Int): String  = text(fields(4 * field), fields(4 * field + 1))
  def value(field: Int): String = text(fields(4 * field + 2), fields(4 * field + 3))

  /** Index of the first field of that name at or after `start`, or -1. */
  def indexOf(name: String, start: Int): Int = {
    var i = start
    while (i < fieldCount) {
      if (nameIs(i, name)) return i
      i += 1
    }
    -1
  }

  private def nameIs(field: Int, name: String): Boolean = {
    val from   = base + fields(4 * field)
    val length = fields(4 * field + 1) - fields(4 * field)
    if (length != name.length) return false
    var i = 0
    while (i < length) {
      if (Head.lower(bytes(from + i) & 0xff) != Head.lower(name.charAt(i).toInt)) return false
      i += 1
    }
    true
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
    c.contentLength = contentLength
    c.chunked = chunked
    c.keepAlive = keepAlive
    c.expectContinue = expectContinue
    c.length = length
    c
  }
}

private[needletail] object Head {
  val noBytes = new Array[Byte](0)

  def lower(c: Int): Int = if (c >= 'A' && c <= 'Z') c | 0x20 else c
}
