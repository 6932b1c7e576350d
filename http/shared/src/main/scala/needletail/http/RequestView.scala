package needletail.http

import needletail.http.admission.RouteClass
import needletail.http.http1.Head

/** What a [[Request]] is a view of: a parsed head, and what the server knows about the request. */
private[needletail] final class RequestView(lines: Int = 16) extends Head(lines) {

  /** Asked by routers before a route runs; null if nothing limits the request, as for a copy. */
  var gate: Gate = null

  /** The only thread that may read this, as the next head overwrites it; null for a copy, which any thread may read. */
  var owner: Thread = null

  /** The class by which a copy is limited and counted: the gate knows only the loop's current request. */
  var route: RouteClass = null

  /** A copy with bytes of its own, which are never reused, without gate and owner. */
  def copied: RequestView = {
    val c = new RequestView(0)
    copyTo(c)
    c.route = route
    c
  }
}
