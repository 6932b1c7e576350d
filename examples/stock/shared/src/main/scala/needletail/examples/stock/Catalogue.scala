package needletail.examples.stock

import needletail.async.Async
import needletail.client.Service
import needletail.http.TimeLimit
import needletail.json._
import needletail.routing.{HttpError, Status}

final case class User(id: Long, name: String)
final case class Stock(product: Long, number: Int)

/** The data of the services: each method is one call, within the caller's time limit. */
final class Catalogue(service: Service) {
  def user(id: Long)(implicit limit: TimeLimit): Async[User] = ask(s"/users/$id") { json =>
    for {
      id   <- json.at("id").as[Long]
      name <- json.at("name").as[String]
    } yield User(id, name)
  }

  def orders(user: Long)(implicit limit: TimeLimit): Async[List[Long]] =
    ask(s"/users/$user/orders")(_.at("orders").as[List[Long]])

  def products(order: Long)(implicit limit: TimeLimit): Async[List[Long]] =
    ask(s"/orders/$order/products")(_.at("products").as[List[Long]])

  def stock(product: Long)(implicit limit: TimeLimit): Async[Stock] =
    ask(s"/products/$product/stock")(_.at("stock").as[Int].map(Stock(product, _)))

  /** Fails with a `ClientError` or, for a response that is no such value, with an `HttpError` 502. */
  private def ask[A](path: String)(read: Json => Either[JsonError, A])(implicit limit: TimeLimit): Async[A] =
    service.get(path).response.flatMap { response =>
      val value = if (response.isSuccess) Json.parse(response.bytes).flatMap(read).toOption else None
      value match {
        case Some(a) => Async.value(a)
        case None    => Async.fail(HttpError(Status.BadGateway, s"the service failed for $path"))
      }
    }
}
