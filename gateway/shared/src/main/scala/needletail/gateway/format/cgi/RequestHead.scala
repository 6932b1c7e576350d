package needletail.gateway.format.cgi

import needletail.http.message.{HttpError, Method, Status}
import needletail.http.text.{Authority, ByteWriter, Grammar}

/**
 * Writes a request's head from its variables (RFC 3875 §4.1) as HTTP/1.1. So it is parsed as every other request, with
 * the same rules and limits.
 *
 * Characters that could end a line or an element early are refused here. Fields about the client's connection to the
 * web server are left out, and Proxy: a program that passes its environment on to others must not take their proxy
 * from a client (CVE-2016-5385).
 */
private[gateway] final class RequestHead(mount: String, isScript: Boolean) {

  /** The connection as handlers see it, after `write`; also for a refused request. */
  var info: GatewayRequest = null

  /** The body's length in bytes; -1: not known in advance, or there is none. */
  var contentLength: Long = -1

  var isHead: Boolean = false

  /**
   * Writes the head. Returns the error in the variables, or null.
   *
   * @param hasBody if there is no CONTENT_LENGTH: whether a body follows
   */
  def write(w: ByteWriter, variables: Variables, hasBody: Boolean): HttpError = {
    info = new GatewayRequest(variables, "")
    isHead = false
    contentLength = RequestHead.length(variables)
    val method = variables.indexOf("REQUEST_METHOD")
    if (contentLength == RequestHead.Malformed) bad("CONTENT_LENGTH must be a number")
    else if (method < 0) bad("REQUEST_METHOD is missing")
    else if (!all(variables, method, Grammar.Token)) bad("REQUEST_METHOD must be a token")
    else {
      isHead = variables.value(method) == Method.HEAD.name
      copy(w, variables, method)
      w.writeByte(' ')
      val from   = w.length
      val target = new RequestTarget(variables, mount, isScript)
      target.write(w)
      info = new GatewayRequest(variables, target.scriptName)
      if (hasSpace(w, from)) bad("the request target contains a byte that must be percent-encoded")
      else {
        val isOld = isHttp10(variables)
        w.writeLatin1(if (isOld) " HTTP/1.0\r\n" else " HTTP/1.1\r\n")
        if (!isOld && isMissing(variables, "HTTP_HOST")) host(w, variables)
        val problem = fields(w, variables)
        if (problem == null) {
          if (contentLength > 0) {
            w.writeLatin1("content-length: ")
            w.writeDecimal(contentLength)
            w.writeCrLf()
          } else if (contentLength < 0 && hasBody) w.writeLatin1("transfer-encoding: chunked\r\n")
          w.writeCrLf()
        }
        problem
      }
    }
  }

  private def fields(w: ByteWriter, variables: Variables): HttpError = {
    var i = 0
    while (i < variables.count) {
      val isField = variables.startsWith(i, "HTTP_")
      if ((isField && !isLeftOut(variables, i)) || variables.isNamed(i, "CONTENT_TYPE"))
        if (variables.valueFrom(i) < variables.valueUntil(i) && !isSetAgain(variables, i)) {
          if (!all(variables, i, Grammar.Value))
            return bad(s"${variables.name(i)} contains a character that is not allowed in a header value")
          if (!name(w, variables, i, if (isField) 5 else 0)) return bad("a header name must be a token")
          w.writeByte(':')
          w.writeByte(' ')
          copy(w, variables, i)
          w.writeCrLf()
        }
      i += 1
    }
    null
  }

  /** The last of repeated names counts, as in [[Variables]]: the web server's configuration has two lines. */
  private def isSetAgain(variables: Variables, i: Int): Boolean =
    variables.count <= RequestHead.MostCompared && variables.isNamedAgain(i)

  private def isLeftOut(variables: Variables, i: Int): Boolean =
    variables.nameUntil(i) - variables.nameFrom(i) match {
      case 10 => variables.isFieldNamed(i, "HTTP_PROXY")
      case 11 => variables.isFieldNamed(i, "HTTP_EXPECT")       // the web server has responded to it
      case 12 => variables.isFieldNamed(i, "HTTP_UPGRADE")
      case 15 => variables.isFieldNamed(i, "HTTP_CONNECTION") || variables.isFieldNamed(i, "HTTP_KEEP_ALIVE")
      case 17 => variables.isFieldNamed(i, "HTTP_CONTENT_TYPE") // see CONTENT_TYPE
      case 19 => variables.isFieldNamed(i, "HTTP_CONTENT_LENGTH")
      case 22 => variables.isFieldNamed(i, "HTTP_TRANSFER_ENCODING")
      case _  => false
    }

  /** `X_FORWARDED_FOR` as `x-forwarded-for` (RFC 3875 §4.1.18): the original name of the field is not known. */
  private def name(w: ByteWriter, variables: Variables, i: Int, skip: Int): Boolean = {
    val from  = variables.nameFrom(i) + skip
    val until = variables.nameUntil(i)
    var p     = from
    w.ensure(until - from)
    while (p < until && Grammar.is(variables.bytes(p), Grammar.Token)) {
      val c = variables.bytes(p)
      w.bytes(w.length) = if (c == '_') '-' else needletail.http.text.Ascii.lower(c.toInt).toByte
      w.length += 1
      p += 1
    }
    p == until && from < until
  }

  /** An HTTP/1.1 request has a Host; if the client sent none, the web server's name is used. */
  private def host(w: ByteWriter, variables: Variables): Unit = {
    w.writeLatin1("host: ")
    val i = variables.indexOf("SERVER_NAME")
    if (i >= 0 && Authority.isValid(variables.bytes, variables.valueFrom(i), variables.valueUntil(i)))
      copy(w, variables, i)
    w.writeCrLf()
  }

  /** An empty variable counts as a missing one (RFC 3875 §4.1). */
  private def isMissing(variables: Variables, name: String): Boolean = {
    val i = variables.indexOf(name)
    i < 0 || variables.valueFrom(i) == variables.valueUntil(i)
  }

  private def isHttp10(variables: Variables): Boolean = {
    val protocol = variables.get("SERVER_PROTOCOL")
    protocol == "HTTP/1.0" || protocol == "HTTP/0.9"
  }

  private def all(variables: Variables, i: Int, bit: Int): Boolean = {
    var p = variables.valueFrom(i)
    while (p < variables.valueUntil(i) && Grammar.is(variables.bytes(p), bit)) p += 1
    p == variables.valueUntil(i) && p > variables.valueFrom(i)
  }

  private def copy(w: ByteWriter, variables: Variables, i: Int): Unit =
    w.write(variables.bytes, variables.valueFrom(i), variables.valueUntil(i) - variables.valueFrom(i))

  /** White space or a control character would end the target, and its rest would be parsed as something else. */
  private def hasSpace(w: ByteWriter, from: Int): Boolean = {
    var p = from
    while (p < w.length && (w.bytes(p) & 0xff) > ' ' && w.bytes(p) != 0x7f) p += 1
    p < w.length
  }

  private def bad(message: String): HttpError = HttpError(Status.BadRequest, message)
}

private[gateway] object RequestHead {
  final val Malformed = -2L

  /** The value of CONTENT_LENGTH; -1 if it is missing or empty. Two different values are malformed. */
  def length(variables: Variables): Long = {
    val text = variables.get("CONTENT_LENGTH")
    if (isContradicted(variables, text)) Malformed
    else if (text == null) -1
    else if (text.length > 18 || !text.forall(c => c >= '0' && c <= '9')) Malformed
    else text.toLong
  }

  private def isContradicted(variables: Variables, text: String): Boolean = {
    val last = variables.indexOf("CONTENT_LENGTH")
    var i    = 0
    while (
      i < last && !(variables.isNamed(i, "CONTENT_LENGTH") && variables.value(i) != (if (text == null) ""
                                                                                     else text))
    )
      i += 1
    i < last
  }

  /** More than any request has. Beyond, repeated names are not detected, which takes quadratic time. */
  final val MostCompared = 256
}
