package needletail.examples.payment

import needletail.examples.services.Fault
import needletail.json.{JsonFormat, JsonReader}
import needletail.routing._

/** A payment service that accepts every amount. */
final class Payment(fault: Fault) {
  val routes: Routes = (POST / "payments" + Body[Payment.Order] to { order =>
    fault(s"Received payment of ${order.amount}".ok)
  }).withoutAdaptiveLimit.priority(Priority.High)
}

object Payment {
  private final case class Order(amount: Long)

  /** `{"amount": 5}`; anything else is a 422, or a 400 if it is not JSON, with an explanation. */
  private implicit val order: BodyReader[Order] =
    JsonFormat.bodyReader(JsonReader(_.at("amount").as[Long].map(Order(_))))
}
