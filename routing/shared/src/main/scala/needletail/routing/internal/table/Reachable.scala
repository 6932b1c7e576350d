package needletail.routing.internal.table

import needletail.routing.internal.matching.Segment

/** Routes, none of which is hidden by one before it, by the shape of their paths. Immutable. */
private[routing] final class Reachable private (byShape: Map[List[Segment], Vector[CompiledRoute]]) {

  /**
   * With `route` after the others. Throws IllegalArgumentException if one of them answers all of its requests, unless
   * it yields to them.
   */
  def +(route: CompiledRoute): Reachable = {
    if (!route.settings.yields) hiding(route).foreach { first =>
      throw new IllegalArgumentException(
        s"the route $route is never reached: $first, which is declared before it, has the same path and matches all of " +
          "its requests. Remove one of them, or declare the one that matches fewer requests first"
      )
    }
    new Reachable(byShape.updated(route.shape, before(route) :+ route))
  }

  private def before(route: CompiledRoute): Vector[CompiledRoute] =
    byShape.getOrElse(route.shape, Vector.empty)

  /** The first of them that answers all of its requests. */
  def hiding(route: CompiledRoute): Option[CompiledRoute] = before(route).find(_.hides(route))
}

private[routing] object Reachable {
  val none: Reachable = new Reachable(Map.empty)
}
