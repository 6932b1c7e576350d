package needletail.content.security

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Base64

import needletail.async.Async
import needletail.http.{Request, Response, Status}
import needletail.routing.{Filter, Part}

/**
 * Filters that require credentials (RFC 9110 §11), for routes over TLS.
 *
 * {{{
 * val admin = Authentication.basic("admin") { (user, password) => Async.value(check(user, password)) }
 * (GET / "admin" + admin) to (user => …)
 * }}}
 */
object Authentication {

  /** User name and password (RFC 7617). `check` returns the user, or None if they are wrong: 401. */
  def basic[A](realm: String)(check: (String, String) => Async[Option[A]]): Part[A] = {
    val challenge = refusal(s"Basic realm=${quoted(realm)}, charset=${quoted("UTF-8")}")
    Filter("basic authentication") { request =>
      credentials(request, "basic").flatMap(pair) match {
        case Some((user, password)) => check(user, password).map(_.toRight(challenge))
        case None                   => Async.value(Left(challenge))
      }
    }
  }

  /** A token (RFC 6750). `check` returns its user, or None if it is not valid: 401. */
  def bearer[A](realm: String)(check: String => Async[Option[A]]): Part[A] = {
    val challenge = refusal(s"Bearer realm=${quoted(realm)}")
    val invalid   = refusal(s"Bearer realm=${quoted(realm)}, error=${quoted("invalid_token")}")
    Filter("bearer token") { request =>
      credentials(request, "bearer") match {
        case Some(token) => check(token).map(_.toRight(invalid))
        case None        => Async.value(Left(challenge))
      }
    }
  }

  /** Whether both are equal, in constant time. */
  def same(a: String, b: String): Boolean = same(a.getBytes(UTF_8), b.getBytes(UTF_8))

  /** The same for bytes. */
  def same(a: Array[Byte], b: Array[Byte]): Boolean = {
    var different = a.length ^ b.length
    var i         = 0
    while (i < a.length) {
      different |= a(i) ^ (if (b.length == 0) 1 else b(i % b.length))
      i += 1
    }
    different == 0
  }

  /** What follows the scheme in Authorization. */
  private def credentials(request: Request, scheme: String): Option[String] =
    request.header("authorization").flatMap { value =>
      val space = value.indexOf(' ')
      if (space < 0 || !value.substring(0, space).equalsIgnoreCase(scheme)) None
      else Some(value.substring(space + 1).trim).filter(_.nonEmpty)
    }

  private def pair(encoded: String): Option[(String, String)] =
    try {
      val text  = new String(Base64.getDecoder.decode(encoded), UTF_8)
      val colon = text.indexOf(':')
      if (colon < 0) None else Some((text.substring(0, colon), text.substring(colon + 1)))
    } catch { case _: IllegalArgumentException => None }

  private def refusal(challenge: String): Response =
    Response(Status.Unauthorized).header("WWW-Authenticate", challenge).text("authentication is required")

  private def quoted(text: String): String = "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\""
}
