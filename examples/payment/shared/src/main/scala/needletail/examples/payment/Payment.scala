package needletail.examples.payment

import needletail.async.Async
import needletail.examples.services.{Fault, Json}
import needletail.routing._

/** A payment service that accepts every amount. */
final class Payment(fault: Fault) {
  val routes: Routes = (POST / "payments" + Body[Payment.Order] to { order =>
    fault(s"Received payment of ${order.amount}".ok)
  }).withoutAdaptiveLimit.priority(Priority.High)
}

object Payment {
  private final case class Order(amount: Long)

  /** `{"amount": 5}`; anything else is a 400 that describes what is expected. */
  private implicit val order: BodyReader[Order] =
    BodyReader.of("JSON", _ == "application/json") { request =>
      request.text.flatMap { text =>
        Json.parse(text).map(_.get("amount").flatMap(_.long)) match {
          case Right(Some(amount)) => Async.value(Order(amount))
          case Right(None)         => refuse("expected an object with a whole number as 'amount'")
          case Left(problem)       => refuse(s"malformed JSON: $problem")
        }
      }
    }

  private def refuse(message: String): Async[Order] = Async.fail(HttpError(Status.BadRequest, message))
}
