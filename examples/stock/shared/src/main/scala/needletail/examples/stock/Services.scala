package needletail.examples.stock

import scala.concurrent.duration._

import needletail.async.Async
import needletail.json._
import needletail.routing._

/**
 * The services that the page asks, made up: user N has orders N1 to N3, each order some products, and each product a
 * stock.
 *
 * @param work how long each request takes
 */
final class Services(work: FiniteDuration = Services.Work) {
  private val id = arg[Long]("id").filter(n => n > 0 && n < 1000000, "no {NAME} {VALUE}")

  /** A service that simulates work has many requests in flight on purpose. */
  val routes: Routes = Routes(
    GET / "users" / id to (n => after(Json.obj("id" -> n, "name" -> s"user $n"))),
    GET / "users" / id / "orders" to (n => after(Json.obj("orders" -> List(1, 2, 3).map(n * 10 + _)))),
    GET / "orders" / id / "products" to (n =>
      after(Json.obj("products" -> List(n % 7 + 1, n % 11 + 20, n % 5 + 40)))
    ),
    GET / "products" / id / "stock" to (n => after(Json.obj("product" -> n, "stock" -> n * 13 % 50)))
  ).withoutAdaptiveLimit

  private def after(json: Json): Async[Response] = Async.sleep(work).map(_ => json.ok)
}

object Services {
  val Work: FiniteDuration = 20.millis
}
