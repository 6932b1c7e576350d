package needletail.routing.internal.matching

import needletail.async.Async
import needletail.http.{Request, Response}

/** A pattern that is evaluated after everything else of its route has matched, at most once per request. */
private[routing] trait AsyncPart { this: Pattern =>

  /** Starts it; `settle` is called with the result. */
  private[routing] def start(request: Request): Async[Any]

  /** Its value, or a [[Rejected]]. */
  private[routing] def settle(result: Any): Any

  /** Whether it reads the body. A route does that once, after its filters. */
  private[routing] def readsBody: Boolean = false

  private[routing] def value(in: Matching): Any = in.settled(this)
  private[routing] def children: List[Pattern]  = Nil
  private[routing] def segments: Int            = 0

  // no other route is tried once it has begun
  private[routing] override def demands(at: Int): Set[Any] = Set.empty
}

/** The response of a filter that refuses a request. */
private[routing] final class Rejected(val response: Response)
