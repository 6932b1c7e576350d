package needletail.routing.internal.matching

import needletail.http.Response
import needletail.http.message.{HttpError, Status}

/**
 * Why a part of a request does not match its route. Parts return their value or a `Fault`, so that a matching request
 * allocates no wrapper for success.
 *
 * @param inPath whether the fault is in the path: the request may be meant for another route, so any other fault ranks
 *   above it
 * @param refusal the response, if it is another than that of the error; null if not
 */
private[routing] final class Fault(val error: HttpError, val inPath: Boolean, refusal: Response = null) {
  def response: Response = if (refusal == null) Response.of(error) else refusal
}

private[routing] object Fault {
  def badRequest(message: String, inPath: Boolean): Fault =
    new Fault(HttpError(Status.BadRequest, message), inPath)

  def refused(response: Response, inPath: Boolean): Fault =
    new Fault(HttpError(response.status, ""), inPath, response)
}

/** The value of a part that is evaluated once the route has matched: a filter, or a body. */
private[routing] object Pending

/** The source of a text, for messages: `query parameter 'page'`. `name` is null if it has none. */
private[routing] final class Label(val place: String, val name: String, val inPath: Boolean) {
  override def toString: String = if (name == null) place else s"$place '$name'"

  /** What replaces `{NAME}`. */
  def short: String = if (name == null) place else name

  def missing: Fault = Fault.badRequest(s"missing $this", inPath)

  def expected(typeName: String, got: String): Fault =
    Fault.badRequest(s"expected $typeName in $this, got '${Quote(got)}'", inPath)

  def notUtf8: Fault = Fault.badRequest(s"$this is not valid percent-encoded UTF-8", inPath)
}
