package needletail.examples.store

import needletail.async.Async
import needletail.routing._

/** The amount of a payment; read from a form's field `amount`. */
final case class Amount(value: Long)

object Amount {
  implicit val reader: BodyReader[Amount] = BodyReader.of("form", BodyReader.form.accepts) { request =>
    BodyReader.form.read(request).flatMap { form =>
      form.get("amount").map(_.toLongOption) match {
        case Some(Some(value)) if value > 0 => Async.value(Amount(value))
        case Some(_)                        => refuse("expected a positive whole number as 'amount'")
        case None                           => refuse("missing field 'amount'")
      }
    }
  }

  private def refuse(message: String): Async[Amount] = Async.fail(HttpError(Status.BadRequest, message))
}
