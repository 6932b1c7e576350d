package needletail.content.security

import java.nio.charset.StandardCharsets.UTF_8
import java.util.{Arrays, Base64}

import needletail.async.Async
import needletail.content.answer.Html
import needletail.http.message.{Cookie, HttpError, Parameters}
import needletail.http.text.Entropy
import needletail.http.{Request, Response, Status}
import needletail.routing.{Body, BodyReader, Filter, Part, Routes}

/**
 * Tokens against cross-site request forgery, for browsers that do not send the origin of a request (see
 * [[CrossSite]]), and as a second line of defence.
 *
 * A page's form has a token, which only pages of this site can read, and the browser a cookie that the token belongs to.
 * Nothing is kept on the server: the token is the cookie, signed.
 *
 * {{{
 * val csrf   = Csrf(new CookieSecrets(keys))
 * val routes = Routes(
 *   GET / "form" + csrf.token to (token => html"<form method=post>\${token.field}<input name=text></form>".ok),
 *   POST / "form" + csrf.form to (form => …)
 * ).csrf(csrf)
 * }}}
 * The cookie is `__Host-csrf` over TLS, which no other host can set, and `csrf` otherwise. The token is another text in
 * each response, so that compressing the page reveals nothing of it.
 *
 * @param secrets the keys that tokens are signed with
 * @param field the name of the form's field
 * @param header the header of requests that scripts send
 * @param session what else the token belongs to, such as the id of a session or a user: then no token of another one is
 *   accepted, and a form that was shown before somebody logged in not either
 * @param isSecure whether the browser uses https, as it may towards a web server in front of this one
 */
final case class Csrf(
    secrets: CookieSecrets,
    field: String = "_csrf",
    header: String = "X-CSRF-Token",
    session: Request => String = _ => "",
    isSecure: Request => Boolean = _.connection.isSecure
) {
  import Csrf.*

  /** The token for a response to the request. The routes must be wrapped by `csrf`, which sets the cookie. */
  val token: Part[CsrfToken] = Filter("CSRF token for a form")(request => Async.value(Right(of(request))))

  /** Refuses requests without a valid token in the header: 403. For scripts. */
  val inHeader: Part[Unit] = Filter("CSRF token in a header") { request =>
    Async.value(
      if (request.header(header).exists(accepts(request, _))) Right(())
      else Left(Response(Status.Forbidden).text(refusal))
    )
  }

  /** The body, a form; refused without a valid token in its field or in the header: 403. */
  val form: Part[Parameters] = Body(
    BodyReader.of[Parameters](BodyReader.form.name, BodyReader.form.accepts, BodyReader.form.mediaTypes) {
      request =>
        BodyReader.form.read(request).flatMap { form =>
          if (form.get(field).orElse(request.header(header)).exists(accepts(request, _))) Async.value(form)
          else Async.fail(HttpError(Status.Forbidden, refusal))
        }
    }
  )

  /** A token, in a handler that has the request. */
  def of(request: Request): CsrfToken = {
    val id   = idOf(request)
    val code = secrets.codes(Purpose, bound(request, id)).next()
    val mask = new Array[Byte](code.length)
    Entropy.fill(mask)
    new CsrfToken(field, Base64.getUrlEncoder.withoutPadding.encodeToString(mask ++ combined(mask, code)))
  }

  /** Whether `token` is one for this request's browser and session. For tokens that come in other ways. */
  def accepts(request: Request, token: String): Boolean =
    (brought(request), decode(token)) match {
      case (Some(id), Some(bytes)) =>
        val half = bytes.length / 2
        val code = combined(Arrays.copyOf(bytes, half), Arrays.copyOfRange(bytes, half, bytes.length))
        secrets.codes(Purpose, bound(request, id)).exists(Authentication.same(_, code))
      case _ => false
    }

  private[content] def apply(routes: Routes): Routes = routes.mapResponse { (request, response) =>
    val id = request.shared.csrfOrNull
    if (id == null) response // no token was asked for
    else {
      val own =
        if (response.headers.contains("Cache-Control")) response
        else response.header("Cache-Control", "private, no-cache")
      if (brought(request).contains(id)) own else own.cookie(cookie(request, id))
    }
  }

  private def cookie(request: Request, id: String): Cookie = Cookie(
    nameOf(request),
    id,
    path = Some("/"),
    secure = isSecure(request),
    httpOnly = true,
    sameSite = Some(Cookie.SameSite.Lax)
  )

  private def nameOf(request: Request): String = if (isSecure(request)) "__Host-csrf" else "csrf"

  /** The id in the request's cookie. */
  private def brought(request: Request): Option[String] =
    request.cookie(nameOf(request)).filter(id => id.length == IdLength && id.forall(isIdChar))

  /** The same for all tokens of one request. */
  private def idOf(request: Request): String = request.shared.csrfOr(brought(request).getOrElse(fresh()))

  private def bound(request: Request, id: String): String = s"$id ${session(request)}"
}

object Csrf {
  private final val IdLength = 22
  private final val refusal  = "the request has no valid token against cross-site requests"

  /** Not the name of a cookie, so that no signed cookie is a token. */
  private final val Purpose = "csrf token"

  private def fresh(): String = {
    val bytes = new Array[Byte](16)
    Entropy.fill(bytes)
    Base64.getUrlEncoder.withoutPadding.encodeToString(bytes)
  }

  private def isIdChar(c: Char): Boolean =
    (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_'

  private def decode(token: String): Option[Array[Byte]] =
    try Some(Base64.getUrlDecoder.decode(token.getBytes(UTF_8))).filter(_.length == 64)
    catch { case _: IllegalArgumentException => None }

  private def combined(a: Array[Byte], b: Array[Byte]): Array[Byte] =
    Array.tabulate(a.length)(i => (a(i) ^ b(i)).toByte)
}

/**
 * A token for forms and scripts.
 *
 * @param value for a header, or a field that is made otherwise
 */
final class CsrfToken private[security] (name: String, val value: String) {

  /** The hidden field of a form: `html"<form method=post>\${token.field}…</form>"`. */
  def field: Html =
    Html.raw("<input type=\"hidden\" name=\"" + Html.escape(name) + "\" value=\"" + value + "\">")

  override def toString: String = value
}
