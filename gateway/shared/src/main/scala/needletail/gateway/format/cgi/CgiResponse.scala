package needletail.gateway.format.cgi

import needletail.http.{Response, ResponseEncoder}
import needletail.http.message.Headers
import needletail.http.text.{Ascii, ByteWriter, Grammar, Latin1}

/** The head of a CGI response (RFC 3875 §6): what programs write before their content, in CGI, FastCGI and SCGI. */
private[needletail] object CgiResponse {

  /**
   * Writes `response`'s head, up to and including the empty line. Status always comes first, as a server that has to
   * guess assumes 200. A header with that name is left out, as it would be a second status. Date and Server are left
   * to the web server.
   */
  def write(w: ByteWriter, response: Response): Unit = {
    w.write(statusName)
    w.writeDecimal(response.status.code.toLong)
    if (response.status.reason.nonEmpty) {
      w.writeByte(' ')
      w.writeLatin1(response.status.reason)
    }
    w.writeCrLf()
    ResponseEncoder.ownFields(
      w,
      if (response.headers.contains("Status")) withoutStatus(response) else response
    )
    w.writeCrLf()
  }

  private def withoutStatus(response: Response): Response = {
    val bare = Response(response.status).withHeaders(response.headers.remove("Status"))
    if (response.content != null) bare.bytes(response.content)
    else if (response.sourceLength >= 0) bare.stream(response.source, response.sourceLength)
    else bare.stream(response.source)
  }

  private val statusName = "Status: ".getBytes(java.nio.charset.StandardCharsets.ISO_8859_1)
}

/**
 * Parses the head of a CGI response (RFC 3875 §6.2, §6.3). Lines end in LF or CRLF, as programs write both. If the
 * head is incomplete, the next call is to pass the same bytes, followed by more; it takes time only for those.
 *
 * @param maxHead bytes of the head; beyond, and for a line that is not a field, it is Bad
 */
private[needletail] final class CgiResponseParser(maxHead: Int = 32 * 1024, maxFields: Int = 100) {
  import CgiResponseParser.*

  /** The status: of Status, 302 if there is only Location, otherwise 200. */
  var status: Int = 200

  /** Whether the program sent Status. */
  var hasStatus: Boolean = false

  /**
   * All fields except Status. Names are tokens and values have no control characters, so that they can be forwarded.
   */
  var headers: Headers = Headers.empty

  /**
   * The path of a local redirect (RFC 3875 §6.2.2): Location alone, with a path instead of a URI. Null if it is not
   * one.
   */
  var localRedirect: String = null

  /** The error, after Bad. */
  var error: String = null

  // Of an incomplete head: bytes of its complete lines, bytes in which there is no further line feed, and its fields.
  private var complete = 0
  private var searched = 0
  private val fields   = new java.util.ArrayList[String]

  /** Returns the length of the head with its empty line in bytes, More, or Bad. */
  def parse(bytes: Array[Byte], from: Int, until: Int): Int = {
    if (searched == 0) begin()
    val result = continue(bytes, from, until)
    if (result != More) searched = 0
    result
  }

  private def begin(): Unit = {
    status = 200
    hasStatus = false
    headers = Headers.empty
    localRedirect = null
    error = null
    complete = 0
    fields.clear()
  }

  private def continue(bytes: Array[Byte], from: Int, until: Int): Int = {
    val stop = if (until - from > maxHead) from + maxHead else until
    var p    = from + complete
    while (p < stop) {
      val lf = lineFeed(bytes, math.max(p, from + searched), stop)
      searched = lf - from
      if (lf == stop) return short(stop < until)
      val end = if (lf > p && bytes(lf - 1) == '\r') lf - 1 else lf
      if (end == p)
        return if (fields.isEmpty && !hasStatus) bad("the response has no header line")
        else {
          finish()
          lf + 1 - from
        }
      if (!line(bytes, p, end)) return Bad
      if (fields.size > 2 * maxFields) return bad(s"more than $maxFields header lines")
      p = lf + 1
      complete = p - from
      searched = complete
    }
    short(stop < until)
  }

  private def short(overlong: Boolean): Int =
    if (overlong) bad(s"the response's head is longer than $maxHead bytes") else More

  private def line(bytes: Array[Byte], from: Int, until: Int): Boolean = {
    var colon = from
    while (colon < until && Grammar.is(bytes(colon), Grammar.Token)) colon += 1
    if (colon == until || bytes(colon) != ':' || colon == from) {
      error = "a header line of the response has no name and colon"
      false
    } else {
      var start = colon + 1
      var end   = until
      while (start < end && (bytes(start) == ' ' || bytes(start) == '\t')) start += 1
      while (end > start && (bytes(end - 1) == ' ' || bytes(end - 1) == '\t')) end -= 1
      var i = start
      while (i < end && Grammar.is(bytes(i), Grammar.Value)) i += 1
      if (i < end) {
        error = "a header value of the response contains a control character"
        false
      } else if (Ascii.same(bytes, from, colon, "status")) readStatus(Latin1.decode(bytes, start, end))
      else {
        fields.add(Latin1.decode(bytes, from, colon))
        fields.add(Latin1.decode(bytes, start, end))
        true
      }
    }
  }

  /** RFC 3875 §6.3.3: three digits, and optionally a space and a phrase. */
  private def readStatus(value: String): Boolean = {
    val code =
      if (value.length >= 3 && (value.length == 3 || value.charAt(3) == ' ')) value.take(3).toIntOption
      else None
    code match {
      case Some(code) if code >= 200 && code <= 599 && !hasStatus =>
        status = code
        hasStatus = true
        true
      case _ =>
        error = "the response's Status is not a final status code"
        false
    }
  }

  private def finish(): Unit = {
    headers = Headers.trusted(fields.toArray(new Array[String](0)))
    headers.get("Location").foreach { location =>
      if (!hasStatus && location.startsWith("/") && !location.startsWith("//") && headers.size == 1)
        localRedirect = location
      if (!hasStatus) status = 302
    }
  }

  private def lineFeed(bytes: Array[Byte], from: Int, until: Int): Int = {
    var p = from
    while (p < until && bytes(p) != '\n') p += 1
    p
  }

  private def bad(message: String): Int = {
    error = message
    Bad
  }
}

private[needletail] object CgiResponseParser {
  final val More = 0
  final val Bad  = -1
}
