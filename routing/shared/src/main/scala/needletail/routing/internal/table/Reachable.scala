package needletail.routing.internal.table

import needletail.routing.internal.matching.Segment

/** Routes, none of which is hidden by one before it, by the shape of their paths. Immutable. */
private[routing] final class Reachable private (byShape: Map[List[Segment], Vector[CompiledRoute]]) {

  /**
   * With `route` after the others. Throws IllegalArgumentException if one of them answers all of its requests, unless
   * it yields to them.
   */
  def +(route: CompiledRoute): Reachable = {
    val before = byShape.getOrElse(route.shape, Vector.empty)
    if (!route.settings.yields) before.find(_.hides(route)).foreach { first =>
      throw new IllegalArgumentException(
        s"the route $route is never reached: $first, which is declared before it, has the same path and matches all of " +
          "its requests. Remove one of them, or declare the one that matches fewer requests first"
      )
    }
    new Reachable(byShape.updated(route.shape, before :+ route))
  }
}

private[routing] object Reachable {
  val none: Reachable = new Reachable(Map.empty)
}
