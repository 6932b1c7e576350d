package needletail.examples.stock

import scala.concurrent.duration._

import needletail.json._
import needletail.routing._

/**
 * The services that the page asks, made up: user N has orders N1 to N3, each order some products, and each product a
 * stock.
 */
final class Services(faults: Faults = new Faults(Services.Work)) {
  private val id = arg[Long]("id").filter(n => n > 0 && n < 1000000, "no {NAME} {VALUE}")

  /** A service that simulates work has many requests in flight on purpose. */
  val routes: Routes = Routes(
    GET / "users" / id to (n => faults.users(Json.obj("id" -> n, "name" -> s"user $n").ok)),
    GET / "users" / id / "orders" to (n =>
      faults.orders(Json.obj("orders" -> List(1, 2, 3).map(n * 10 + _)).ok)
    ),
    GET / "orders" / id / "products" to (n =>
      faults.products(Json.obj("products" -> List(n % 7 + 1, n % 11 + 20, n % 5 + 40)).ok)
    ),
    GET / "products" / id / "stock" to (n =>
      faults.stock(Json.obj("product" -> n, "stock" -> n * 13 % 50).ok)
    )
  ).withoutAdaptiveLimit
}

object Services {

  /** How long each request takes. */
  val Work: FiniteDuration = 20.millis
}
