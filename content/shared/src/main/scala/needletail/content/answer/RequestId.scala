package needletail.content.answer

import java.util.concurrent.ThreadLocalRandom

import needletail.http.Request
import needletail.routing.Routes

/**
 * An id for each request, which its response and the log entries about it share, and which `proxy` passes on.
 *
 * @param header the name of the header
 * @param accept whether the id that a request brings is kept, if it has at most 64 letters, digits, `-`, `_` and `.`; as
 *               behind a web server that sets it
 */
final case class RequestId(header: String = "X-Request-Id", accept: Boolean = false) {

  /** The id of a request; the same each time for one request, and for those that are made from it. */
  def of(request: Request): String = request.shared.idOr(brought(request).getOrElse(RequestId.fresh()))

  private[content] def apply(routes: Routes): Routes =
    routes
      .around { (request, next) =>
        of(request)
        request.shared.idField = header
        next()
      }
      .mapResponse((request, response) => response.setHeader(header, of(request)))

  private def brought(request: Request): Option[String] =
    if (accept)
      request.header(header).filter(id => id.nonEmpty && id.length <= 64 && id.forall(RequestId.isIdChar))
    else None
}

object RequestId {
  private def isIdChar(c: Char): Boolean =
    (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.'

  private def fresh(): String = {
    val random                   = ThreadLocalRandom.current()
    def part(bits: Long): String = ("0" * 15 + java.lang.Long.toHexString(bits)).takeRight(16)
    part(random.nextLong()) + part(random.nextLong())
  }
}
