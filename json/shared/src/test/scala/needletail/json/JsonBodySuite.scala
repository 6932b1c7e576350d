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

  test("what is not JSON, or no such value, is refused with 400 and says where") {
    val syntax = post("/items", """{"id":7,"name":}""")
    assertEquals(
      (syntax.status, syntax.text),
      (Status.BadRequest, "malformed JSON: field 'name': expected a value at byte 15")
    )
    assertEquals(
      post("/items", """{"id":"x","name":"pen"}""").text,
      "field 'id': expected Long, got a string"
    )
    assertEquals(post("/items", """{"id":1}""").text, "missing field 'name'")
    assertEquals(post("/items", "[]").text, "expected an object, got an array")
    assertEquals(
      routes.test(Request.put("/items", """[{"id":1,"name":2}]""")).text,
      "field '[0].name': expected a string, got 2"
    )
    assertEquals(post("/any", "[" * 10000).status, Status.BadRequest)
  }

  test("other media types are refused with 415, types made of JSON are not") {
    assertEquals(post("/any", "{}", "text/plain").status, Status.UnsupportedMedia)
    assertEquals(post("/any", "{}", "application/problem+json").status, Status.Ok)
    assertEquals(routes.test(Request.post("/any", "{}")).status, Status.Ok)
  }

  test("limits of bodies can be set") {
    val small = POST / "x" + Body[Json](Json.body(JsonLimits(maxValues = 2))) to (_.ok)
    assertEquals(small.test(Request.post("/x", "[1]")).status, Status.Ok)
    assertEquals(
      small.test(Request.post("/x", "[1,2]")).text,
      "malformed JSON: field '[1]': more than 2 values at byte 3"
    )
  }

  test("documentation tells what the body is") {
    assertEquals(routes.describe.routes.head.parameters.map(_.toString), List("body: JSON"))
  }
}
