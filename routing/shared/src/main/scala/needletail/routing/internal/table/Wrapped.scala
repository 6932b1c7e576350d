package needletail.routing.internal.table

import needletail.http.{Around, Gate, Reply, Request, Response}
import needletail.http.admission.RouteClass

/** What the arounds of routes run for once the limits of a route have admitted the request. */
private[table] object Wrapped {

  /**
   * A response of the table itself, passed through `arounds`. These are code of the user, which may wait for something,
   * so the request is limited as one of `route`.
   */
  def admit(arounds: List[Around], request: Request, route: RouteClass, response: Response): Reply =
    limited(arounds, request, () => response, Gate.admit(request, route, _))

  /**
   * Runs `inner` within `arounds`, as soon as `limit` admits the request. If that refuses it, the refusal is dressed.
   */
  def limited(
      arounds: List[Around],
      request: Request,
      inner: () => Reply,
      limit: (() => Reply) => Reply
  ): Reply = {
    def dressed(response: Response): Response = Around.dress(arounds, request, response)
    var hasBegun                              = false
    val reply                                 = limit { () =>
      hasBegun = true
      Around.run(arounds, request, inner)
    }
    // a response that exists before the arounds have begun is a limit's refusal
    reply match {
      case response: Response => if (hasBegun) response else dressed(response)
      case later: Reply.Later =>
        if (hasBegun) later
        else
          new Reply.Later(later.response.map { response =>
            if (hasBegun) response
            else {
              request.shared.wasRefused = true
              dressed(response)
            }
          })
    }
  }
}
