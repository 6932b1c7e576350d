package needletail.json

import needletail.testing.Suite

private final case class Maker(city: String, since: Int)
private final case class Pen(id: Long, name: String, maker: Maker, tags: Option[List[String]])

/** Values out of JSON: what is read, and errors that name the field. */
class JsonReaderSuite extends Suite {
  private val json = Json.parse(
    """{"id":7,"name":"pen","price":1.50,"tags":["a","b"],"maker":{"city":"Bern","since":null},"lines":[{"n":1},{"n":"x"}]}"""
  ).fold(e => fail(e.toString), identity)

  private def error[A](result: Either[JsonError, A]): String = result.fold(_.toString, a => fail(s"$a"))

  test("fields, elements and what is within") {
    assertEquals(json.at("id").as[Int], Right(7))
    assertEquals(json.at("name").as[String], Right("pen"))
    assertEquals(json.at("price").as[BigDecimal], Right(BigDecimal("1.50")))
    assertEquals(json.at("price").as[Double], Right(1.5))
    assertEquals(json.at("tags").as[List[String]], Right(List("a", "b")))
    assertEquals(json.at("tags").at(1).as[String], Right("b"))
    assertEquals(json.at("maker").at("city").as[Option[String]], Right(Some("Bern")))
    assertEquals(json.at("lines").at(0).as[Map[String, Int]], Right(Map("n" -> 1)))
    assertEquals(json.get("id"), Some(7.toJson))
    assertEquals(json.at("maker").as[Json].map(_.toString), Right("""{"city":"Bern","since":null}"""))
  }

  test("what is missing or null is None for an Option, and else an error") {
    assertEquals(json.at("maker").at("since").as[Option[Int]], Right(None))
    assertEquals(json.at("maker").at("until").as[Option[Int]], Right(None))
    assertEquals(error(json.at("maker").at("until").as[Int]), "missing field 'maker.until'")
    assertEquals(error(json.at("no").at("such").as[Int]), "missing field 'no'")
    assertEquals(error(json.at("tags").at(2).as[String]), "missing field 'tags[2]'")
    assertEquals(
      error(json.at("maker").at("since").as[Int]),
      "field 'maker.since': expected Integer, got null"
    )
  }

  test("what is something else is an error that names the field, what was expected and what was there") {
    assertEquals(error(json.at("name").as[Int]), "field 'name': expected Integer, got a string")
    assertEquals(error(json.at("price").as[Int]), "field 'price': expected Integer, got 1.50")
    assertEquals(error(json.at("id").at("x").as[Int]), "field 'id': expected an object, got a number")
    assertEquals(
      error(json.at("lines").as[List[Map[String, Int]]]),
      "field 'lines[1].n': expected Integer, got a string"
    )
    assertEquals(error(json.at(0).as[Int]), "expected an array, got an object")
    assertEquals(error(json.as[List[Int]]), "expected an array, got an object")
  }

  test("a path has the beginning of a long name") {
    val name  = "x" * 100000
    val found = Json.parse(s"""{"$name":{"n":"x"}}""").flatMap(_.as[Map[String, Map[String, Int]]])
    assertEquals(found.left.map(_.path), Left("x" * 256 + "\u2026.n"))
  }

  test("whole numbers, however they are written, at bounded cost") {
    def long(text: String) = Json.parse(text).flatMap(_.as[Long]).toOption
    assertEquals(
      List("0", "-0", "1e3", "1.0", "1.50e1", "9223372036854775807", "-9223372036854775808").map(long),
      List(0L, 0L, 1000L, 1L, 15L, Long.MaxValue, Long.MinValue).map(Option(_))
    )
    assertEquals(
      List(
        "1.5",
        "9223372036854775808",
        "1e999999999",
        "1e-999999999",
        "1e99999999999",
        "0.1"
      ).map(long).flatten,
      Nil
    )
    assertEquals(Json.parse("1e5000").flatMap(_.as[BigInt]).isLeft, true)
    assertEquals(Json.parse("1e20").flatMap(_.as[BigInt]), Right(BigInt(10).pow(20)))
    assertEquals(Json.parse("1e400").flatMap(_.as[Double]).isLeft, true)
    assertEquals(Json.parse("2147483648").flatMap(_.as[Int]).isLeft, true)
  }

  test("decimal numbers whose exponents stand for few digits, and all that are written out") {
    def decimal(text: String, limits: JsonLimits = JsonLimits()) =
      Json.parse(text, limits).flatMap(_.as[BigDecimal])
    for (text <- Seq("0", "-1.50", "1e999", "1e-1000", "0.5e3", "0e-5", "12345678901234567890.5"))
      assertEquals(decimal(text), Right(BigDecimal(text)))
    for (text <- Seq("1e1001", "1e-1001", "1e40000000", "1e2147483647", "0e-999999999", "1e9999999999"))
      assertEquals(error(decimal(text)), s"expected a number of at most 1,000 digits, got $text")
    for (long <- Seq("7" * 3000, "0." + "7" * 3000))
      assertEquals(
        decimal(long, JsonLimits(maxNumberLength = 4000)).map(_.bigDecimal.toPlainString),
        Right(long)
      )
  }

  test("the error of a filter has its path, and names it once") {
    def errors(message: String) = {
      val positive = JsonReader.of[Int].filter(_ > 0, message)
      val result   = Json.obj("a" -> Json.obj("n" -> -1)).as(JsonReader(_.at("a").at("n").as(positive)))
      result.left.map(e => (e.path, e.message, e.toString))
    }
    assertEquals(
      errors("{NAME} must be positive"),
      Left(("a.n", "a.n must be positive", "a.n must be positive"))
    )
    assertEquals(
      errors("must be positive"),
      Left(("a.n", "must be positive", "field 'a.n': must be positive"))
    )
  }

  test("the error of what is derived from a field has the field's path") {
    val name  = JsonReader.field[String]("name").map(_.trim).filter(_.nonEmpty, "{NAME} must not be empty")
    val year  = JsonReader.field[Int]("since").collect("a year")(n => if (n > 0) Some(n) else None)
    val text  = """{"maker":{"name":" ","since":-1}}"""
    val both  = Json.parse(text).flatMap(_.at("maker").as(JsonReader.of(name + year)))
    val error = both.left.getOrElse(fail("accepted"))
    assertEquals(
      (error +: error.others).map(e => (e.path, e.message)),
      Vector(("maker.name", "maker.name must not be empty"), ("maker.since", "expected a year, got '-1'"))
    )
  }

  test("a Double is written as a text that reads as the same one") {
    for (value <- Seq(0.0, -0.0, 1.0, -1.0, 1.5, 1e15, 1e300, Double.MinPositiveValue)) {
      val read = Json.parse(value.toJson.toString).flatMap(_.as[Double])
      assertEquals(
        read.map(java.lang.Double.doubleToRawLongBits),
        Right(java.lang.Double.doubleToRawLongBits(value))
      )
    }
    assertEquals(Seq(0.0, -0.0, 3.0).map(_.toJson.toString), Seq("0", "-0.0", "3"))
  }

  test("readers are derived from others, with messages of one's own") {
    val positive = JsonReader.of[Int].filter(_ > 0, "{NAME} must be positive, not {VALUE}")
    assertEquals(json.at("id").as(positive), Right(7))
    assertEquals(
      error(Json.obj("a" -> Json.obj("n" -> -1)).at("a").at("n").as(positive)),
      "a.n must be positive, not -1"
    )
    val even = JsonReader.of[Int].collect("an even number")(n => if (n % 2 == 0) Some(n / 2) else None)
    assertEquals(error(json.at("id").as(even)), "field 'id': expected an even number, got '7'")
    assertEquals(json.at("id").as(JsonReader.of[Int].map(_ + 1)), Right(8))
  }

  private implicit val maker: JsonReader[Maker] =
    (JsonReader.field[String]("city") + JsonReader.field[Int]("since")).map { case (city, since) =>
      Maker(city, since)
    }
  private val pen = (JsonReader.field[Long]("id") + JsonReader.field[String]("name") +
    JsonReader.field[Maker]("maker") + JsonReader.field[Option[List[String]]]("tags")).map {
    case (id, name, maker, tags) => Pen(id, name, maker, tags)
  }

  test("readers of fields report everything that is missing or wrong, each with its name") {
    def read(text: String) = Json.parse(text).flatMap(_.as(pen))
    assertEquals(
      read("""{"id":1,"name":"p","maker":{"city":"Bern","since":1900}}"""),
      Right(Pen(1, "p", Maker("Bern", 1900), None))
    )
    assertEquals(
      error(read("""{"tags":["a"]}""")),
      "missing field 'id'; missing field 'name'; missing field 'maker'"
    )
    assertEquals(
      error(read("""{"id":"x","maker":{"city":1},"tags":[1,2]}""")),
      "field 'id': expected Long, got a string; missing field 'name'; field 'maker.city': expected a string, got 1; " +
        "missing field 'maker.since'; field 'tags[0]': expected a string, got 1"
    )
    val wrong = read("""{"name":"p"}""").left.toOption.get
    assertEquals(
      (wrong +: wrong.others).map(e => e.path -> e.message),
      Vector("id" -> "is missing", "maker" -> "is missing")
    )
    assertEquals(error(read("[]")), "expected an object, got an array")
  }

  test("a document with very many errors has an answer of bounded size") {
    lazy val tree: JsonReader[Int] =
      (JsonReader.field[Int]("n") + below("a") + below("b")).map { case (n, a, b) => n + a.sum + b.sum }
    def below(name: String): JsonReader[Option[Int]] =
      JsonReader(at => JsonReader.option(tree).read(at.at(name)))
    def deep(levels: Int): String =
      if (levels == 0) "{}" else s"""{"a":${deep(levels - 1)},"b":${deep(levels - 1)}}"""
    val wrong = Json.parse(deep(12)).flatMap(_.as(tree)).left.toOption.get
    assertEquals(wrong.others.size, 99)
    assert(wrong.toString.length < 20000, wrong.toString.length)
  }

  test("writers are made of functions and of other writers") {
    val byFunction: JsonWriter[Maker] = JsonWriter(m => Json.obj("city" -> m.city))
    assertEquals(byFunction.write(Maker("Bern", 1)).toString, """{"city":"Bern"}""")
    val byOther = JsonWriter.of[String].contramap[Maker](_.city)
    assertEquals(byOther.write(Maker("Bern", 1)).toString, "\"Bern\"")
    val format = JsonFormat.of(maker, byFunction)
    assertEquals(List(Maker("Bern", 1)).toJson(JsonWriter.seq(format)).toString, """[{"city":"Bern"}]""")
  }

  test("a map of very many members costs no more for each of them") {
    val count = 100000
    val text  = (0 until count).map(i => s"\"$i\":$i").mkString("{", ",", "}")
    val map   = Json.parse(text).flatMap(_.as[Map[String, Int]]).fold(e => fail(e.toString), identity)
    assertEquals((map.size, map("0"), map(s"${count - 1}")), (count, 0, count - 1))
    val bad = Json.obj("a" -> Json.obj("b" -> 1, "c" -> "x"))
    assertEquals(error(bad.at("a").as[Map[String, Int]]), "field 'a.c': expected Integer, got a string")
  }

  test("names that have the same hash code make no map slow") {
    val names =
      (1 to 16).foldLeft(Vector(""))((all, _) => all.flatMap(name => Vector(name + "Aa", name + "BB")))
    assertEquals(names.map(_.hashCode).distinct.size, 1)
    val json = Json.parse(names.map(name => s"\"$name\":1").mkString("{", ",", "}")).fold(
      e => fail(e.toString),
      identity
    )
    val map = json.as[Map[String, Int]].fold(e => fail(e.toString), identity)
    assertEquals((map.size, map.get(names.last), map.get("Aa")), (65536, Some(1), None))
  }

  test("names from a client are cut and cleaned") {
    val odd     = Json.obj(("x\u0007" * 500) -> Json.obj("b" -> 1))
    val message = error(odd.at("x\u0007" * 500).at("b").as[String])
    assert(message.length < 200 && !message.contains('\u0007'), message)
  }
}
