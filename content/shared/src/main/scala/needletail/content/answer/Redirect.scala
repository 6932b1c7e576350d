package needletail.content.answer

import needletail.http.text.Excerpt
import needletail.http.{Response, Status}

/**
 * Redirects (RFC 9110 §15.4). `location` is sent as it is; IllegalArgumentException if it has a space, a control
 * character or a character beyond ASCII, which have to be percent-encoded.
 */
object Redirect {

  /** To another page, by GET, after a form was sent: 303. */
  def seeOther(location: String): Response = to(Status.SeeOther, location)

  /** For now, with the same method: 307. */
  def temporary(location: String): Response = to(Status.TemporaryRedirect, location)

  /** For good, with the same method: 308. */
  def permanent(location: String): Response = to(Status.PermanentRedirect, location)

  /**
   * Whether a location from outside, such as a parameter `next` of a log-in page, stays on this server: it is a
   * path, and browsers read it as one.
   */
  def isLocal(location: String): Boolean =
    location.startsWith("/") && !location.startsWith("//") && location.forall(c =>
      c > ' ' && c < 127 && c != '\\'
    )

  private def isSendable(c: Char): Boolean = c > ' ' && c < 127

  private def to(status: Status, location: String): Response = {
    if (!location.forall(isSendable))
      throw new IllegalArgumentException(
        // without what is not for a log: credentials, query and fragment
        s"the location '${Excerpt(location.replaceFirst("//[^/]*@", "//").takeWhile(c => c != '?' && c != '#'))}' of a redirect must be percent-encoded, as by " +
          s"PercentCoding.encode: it has ${Excerpt.first(location, isSendable)}"
      )
    Response(status).header("Location", location)
  }
}
