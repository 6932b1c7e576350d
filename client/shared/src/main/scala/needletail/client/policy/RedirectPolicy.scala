package needletail.client.policy

import needletail.client.url.Url
import needletail.http.message.{Headers, Method}
import needletail.io.Address

/**
 * Where a redirected call goes next (RFC 9110 §15.4).
 *
 * @param method the method of the next request
 * @param headers the headers of the next request
 * @param dropsContent whether the request's content is not sent again
 */
private[client] final case class Redirect(url: Url, method: Method, headers: Headers, dropsContent: Boolean)

/** Which redirections the client follows automatically, and how: it repeats nothing that is unsafe (RFC 9110 §15.4). */
private[client] object RedirectPolicy {

  /** Whether it is the status of a redirection to Location. */
  def isRedirect(code: Int): Boolean =
    code == 301 || code == 302 || code == 303 || code == 307 || code == 308

  /**
   * Whether a request of that method is redirected by that status. A safe method always is. Other methods are if they
   * become GET: with 303, and POST also with 301 and 302. With 307 and 308 they would have to be repeated, which is
   * left to the caller.
   */
  def follows(code: Int, method: Method): Boolean =
    method.isSafe || code == 303 || ((code == 301 || code == 302) && method == Method.POST)

  /**
   * The next request, or why there is none.
   *
   * @param from the URL of the request that was redirected
   * @param location the value of Location
   * @param count redirections of the call, including this one
   * @param max the maximum number of redirections
   */
  def next(
      from: Url,
      location: String,
      method: Method,
      headers: Headers,
      count: Int,
      max: Int
  ): Either[String, Redirect] =
    if (count > max) Left(s"more than $max redirects")
    else
      from.resolve(location) match {
        case Left(why)                       => Left(s"cannot be redirected to '${shown(location)}': $why")
        case Right(to) if toSocket(from, to) => Left("redirected to a Unix socket")
        case Right(to)                       =>
          val kept = if (method.isSafe) headers else drop(headers, contentFields)
          Right(
            Redirect(
              to,
              if (method.isSafe) method else Method.GET,
              if (to.origin == from.origin) kept else drop(kept, credentialFields),
              dropsContent = !method.isSafe
            )
          )
      }

  /** As much as a message may contain: no password, no query and no fragment, as those may contain secrets. */
  private def shown(location: String): String = {
    val plain = Url.shown(location.takeWhile(c => c != '?' && c != '#'))
    if (plain.length > MaxShown) plain.take(MaxShown) + "…" else plain
  }

  private final val MaxShown = 200

  /** A server must not make the client use Unix sockets of the machine that it runs on. */
  private def toSocket(from: Url, to: Url): Boolean =
    to.origin != from.origin && to.origin.address.isInstanceOf[Address.Unix]

  private def drop(headers: Headers, names: List[String]): Headers = names.foldLeft(headers)(_ remove _)

  /** Fields that describe content that is not sent again (RFC 9110 §15.4). */
  private val contentFields =
    List(
      "Content-Type",
      "Content-Encoding",
      "Content-Language",
      "Content-Location",
      "Digest",
      "Last-Modified"
    )

  /** Fields that must not be sent to another origin. */
  private val credentialFields = List("Authorization", "Proxy-Authorization", "Cookie", "Cookie2", "Host")
}
