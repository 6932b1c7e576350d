package needletail.jsoniter

import com.github.plokhotnyuk.jsoniter_scala.core.JsonValueCodec
import com.github.plokhotnyuk.jsoniter_scala.macros.JsonCodecMaker

import needletail.async.Async
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

  test("malformed JSON is refused with 400, and says where") {
    Seq(
      "",
      "{",
      """{"id":"x","item":"tea"}""",
      """{"id":1}""",
      "\u0000",
      "[" * 10000,
      """{"id":1,"item":"a"}x"""
    ).foreach { text =>
      val reply = post(text)
      assertEquals(reply.status, Status.BadRequest, text.take(30))
      assert(reply.text.startsWith("malformed JSON: "), reply.text)
      assert(reply.text.length < 200 && !reply.text.contains('\n'), reply.text)
    }
    assert(post("""{"id":1}""").text.contains("offset"), post("""{"id":1}""").text)
  }

  test("an error names the field") {
    val wrong = post("""{"id":"x","item":"tea"}""").text
    assert(wrong.startsWith("malformed JSON: field 'id': ") && wrong.endsWith(", offset: 0x00000006"), wrong)
    def field(text: String): String = {
      val reply = baskets.test(Request.post("/baskets", text)).text
      """malformed JSON: field '(.*?)': """.r.findPrefixMatchOf(reply).fold(reply)(_.group(1))
    }
    val good = """"customer":{"id":1,"item":"{[\\\"x"}"""
    assertEquals(field("""{"customer":{"id":1.5,"item":"x"}}"""), "customer.id")
    assertEquals(
      field(s"""{$good,"lines":[{"item":"a","prices":[1,2]},{"item":"b","prices":[1,true]}]}"""),
      "lines[1].prices[1]"
    )
    assertEquals(field(s"""{$good,"lines":[{"item":7,"prices":[]}]}"""), "lines[0].item")
    assertEquals(field(s"""{$good,"lines":7}"""), "lines")
    assertEquals(field(s"""{"lines":[],$good"""), "customer")
  }

  test("a field that is missing is named by the parser, and its object by us") {
    def text(body: String): String = baskets.test(Request.post("/baskets", body)).text
    assert(post("""{"id":1}""").text.startsWith("malformed JSON: missing required field \"item\""))
    val inside = text("""{"lines":[],"customer":{"id":1}}""")
    assert(inside.startsWith("malformed JSON: field 'customer': missing required field \"item\""), inside)
  }

  test("names of fields from a client are cut and cleaned") {
    val reply = baskets.test(Request.post("/baskets", "{\"" + "a\u0007" * 500 + "\":{\"b\":")).text
    assert(reply.length < 300 && !reply.contains('\u0007'), reply)
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
