package needletail.json

import needletail.async.Async
import needletail.routing._
import needletail.testing.Suite
import needletail.testkit._

final case class Item(id: Long, name: String)
object Item {
  implicit val json: JsonFormat[Item] = JsonFormat(json =>
    for {
      id   <- json.at("id").as[Long]
      name <- json.at("name").as[String]
    } yield Item(id, name)
  )(item => Json.obj("id" -> item.id, "name" -> item.name))
}

/** Bodies and responses. */
class JsonBodySuite extends Suite {
  private val routes = Routes(
    POST / "items" + Body[Item] to (item => item.copy(id = item.id + 1).created),
    PUT / "items" + jsonBody[List[Item]] to (items => Async.value(items).map(_.reverse.toJson.ok)),
    POST / "any" + Body[Json] to (json => json.ok),
    GET / "object" to Json.obj("a" -> 1).ok,
    GET / "taken" to Response(Status.Conflict).json(Item(1, "pen")),
    GET / "text" to "{}".ok
  )

  private def post(path: String, text: String, mediaType: String = "application/json") =
    routes.test(Request.post(path, text).withHeader("Content-Type", mediaType))

  test("a body becomes a value, a value a response") {
    val reply = post("/items", """{"id":7,"name":"pen","colour":"blue"}""")
    assertEquals(reply.status, Status.Created)
    assertEquals(reply.header("Content-Type"), Some("application/json"))
    assertEquals(reply.text, """{"id":8,"name":"pen"}""")
    assertEquals(post("/any", """[ 1.0 ]""").text, "[1.0]")
    assertEquals(routes.test(Request.get("/object")).text, """{"a":1}""")
    val taken = routes.test(Request.get("/taken"))
    assertEquals((taken.status, taken.text), (Status.Conflict, """{"id":1,"name":"pen"}"""))
    val list = routes.test(Request.put("/items", """[{"id":1,"name":"a"},{"id":2,"name":"b"}]"""))
    assertEquals(list.text, """[{"id":2,"name":"b"},{"id":1,"name":"a"}]""")
  }

  test("a text stays a text") {
    assertEquals(routes.test(Request.get("/text")).header("Content-Type"), Some("text/plain; charset=utf-8"))
  }

  /** Status, detail, and the fields with their errors: all refusals are problems with these members. */
  private def refusal(reply: TestReply): (Int, String, List[(String, String)]) = {
    assertEquals(reply.header("Content-Type"), Some("application/problem+json"))
    val json = Json.parse(reply.bytes).fold(e => fail(e.toString), identity)
    assertEquals(json.at("status").as[Int], Right(reply.status.code))
    assertEquals(json.at("title").as[String], Right(reply.status.reason))
    assertEquals(json.at("type").as[String], Right("about:blank"))
    val errors = json.at("errors").as[List[Map[String, String]]].fold(e => fail(e.toString), identity)
    assert(errors.forall(_.keySet == Set("field", "message")), errors)
    val detail = json.at("detail").as[String].fold(e => fail(e.toString), identity)
    (reply.status.code, detail, errors.map(e => e("field") -> e("message")))
  }

  test("what is not JSON is refused with 400 and says where") {
    assertEquals(
      refusal(post("/items", """{"id":7,"name":}""")),
      (
        400,
        "malformed JSON: field 'name': expected a value at byte 15",
        List("name" -> "expected a value at byte 15")
      )
    )
    assertEquals(refusal(post("/items", ""))._1, 400)
    assertEquals(refusal(post("/any", "[" * 10000))._1, 400)
  }

  test("JSON that is no such value is refused with 422, and each field that is missing or wrong is named") {
    assertEquals(
      refusal(post("/items", """{"id":"x","name":"pen"}""")),
      (422, "field 'id': expected Long, got a string", List("id" -> "expected Long, got a string"))
    )
    assertEquals(
      refusal(post("/items", """{"id":1}""")),
      (422, "missing field 'name'", List("name" -> "is missing"))
    )
    assertEquals(
      refusal(post("/items", "[]")),
      (422, "expected an object, got an array", List("" -> "expected an object, got an array"))
    )
    assertEquals(
      refusal(routes.test(Request.put("/items", """[{"id":1,"name":2}]"""))),
      (422, "field '[0].name': expected a string, got 2", List("[0].name" -> "expected a string, got 2"))
    )
    val both = (JsonReader.field[Long]("id") + JsonReader.field[Map[String, Int]]("counts")).map(_._1)
    val more = POST / "x" + jsonBody(both) to (_.toString.ok)
    assertEquals(
      refusal(more.test(Request.post("/x", "{\"counts\":{\"a\\u0007\":\"x\"}}")))._3,
      List("id" -> "is missing", "counts.a\ufffd" -> "expected Integer, got a string")
    )
    val long = refusal(more.test(Request.post("/x", s"""{"id":1,"counts":{"${"x" * 300}":{}}}""")))._3
    assert(long.head._1.length <= 257 && long.head._1.startsWith("counts.xxx"), long)
  }

  test("a route may answer a body that was refused by itself") {
    val own = (POST / "x" + jsonBody[List[Int]] to (_.sum.toString.ok)).recover {
      case refused: JsonRefused => s"${refused.error.path}: ${refused.error.message}".badRequest
    }
    val reply = own.test(Request.post("/x", """[1,"x"]"""))
    assertEquals((reply.status.code, reply.text), (400, "[1]: expected Integer, got a string"))
  }

  test("other media types are refused with 415, types made of JSON are not") {
    assertEquals(post("/any", "{}", "text/plain").status, Status.UnsupportedMedia)
    assertEquals(post("/any", "{}", "application/problem+json").status, Status.Ok)
    assertEquals(routes.test(Request.post("/any", "{}")).status, Status.Ok)
    assertEquals(post("/any", "{}", "text/plain").header("Accept"), Some("application/json"))
  }

  test("a body with a Content-Encoding is refused with 415, not read as JSON") {
    val reply = routes.test(Request.post("/any", "{}").withHeader("Content-Encoding", "gzip"))
    assertEquals((reply.status, reply.header("Accept-Encoding")), (Status.UnsupportedMedia, Some("identity")))
  }

  test("limits of bodies can be set") {
    val small = POST / "x" + Body[Json](Json.body(JsonLimits(maxValues = 2))) to (_.ok)
    assertEquals(small.test(Request.post("/x", "[1]")).status, Status.Ok)
    assertEquals(
      refusal(small.test(Request.post("/x", "[1,2]"))),
      (
        400,
        "malformed JSON: field '[1]': more than 2 values at byte 3",
        List("[1]" -> "more than 2 values at byte 3")
      )
    )
  }

  test("documentation tells what the body is") {
    assertEquals(routes.describe.routes.head.parameters.map(_.toString), List("body: JSON"))
  }
}
