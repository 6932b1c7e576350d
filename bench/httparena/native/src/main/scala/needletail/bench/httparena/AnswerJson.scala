package needletail.bench.httparena

import needletail.http.Response
import needletail.json._
import needletail.routing.Content

/** Written by needletail-json, as this build has no jsoniter-scala for Native. */
private[httparena] object AnswerJson {
  private implicit val rating: JsonWriter[Rating] = rating =>
    Json.obj("score" -> rating.score, "count" -> rating.count)

  private implicit val item: JsonWriter[PricedItem] = item =>
    Json.obj(
      "id"       -> item.id,
      "name"     -> item.name,
      "category" -> item.category,
      "price"    -> item.price,
      "quantity" -> item.quantity,
      "active"   -> item.active,
      "tags"     -> item.tags,
      "rating"   -> item.rating,
      "total"    -> item.total
    )

  private implicit val answer: JsonWriter[Answer] = answer =>
    Json.obj("items" -> answer.items, "count" -> answer.count)

  val content: Content[Answer] = (status, value) => Response(status).json(value)
}
