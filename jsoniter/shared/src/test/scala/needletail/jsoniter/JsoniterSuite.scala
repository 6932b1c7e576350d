package needletail.jsoniter

import com.github.plokhotnyuk.jsoniter_scala.core.JsonValueCodec
import com.github.plokhotnyuk.jsoniter_scala.macros.JsonCodecMaker

import needletail.async.Async
import needletail.json.Json
import needletail.routing._
import needletail.testkit._

case class Order(id: Long, item: String)
object Order {
  implicit val codec: JsonValueCodec[Order] = JsonCodecMaker.make
}

case class Line(item: String, prices: List[Int])
case class Basket(customer: Order, lines: List[Line])
object Basket {
  implicit val codec: JsonValueCodec[Basket] = JsonCodecMaker.make
}

/** Bodies and answers as JSON. */
class JsoniterSuite extends needletail.testing.Suite {

  private val routes = Routes(
    POST / "orders" + Body[Order] to (order => order.copy(id = order.id + 1).created),
    PUT / "orders" / arg[Long] + Body[Order] to { case (id, order) =>
      Async.value(order.copy(id = id)).map(_.ok)
    },
    GET / "orders" / arg[Long] to (id => Order(id, "tea").json),
    GET / "taken" to Response(Status.Conflict).json(Order(1, "tea")),
    GET / "text" to "{}".ok
  )

  private val baskets = POST / "baskets" + Body[Basket] to (basket => basket.lines.size.toString.ok)

  private def post(text: String, contentType: String = "application/json") =
    routes.test(Request.post("/orders", text).withHeader("Content-Type", contentType))

  test("a body becomes a value, a value an answer") {
    val reply = post("""{"id":7,"item":"tea"}""")
    assertEquals(reply.status, Status.Created)
    assertEquals(reply.header("Content-Type"), Some("application/json"))
    assertEquals(reply.text, """{"id":8,"item":"tea"}""")
  }

  test(".json is .ok") {
    val put = routes.test(Request.put("/orders/3", """{"id":0,"item":"tea"}"""))
    assertEquals(put.text, """{"id":3,"item":"tea"}""")
    assertEquals(routes.test(Request.get("/orders/4")).text, """{"id":4,"item":"tea"}""")
    val taken = routes.test(Request.get("/taken"))
    assertEquals(taken.status, Status.Conflict)
    assertEquals(taken.text, """{"id":1,"item":"tea"}""")
  }

  test("a text stays a text") {
    assertEquals(routes.test(Request.get("/text")).header("Content-Type"), Some("text/plain; charset=utf-8"))
  }

  /** Detail, field and message of a problem, which is all that a client gets. */
  private def refusal(reply: TestReply): (String, String, String) = {
    assertEquals(reply.header("Content-Type"), Some("application/problem+json"))
    val json   = Json.parse(reply.bytes).fold(e => fail(e.toString), identity)
    val result =
      for {
        detail  <- json.at("detail").as[String]
        field   <- json.at("errors").at(0).at("field").as[String]
        message <- json.at("errors").at(0).at("message").as[String]
        _ <- if (json.at("status").as[Int].contains(reply.status.code)) Right(()) else Left("another status")
      } yield (detail, field, message)
    result.fold(e => fail(e.toString), identity)
  }

  test("malformed JSON is refused with 400, and says where") {
    Seq(
      "",
      "{",
      """{"id":1,"item":tea}""",
      "\u0000",
      "[" * 10000,
      """{"id":1,"item":"a"}x"""
    ).foreach { text =>
      val reply = post(text)
      assertEquals(reply.status, Status.BadRequest, text.take(30))
      val (detail, _, message) = refusal(reply)
      assert(detail.startsWith("malformed JSON: ") && detail.endsWith(message), detail)
      assert(detail.length < 200 && !reply.text.contains('\n'), reply.text)
      assert(message.contains(", offset: 0x"), message)
    }
  }

  test("JSON that is no such value is refused with 422, and an error names the field") {
    val wrong                    = post("""{"id":"x","item":"tea"}""")
    val (detail, field, message) = refusal(wrong)
    assertEquals((wrong.status.code, field), (422, "id"))
    assert(message.endsWith(", offset: 0x00000006") && detail == s"field 'id': $message", detail)
    def basket(text: String): String = refusal(baskets.test(Request.post("/baskets", text)))._2
    val good                         = """"customer":{"id":1,"item":"{[\\\"x"}"""
    assertEquals(basket("""{"customer":{"id":1.5,"item":"x"}}"""), "customer.id")
    assertEquals(
      basket(s"""{$good,"lines":[{"item":"a","prices":[1,2]},{"item":"b","prices":[1,true]}]}"""),
      "lines[1].prices[1]"
    )
    assertEquals(basket(s"""{$good,"lines":[{"item":7,"prices":[]}]}"""), "lines[0].item")
    assertEquals(basket(s"""{$good,"lines":7}"""), "lines")
    assertEquals(basket(s"""{"lines":[],$good"""), "customer")
  }

  test("a field that is missing is named as needletail-json names it") {
    def told(reply: TestReply) = {
      val (_, field, message) = refusal(reply)
      (reply.status.code, field, message)
    }
    assertEquals(told(post("""{"id":1}""")), (422, "item", "is missing"))
    val inside = baskets.test(Request.post("/baskets", """{"lines":[],"customer":{"id":1}}"""))
    assertEquals(told(inside), (422, "customer.item", "is missing"))
  }

  test("names of fields from a client are cut and cleaned") {
    val reply = baskets.test(Request.post("/baskets", "{\"" + "a\u0007" * 500 + "\":{\"b\":"))
    val told  = refusal(reply).toString
    assert(told.length < 400 && !told.contains('\u0007'), told)
  }

  test("other media types are refused with 415, types made of JSON are not") {
    assertEquals(post("""{"id":7,"item":"tea"}""", "text/plain").status, Status.UnsupportedMedia)
    assertEquals(post("""{"id":7,"item":"tea"}""", "application/problem+json").status, Status.Created)
    assertEquals(post("""{"id":7,"item":"tea"}""", "Application/JSON; charset=utf-8").status, Status.Created)
    assertEquals(routes.test(Request.post("/orders", """{"id":7,"item":"tea"}""")).status, Status.Created)
  }

  test("documentation tells what the body is") {
    assertEquals(routes.describe.routes.head.parameters.map(_.toString), List("body: JSON"))
  }
}
