package needletail.server.operations

import scala.collection.mutable

import needletail.http.admission.RouteClass

/** Totals of routes that no longer exist, by name. A program that creates routes as it runs may have many. */
private[server] final class RetiredRoutes {
  private val byName = mutable.LinkedHashMap.empty[(String, String), RouteSnapshot]

  /** Adds the last snapshot of a route that no longer exists. */
  def add(last: RouteSnapshot): Unit = {
    val name  = (last.route.method, last.route.template)
    val route =
      if (byName.size < RetiredRoutes.Most || byName.contains(name)) last.route else RouteClass.handler
    val past = last.past(route)
    byName.get((route.method, route.template)) match {
      case Some(sum) => sum.add(past)
      case None      => byName((route.method, route.template)) = past
    }
  }

  /** The totals, copied for another thread. */
  def copies: List[RouteSnapshot] =
    if (byName.isEmpty) Nil else byName.valuesIterator.map(past => past.past(past.route)).toList
}

private[server] object RetiredRoutes {

  /** The number of names counted separately; later ones count as `*`. */
  final val Most = 256
}
