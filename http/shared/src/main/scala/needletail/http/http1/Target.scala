package needletail.http.http1

import needletail.http.message.{HttpError, Method, Status}
import needletail.http.text.{Ascii, Authority, Grammar}

/**
 * Resolves the three forms of request target that are not a plain path (RFC 9112 §3.2.2 to §3.2.4), once the request
 * line is complete and its bytes and escapes are known to be valid.
 */
private[needletail] object Target {
  private val root = Array[Byte]('/')

  def notAuthority: HttpError = bad("CONNECT must have host and port as its target")

  /** Sets the target's parts in `head`. Returns the error, or null. */
  def resolve(head: Head, secure: Boolean, relaxed: Boolean): HttpError = {
    val bytes = head.bytes
    val from  = head.base + head.targetFrom
    val until = head.base + head.targetUntil
    head.pathFrom = 0
    head.pathUntil = 0
    if (head.method eq Method.CONNECT)
      if (Authority.hasPort(bytes, from, until)) {
        authority(head, from, until)
        null
      } else notAuthority
    else if (until - from == 1 && bytes(from) == '*')
      if (head.method eq Method.OPTIONS) null else bad("only OPTIONS may have * as its target")
    else {
      val http  = beginsWith(bytes, from, until, "http://")
      val https = !http && beginsWith(bytes, from, until, "https://")
      if (http) absolute(head, from + 7, until, relaxed)
      else if (!https) bad("the request target must be a path, or an absolute URI with the scheme http")
      else {
        val problem = absolute(head, from + 8, until, relaxed)
        if (problem != null || secure) problem
        else HttpError(Status.MisdirectedRequest, "https is not served on a connection without TLS")
      }
    }
  }

  /** Parses what follows the scheme of an absolute target: authority, path, query. */
  private def absolute(head: Head, from: Int, until: Int, relaxed: Boolean): HttpError = {
    val bytes = head.bytes
    var slash = from
    while (slash < until && bytes(slash) != '/' && bytes(slash) != '?') slash += 1
    if (!Authority.isValid(bytes, from, slash))
      return bad(
        "an absolute request target must name a host, optionally a port, and nothing else before its path"
      )
    authority(head, from, slash)
    var p        = slash
    var question = -1
    while (p < until) {
      if (!relaxed && !Grammar.is(bytes(p), Grammar.Query))
        return bad("the request target contains a byte that must be percent-encoded")
      if (question < 0 && bytes(p) == '?') question = p
      p += 1
    }
    val pathUntil = if (question < 0) until else question
    if (question >= 0) {
      head.queryFrom = question + 1 - head.base
      head.queryUntil = until - head.base
    }
    if (pathUntil > slash) {
      head.pathFrom = slash - head.base
      head.pathUntil = pathUntil - head.base
      PathNormaliser.normalise(head)
    } else {
      if (question >= 0 || (head.method ne Method.OPTIONS)) {
        // An empty path is "/", except that OPTIONS without path and query is about the server (RFC 9112 §3.2.4)
        head.rewrittenPath = root
        head.pathUntil = 1
      }
      null
    }
  }

  private def authority(head: Head, from: Int, until: Int): Unit = {
    head.authorityFrom = from - head.base
    head.authorityUntil = until - head.base
  }

  private def beginsWith(bytes: Array[Byte], from: Int, until: Int, scheme: String): Boolean =
    until - from >= scheme.length && Ascii.same(bytes, from, from + scheme.length, scheme)

  private def bad(message: String) = HttpError(Status.BadRequest, message)
}
