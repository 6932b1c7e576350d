package needletail.content.validation

import needletail.content._
import needletail.http.{Headers, MessageBody, Method, Request}
import needletail.json._
import needletail.routing._
import needletail.testing.Suite
import needletail.testkit._

/** Inputs with several mistakes, which are all told at once. */
class ValidationSuite extends Suite {
  private case class SignUp(name: String, age: Int, email: Option[String])
  private case class Line(price: Int)
  private case class Order(item: String, address: Line, lines: List[Line])

  private implicit val line: JsonFormat[Line] =
    JsonFormat(_.at("price").as[Int].map(Line(_)))(l => Json.obj("price" -> l.price))
  private implicit val order: JsonFormat[Order] = JsonFormat(json =>
    for {
      item    <- json.at("item").as[String]
      address <- json.at("address").as[Line]
      lines   <- json.at("lines").as[List[Line]]
    } yield Order(item, address, lines)
  )(_ => Json.obj())

  private def signUp(form: Parameters): Validated[SignUp] =
    (form.field[String](
      "name"
    ).check("must not be empty")(_.nonEmpty).check("must not be admin")(_ != "admin") +
      form.field[Int]("age").check("must be at least 18")(_ >= 18) +
      form.field[Option[String]]("email").check("must have an @")(_.forall(_.contains('@')))).map {
      case (name, age, email) => SignUp(name, age, email)
    }

  private def price(line: Line): Validated[Line] =
    Validated(line).check("price", "must not be negative")(_.price >= 0)

  private def valid(order: Order): Validated[Order] =
    Validated(order)
      .check("item", "must not be empty")(_.item.nonEmpty)
      .check("lines", "must not be empty")(_.lines.nonEmpty)
      .within("address", _.address)(price)
      .each("lines", _.lines)(price)

  private val routes = Routes(
    POST / "users" + Body[Parameters].validate(signUp) to (user => s"$user".ok),
    GET / "users" + queryParameters.validate(signUp, Status.BadRequest) to (user => s"$user".ok),
    POST / "orders" + Body[Order].validate(valid) to (order => s"${order.lines.length}".ok),
    GET / "tags" + queryParameters.validate(_.field[List[Int]]("n")) to (all => s"${all.sum}".ok),
    POST / "page" + Body[Parameters].map(signUp(_).result) to (_.fold(
      _.map(_.field).mkString(" ").ok,
      _.name.ok
    ))
  )

  private def post(path: String, mediaType: String, body: String) =
    routes.test(Request(Method.POST, path, Headers("Content-Type" -> mediaType), MessageBody.of(body)))

  private def form(body: String, path: String = "/users") =
    post(path, "application/x-www-form-urlencoded", body)

  private def errors(text: String): List[(String, String)] =
    Json.parse(text).flatMap(_.at("errors").as[List[Json]]).toOption.get.map { e =>
      (e.at("field").as[String].toOption.get, e.at("message").as[String].toOption.get)
    }

  private def members(text: String): List[String] =
    Json.parse(text).flatMap(_.as[Map[String, Json]]).toOption.get.keys.toList

  test("elements of a list that have no fields") {
    val tags  = List("a", "", "B")
    val rows  = List(List(1), List(2, -1))
    val lower = (tag: String) =>
      Validated(tag).check("must not be empty")(_.nonEmpty).check("must be lower case")(t =>
        t == t.toLowerCase
      )
    assertEquals(
      Validated(tags).each("tags", identity)(lower).errors.toList,
      List(FieldError("tags[1]", "must not be empty"), FieldError("tags[2]", "must be lower case"))
    )
    assertEquals(Validated(tags).within("first", _.last)(lower).errors.map(_.field).toList, List("first"))
    assertEquals(
      Validated(rows)
        .each("rows", identity)(row =>
          Validated(row).each("", identity)(n => Validated(n).check("must be positive")(_ > 0))
        )
        .errors.map(_.field).toList,
      List("rows[1][1]")
    )
  }

  test("a form: all fields that are missing, malformed or wrong, in order") {
    assertEquals(form("name=Ann&age=20&email=").text, "SignUp(Ann,20,None)")
    assertEquals(form("name=Ann&age=20&email=a@b").text, "SignUp(Ann,20,Some(a@b))")
    val all = form("name=&age=7&email=x")
    assertEquals((all.status.code, all.header("Content-Type")), (422, Some("application/problem+json")))
    assertEquals(
      errors(all.text),
      List("name" -> "must not be empty", "age" -> "must be at least 18", "email" -> "must have an @")
    )
    assertEquals(errors(form("age=x").text), List("name" -> "is missing", "age" -> "expected Integer"))
    assertEquals(errors(form("name=admin&age=20").text), List("name" -> "must not be admin"))
    assertEquals(form("name=&age=7", "/page").text, "name age", "for a page that shows the form again")
  }

  test("a query, with another status") {
    assertEquals(routes.test(Request.get("/users?name=Ann&age=20")).text, "SignUp(Ann,20,None)")
    val bad = routes.test(Request.get("/users?age=7"))
    assertEquals((bad.status.code, errors(bad.text).length), (400, 2))
    assertEquals(routes.test(Request.get("/users?name=%FF")).status.code, 400)
    assertEquals(routes.test(Request.get("/tags?n=1&n=2")).text, "3")
    assertEquals(errors(routes.test(Request.get("/tags?n=1&n=x")).text), List("n" -> "expected Integer"))
  }

  test("JSON: fields of objects and of each element, as far as it could be read") {
    def json(body: String) = post("/orders", "application/json", body)
    assertEquals(json("""{"item":"pen","address":{"price":0},"lines":[{"price":1}]}""").text, "1")
    val bad = json("""{"item":"","address":{"price":-1},"lines":[{"price":1},{"price":-1}]}""")
    assertEquals(
      errors(bad.text),
      List(
        "item"           -> "must not be empty",
        "address.price"  -> "must not be negative",
        "lines[1].price" -> "must not be negative"
      )
    )
    // a field that is missing or has another type is told in the same form as one whose value is not valid
    val unread = json("""{"item":7}""")
    assertEquals((unread.status, unread.header("Content-Type")), (bad.status, bad.header("Content-Type")))
    assertEquals(errors(unread.text), List("item" -> "expected a string, got 7"))
    assertEquals(errors(json("""{"item":"pen"}""").text), List("address" -> "is missing"))
    assertEquals(members(unread.text), members(bad.text))
    val malformed = json("""{"item":""")
    assertEquals((malformed.status.code, errors(malformed.text).map(_._1)), (400, List("item")))
    assertEquals(members(malformed.text), members(bad.text))
    val many = json(
      s"""{"item":"","address":{"price":0},"lines":[${List.fill(1000)("""{"price":-1}""").mkString(",")}]}"""
    )
    assertEquals(errors(many.text).length, 100, "no more than a client may read")
  }

  test("nothing is converted that is wrong") {
    val wrong = Validated(-1).check("n", "must be positive")(_ > 0).map(n => new Array[Byte](n))
    assertEquals(wrong.result.left.map(_.toList), Left(List(FieldError("n", "must be positive"))))
    val none = Validated.error[Int]("a", "is gone") + Validated("x").check("b", "is wrong")(_ => false)
    assertEquals(none.result.left.map(_.map(_.field).toList), Left(List("a", "b")))
    assertEquals((Validated(1) + Validated("x")).result, Right((1, "x")))
  }
}
