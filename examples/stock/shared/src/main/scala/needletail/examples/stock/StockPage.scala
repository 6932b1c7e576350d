package needletail.examples.stock

import scala.concurrent.duration._

import needletail.async.Async
import needletail.http.TimeLimit
import needletail.json._
import needletail.routing._

/**
 * The stock of the products in a user's orders, requested from four services in two ways.
 *
 * If a call fails, the others in progress are cancelled, and the answer is 502 or 503. All of them together have
 * `time`; then 504. If the client leaves, all are cancelled.
 *
 * @param parallelism concurrent calls for stocks per request
 */
final class StockPage(catalogue: Catalogue, time: FiniteDuration = 1.second, parallelism: Int = 4) {
  val routes: Routes = Routes(
    GET / "stock" / arg[Long] / "newest" + request to { case (user, request) =>
      newest(user)(within(request))
    },
    GET / "stock" / arg[Long] + request to { case (user, request) => all(user)(within(request)) }
  )

  /** One call after another, each with the result of the previous one. */
  private def newest(id: Long)(implicit limit: TimeLimit): Async[Response] =
    for {
      user     <- catalogue.user(id)
      orders   <- catalogue.orders(user.id)
      products <- catalogue.products(orders.max)
      stock    <- catalogue.stock(products.max)
    } yield StockPage.show(user, Seq(stock))

  /** What does not depend on each other at once; of the stocks, some at a time. */
  private def all(id: Long)(implicit limit: TimeLimit): Async[Response] =
    for {
      (user, orders) <- catalogue.user(id) zip catalogue.orders(id)
      products       <- Async.all(orders.map(catalogue.products(_)))
      stocks         <- Async.traverse(products.flatten.distinct, parallelism)(catalogue.stock(_))
    } yield StockPage.show(user, stocks)

  private def within(request: Request): TimeLimit = request.timeLimit.min(TimeLimit.in(time))
}

object StockPage {
  private def show(user: User, stocks: Seq[Stock]): Response =
    Json.obj(
      "user"  -> user.name,
      "stock" -> stocks.map(stock => Json.obj("product" -> stock.product, "number" -> stock.number): Json)
    ).ok
}
