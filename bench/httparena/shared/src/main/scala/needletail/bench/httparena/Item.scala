package needletail.bench.httparena

import needletail.json.{Json, JsonLimits, JsonReader}
import needletail.routing.Content

/** An item of the data set. */
final case class Item(
    id: Int,
    name: String,
    category: String,
    price: Int,
    quantity: Int,
    active: Boolean,
    tags: List[String],
    rating: Rating
)

object Item {
  private implicit val rating: JsonReader[Rating] = JsonReader(json =>
    for {
      score <- json.at("score").as[Int]
      count <- json.at("count").as[Int]
    } yield Rating(score, count)
  )

  private implicit val item: JsonReader[Item] = JsonReader(json =>
    for {
      id       <- json.at("id").as[Int]
      name     <- json.at("name").as[String]
      category <- json.at("category").as[String]
      price    <- json.at("price").as[Int]
      quantity <- json.at("quantity").as[Int]
      active   <- json.at("active").as[Boolean]
      tags     <- json.at("tags").as[List[String]]
      rating   <- json.at("rating").as[Rating]
    } yield Item(id, name, category, price, quantity, active, tags, rating)
  )

  /** The items of a data set, or what is wrong with it. */
  def all(bytes: Array[Byte]): Either[String, Vector[Item]] =
    Json.parse(bytes, JsonLimits.default).flatMap(_.as[Vector[Item]]).left.map(_.toString)
}

final case class Rating(score: Int, count: Int)

/** An item with the price of what is wanted of it. */
final case class PricedItem(
    id: Int,
    name: String,
    category: String,
    price: Int,
    quantity: Int,
    active: Boolean,
    tags: List[String],
    rating: Rating,
    total: Long
)

object PricedItem {
  def apply(item: Item, times: Int): PricedItem = {
    import item._
    PricedItem(id, name, category, price, quantity, active, tags, rating, price.toLong * quantity * times)
  }
}

/** What `/json` responds with. */
final case class Answer(items: Vector[PricedItem], count: Int)

object Answer {
  implicit val content: Content[Answer] = AnswerJson.content
}
