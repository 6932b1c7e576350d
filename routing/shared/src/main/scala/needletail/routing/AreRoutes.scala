package needletail.routing

/** Evidence that functions given to `subroutes` return routes. */
@annotation.implicitNotFound(
  "this is not a route: every route ends with `to` and a handler, such as base + GET / \"x\" to \"it\".ok, or base + GET / arg[Int] to (n => ...)"
)
sealed abstract class AreRoutes[-R] {
  private[routing] def apply(routes: R): Routes
}

object AreRoutes {
  implicit val routes: AreRoutes[Routes] = new AreRoutes[Routes] {
    private[routing] def apply(routes: Routes): Routes = routes
  }
}
