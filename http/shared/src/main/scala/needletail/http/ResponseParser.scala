package needletail.http

/**
 * Reads response heads, one after another, out of octets that come as they come (RFC 9112 §4, §5), as strictly
 * as [[HeadParser]] reads those of requests: a response that two readers could take apart differently is refused.
 *
 * It goes on where the octets ended, reads nothing beyond the head, and allocates nothing for a usual response.
 * Used by one connection at a time; whatever the octets are, it never throws.
 */
private[needletail] final class ResponseParser(maxHead: Int, maxHeaders: Int) {
  import ResponseParser.*

  val head: ResponseHead = new ResponseHead

  /** What is wrong, after `parse` has answered Bad: 431 where the head is too large, else 400. */
  var error: HttpError = null

  private val fieldParser = new FieldParser(maxHeaders)
  private var phase       = Idle
  private var pos         = 0 // in the status line: up to here it is known to be in order
  private var fieldsStart = 0

  /** Forgets what has come so far; the next `parse` begins on another head. */
  def reset(): Unit = phase = Idle

  /**
   * Reads on in a head whose first octet is `bytes(from)`; the octets until `until` have come. They may lie
   * elsewhere than at the last call, but must be the same and at least as many.
   *
   * Answers the number of octets of the whole head, More, or Bad.
   *
   * @param toHead is it the answer to a HEAD request, which has no content whatever it says?
   */
  def parse(bytes: Array[Byte], from: Int, until: Int, toHead: Boolean): Int = {
    if (phase == Idle) {
      head.clear()
      fieldParser.reset()
      if (error != null) error = null
      phase = InLine
      pos = 0
    }
    if (head.bytes ne bytes) head.bytes = bytes
    head.base = from
    val overlong = until - from >= maxHead
    val end      = if (overlong) from + maxHead else until
    var result   = if (phase == InLine) statusLine(bytes, from, end) else fieldsStart
    if (result > 0) {
      phase = InFields
      fieldsStart = result
      result = fieldParser.parse(head, result, end - from)
      if (result > 0) result = finish(result, toHead)
      else if (result == Bad) error = fieldParser.error
    }
    if (result == More && overlong)
      failed(HttpError(Status.HeadersTooLarge, s"the response head is longer than $maxHead octets"))
    else result
  }

  /** status-line = HTTP-version SP status-code SP [ reason-phrase ] CRLF */
  private def statusLine(bytes: Array[Byte], from: Int, end: Int): Int = {
    val count = Math.min(end - from, Version.length + 5)
    var i     = Math.min(pos, count)
    while (i < count) { // octet by octet, so that what is no response at all is known at once
      val octet = bytes(from + i)
      val good  =
        if (i < Version.length) octet == Version.charAt(i)
        else if (i == Version.length) octet == '0' || octet == '1'
        else if (i == Version.length + 1) octet == ' '
        else Grammar.is(octet, Grammar.Digit)
      if (!good) return bad("a response must begin with HTTP/1.1 or HTTP/1.0 and a status code")
      i += 1
    }
    pos = Math.max(pos, count)
    if (end - from < LineStart + 2) return More
    head.minor = bytes(from + 7) - '0'
    head.code = (bytes(from + 9) - '0') * 100 + (bytes(from + 10) - '0') * 10 + (bytes(from + 11) - '0')
    if (head.code < 100 || head.code > 599) return bad(s"${head.code} is not a status code")
    // The space before an empty reason is left out by some; nobody can take that for anything else
    val space = bytes(from + LineStart)
    if (space != ' ' && space != '\r') return bad("a status code must have three digits and a space")
    var p = from + Math.max(pos, LineStart)
    while (p < end && Grammar.is(bytes(p), Grammar.Value)) p += 1
    pos = p - from
    if (p + 1 >= end) {
      if (p == end || bytes(p) == '\r') More else bad("a status line must end in CRLF")
    } else if (bytes(p) != '\r' || bytes(p + 1) != '\n') bad("a status line must end in CRLF")
    else p + 2 - from
  }

  private def finish(length: Int, toHead: Boolean): Int = {
    head.length = length
    val problem = Framing.decide(head, toHead)
    if (problem != null) failed(problem)
    else {
      ConnectionRules.persistence(head)
      if (head.untilClose) head.keepAlive = false
      phase = Idle
      length
    }
  }

  private def bad(message: String): Int       = failed(HttpError(Status.BadRequest, message))
  private def failed(problem: HttpError): Int = {
    error = problem
    Bad
  }
}

private[needletail] object ResponseParser {
  final val More = 0
  final val Bad  = -1

  private final val Version   = "HTTP/1."
  private final val LineStart = 12 // octets of "HTTP/1.1 200"

  private final val Idle     = 0
  private final val InLine   = 1
  private final val InFields = 2
}
