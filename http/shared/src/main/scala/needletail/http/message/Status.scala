package needletail.http.message

/** A status code (RFC 9110 §15) and its usual reason phrase. */
final class Status private (val code: Int, val reason: String) {

  /** Whether a response with this status may have content (RFC 9112 §6.3, 1; RFC 9110 §15.3.6 for 205). */
  def allowsBody: Boolean = code >= 200 && code != 204 && code != 205 && code != 304

  /** Whether the code is one of HTTP's, 100 to 599. */
  private[needletail] def isValid: Boolean = code < 600

  /** Whether the code is 400 or above. */
  def isError: Boolean = code >= 400

  override def equals(other: Any): Boolean = other match {
    case s: Status => s.code == code
    case _         => false
  }
  override def hashCode: Int    = code
  override def toString: String = if (reason.isEmpty) code.toString else s"$code $reason"
}

object Status {
  private val table                                  = new Array[Status](600)
  private def add(code: Int, reason: String): Status = {
    val s = new Status(code, reason)
    table(code) = s
    s
  }

  val Continue                   = add(100, "Continue")
  val SwitchingProtocols         = add(101, "Switching Protocols")
  val EarlyHints                 = add(103, "Early Hints")
  val Ok                         = add(200, "OK")
  val Created                    = add(201, "Created")
  val Accepted                   = add(202, "Accepted")
  val NonAuthoritative           = add(203, "Non-Authoritative Information")
  val NoContent                  = add(204, "No Content")
  val ResetContent               = add(205, "Reset Content")
  val PartialContent             = add(206, "Partial Content")
  val MultipleChoices            = add(300, "Multiple Choices")
  val MovedPermanently           = add(301, "Moved Permanently")
  val Found                      = add(302, "Found")
  val SeeOther                   = add(303, "See Other")
  val NotModified                = add(304, "Not Modified")
  val TemporaryRedirect          = add(307, "Temporary Redirect")
  val PermanentRedirect          = add(308, "Permanent Redirect")
  val BadRequest                 = add(400, "Bad Request")
  val Unauthorized               = add(401, "Unauthorized")
  val PaymentRequired            = add(402, "Payment Required")
  val Forbidden                  = add(403, "Forbidden")
  val NotFound                   = add(404, "Not Found")
  val MethodNotAllowed           = add(405, "Method Not Allowed")
  val NotAcceptable              = add(406, "Not Acceptable")
  val ProxyAuthRequired          = add(407, "Proxy Authentication Required")
  val RequestTimeout             = add(408, "Request Timeout")
  val Conflict                   = add(409, "Conflict")
  val Gone                       = add(410, "Gone")
  val LengthRequired             = add(411, "Length Required")
  val PreconditionFailed         = add(412, "Precondition Failed")
  val ContentTooLarge            = add(413, "Content Too Large")
  val UriTooLong                 = add(414, "URI Too Long")
  val UnsupportedMedia           = add(415, "Unsupported Media Type")
  val RangeNotSatisfiable        = add(416, "Range Not Satisfiable")
  val ExpectationFailed          = add(417, "Expectation Failed")
  val MisdirectedRequest         = add(421, "Misdirected Request")
  val UnprocessableContent       = add(422, "Unprocessable Content")
  val UpgradeRequired            = add(426, "Upgrade Required")
  val PreconditionRequired       = add(428, "Precondition Required")
  val TooManyRequests            = add(429, "Too Many Requests")
  val HeadersTooLarge            = add(431, "Request Header Fields Too Large")
  val UnavailableForLegalReasons = add(451, "Unavailable For Legal Reasons")
  val InternalServerError        = add(500, "Internal Server Error")
  val NotImplemented             = add(501, "Not Implemented")
  val BadGateway                 = add(502, "Bad Gateway")
  val ServiceUnavailable         = add(503, "Service Unavailable")
  val GatewayTimeout             = add(504, "Gateway Timeout")
  val VersionNotSupported        = add(505, "HTTP Version Not Supported")
  val InsufficientStorage        = add(507, "Insufficient Storage")

  /** The statuses that have a reason phrase. */
  private[http] def registered: Array[Status] = table.filter(_ != null)

  /**
   * The status of that code, 100 to 999, else IllegalArgumentException. An unregistered one has no reason phrase. Those
   * from 600 on are invalid: a client may receive them, and then treats them as 5xx (RFC 9110 §15); a server sends none.
   */
  def apply(code: Int): Status = {
    if (code < 100 || code > 999) throw new IllegalArgumentException(s"not a status code: $code")
    val s = if (code < table.length) table(code) else null
    if (s != null) s else new Status(code, "")
  }
}
