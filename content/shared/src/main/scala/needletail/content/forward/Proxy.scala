package needletail.content.forward

import needletail.client.{Call, Service}
import needletail.http.admission.TimeLimit
import needletail.http.message.{HopByHop, PercentCoding}
import needletail.http.text.Ascii
import needletail.http.{Headers, Method, Reply, Request, Response, Status}
import needletail.routing._

/**
 * How requests are passed on.
 *
 * @param keepPrefix whether the service sees the path with the prefix
 * @param keepHost whether the service sees the host of the request (`Request.authority`), not its own
 * @param trusted whether Forwarded fields that the request brings are kept, as behind another proxy
 * @param name what the service sees in Via after the protocol's version, a token or host and port (RFC 9110 §7.6.3)
 * @param refuseAmbiguous whether paths that services could take for others get 400, as they would evade the rules of
 *   routes before these: with an empty segment, a slash or backslash within a segment (`%2F`, `%5C`), a segment `.` or
 *   `..`, one that is any of these before `;`, or escapes that are not of UTF-8
 */
final case class ProxyConfig(
    keepPrefix: Boolean = false,
    keepHost: Boolean = false,
    trusted: Boolean = false,
    name: String = "needletail",
    refuseAmbiguous: Boolean = false
) {
  if (name.isEmpty || !name.forall(c => c > ' ' && c < 127 && c != ',' && c != '(' && c != ')'))
    throw new IllegalArgumentException(
      s"name: must be a token, or host and port, for the field Via; not '$name'"
    )
}

/** Passes requests on to a service, and its responses back, as they arrive. */
private[content] final class Proxy(prefix: String, service: Service, config: ProxyConfig) {
  import Proxy._
  private val segments = prefix.split('/').filter(_.nonEmpty)
  private val path     = segments.mkString("/")
  private val depth    = Math.max(1, segments.length)

  def routes: Routes =
    if (path.isEmpty) ANY / * + request to (pass(_))
    else Routes(ANY / path / * + request to (pass(_)), (ANY / path + request to (pass(_))).yielding)

  private def pass(request: Request): Reply =
    if (config.refuseAmbiguous && isAmbiguous(request.path)) ambiguous
    else if (isForUs(request)) received
    else callOf(request) match {
      case None       => refused
      case Some(call) => new Reply.Later(call.body(request.body).stream.map(_.toResponse))
    }

  /** A request that may be forwarded no further (RFC 9110 §7.6.2). */
  private def isForUs(request: Request): Boolean =
    isTracing(request) && request.header("max-forwards").exists(n => isNumber(n) && n.forall(_ == '0'))

  private def isTracing(request: Request): Boolean =
    request.method == Method.OPTIONS || request.method == Method.TRACE

  /**
   * None for a target, or fields, that the client does not send. The request's time limit is for the head of the
   * response only, as it would cut off a long body: the server cancels the call, which then counts as failed.
   */
  private def callOf(request: Request): Option[Call] =
    try {
      val call = service.call(request.method, target(request))(TimeLimit.none).headFor(request)
      Some(call.withHeaders(forwarded(request)).noRedirects.undecoded.noCookies)
    } catch { case _: IllegalArgumentException => None }

  private def target(request: Request): String = {
    val own   = request.path
    val below = if (config.keepPrefix || path.isEmpty) own else belowPrefix(own)
    (if (below.isEmpty) "/" else below) + request.query.fold("")("?" + _)
  }

  /** The path without as many segments as the prefix has, which may be percent-encoded in it. */
  private def belowPrefix(own: String): String = {
    var slash = 0
    for (_ <- 1 to depth) if (slash >= 0) slash = own.indexOf('/', slash + 1)
    if (slash < 0) "" else own.substring(slash)
  }

  /** The end-to-end fields (RFC 9110 §7.6.1), Forwarded (RFC 7239), Via, and the id that the request has been given. */
  private def forwarded(request: Request): Headers = {
    val kept = HopByHop.without(request.headersToPassOn, notPassedOn).filterNot { case (name, _) =>
      (!config.keepHost && Ascii.same(name, "host")) ||
      (!config.trusted && isUntrusted(name))
    }
    val remote = request.connection.remoteAddress
    val by     = if (remote.isEmpty || remote.startsWith("/")) "unknown" else remote
    val scheme = if (request.connection.isSecure) "https" else "http"
    val host   = request.authority.filter(c => c > ' ' && c < 127 && c != '"' && c != '\\')
    val all    = Headers(kept*)
      .add("Forwarded", "for=\"" + by + "\";host=\"" + host + "\";proto=" + scheme)
      .add("Via", s"1.${request.minorVersion} ${config.name}")
    val id    = request.shared.idField
    val named = if (id == null) all else all.set(id, request.shared.idOr(""))
    if (isTracing(request)) named.get("max-forwards").filter(isNumber).fold(named)(n =>
      named.set("max-forwards", n.toLongOption.fold(Long.MaxValue)(_ - 1).toString)
    )
    else named
  }
}

private[content] object Proxy {
  private val received  = Response(Status.NoContent)
  private val refused   = Response(Status.BadRequest).text("the request cannot be forwarded")
  private val ambiguous = Response(Status.BadRequest).text("the path is ambiguous")

  private def isAmbiguous(path: String): Boolean = {
    val segments = path.split("/", -1).drop(1)
    segments.dropRight(1).exists(_.isEmpty) || segments.exists(PercentCoding.decode(_).fold(
      _ => true,
      text => isDots(text) || text.exists(c => c == '/' || c == '\\')
    ))
  }

  /** Whether it is `.` or `..`, or one of these or nothing before `;`: some services ignore what follows that. */
  private def isDots(segment: String): Boolean = {
    val end  = segment.indexOf(';')
    val name = if (end < 0) segment else segment.substring(0, end)
    name == "." || name == ".." || end == 0
  }

  /** Whether it is a value of Max-Forwards (RFC 9110 §7.6.2); any other is none of ours, and left alone. */
  private def isNumber(value: String): Boolean = value.nonEmpty && value.forall(c => c >= '0' && c <= '9')

  // Proxy would be taken by a CGI program for the environment variable HTTP_PROXY
  private val notPassedOn = Set("content-length", "expect", "proxy", "proxy-authorization")

  /**
   * Whether the field says who the client is or what it asked for, as proxies do. Services behind CGI, WSGI or Rack do
   * not tell `_` from `-`.
   */
  private def isUntrusted(field: String): Boolean = {
    val name = Ascii.lower(field).replace('_', '-')
    name == "forwarded" || name == "x-real-ip" || name == "x-client-ip" || name.startsWith("x-forwarded-")
  }
}
