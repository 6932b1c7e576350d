package needletail.http.http1

import needletail.http.http1.fields.FieldParser
import needletail.http.message.{HttpError, Status}
import needletail.http.text.Grammar

/**
 * Parses response heads, one after another, from bytes that arrive in pieces (RFC 9112 §4, §5). It is as strict as
 * [[HeadParser]]: a response that two recipients could read differently is refused.
 *
 * It continues where the bytes ended, reads nothing beyond the head, and allocates nothing for a typical response.
 * Used by one connection at a time. It never throws, for any bytes.
 */
private[needletail] final class ResponseParser(maxHead: Int, maxHeaders: Int) {
  import ResponseParser.*

  val head: ResponseHead = new ResponseHead

  /** The error, after `parse` has returned Bad: 431 if the head is too large, else 400. */
  var error: HttpError = null

  private val fieldParser = new FieldParser(maxHeaders)
  private var phase       = Idle
  private var pos         = 0 // in the status line: up to here it is known to be valid
  private var fieldsStart = 0

  /** Discards the current head; the next `parse` begins another. */
  def reset(): Unit = phase = Idle

  /**
   * Continues parsing the head whose first byte is `bytes(from)`; the bytes before `until` have arrived. They may be
   * in another place than in the last call, but must be the same and at least as many.
   *
   * Returns the length of the whole head in bytes, More, or Bad.
   *
   * @param toHead whether it is the response to a HEAD request, which has no content regardless of its fields
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
      failed(HttpError(Status.HeadersTooLarge, s"the response head is longer than $maxHead bytes"))
    else result
  }

  /** status-line = HTTP-version SP status-code SP [ reason-phrase ] CRLF */
  private def statusLine(bytes: Array[Byte], from: Int, end: Int): Int = {
    val count = Math.min(end - from, Version.length + 5)
    var i     = Math.min(pos, count)
    while (i < count) { // byte by byte, so that anything else is detected at once
      val byte = bytes(from + i)
      val good =
        if (i < Version.length) byte == Version.charAt(i)
        else if (i == Version.length) byte == '0' || byte == '1'
        else if (i == Version.length + 1) byte == ' '
        else Grammar.is(byte, Grammar.Digit)
      if (!good) return bad("a response must begin with HTTP/1.1 or HTTP/1.0 and a status code")
      i += 1
    }
    pos = Math.max(pos, count)
    if (end - from < LineStart + 2) return More
    head.minor = bytes(from + 7) - '0'
    head.code = (bytes(from + 9) - '0') * 100 + (bytes(from + 10) - '0') * 10 + (bytes(from + 11) - '0')
    // 600 to 999 are invalid, and are to be processed as if they were 5xx (RFC 9110 section 15)
    if (head.code < 100) return bad(s"${head.code} is not a status code")
    // Some servers leave out the space before an empty reason, which is unambiguous
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
  private final val LineStart = 12 // bytes of "HTTP/1.1 200"

  private final val Idle     = 0
  private final val InLine   = 1
  private final val InFields = 2
}
