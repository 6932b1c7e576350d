package needletail.examples.services

import needletail.testing.Suite

class JsonSuite extends Suite {
  private def parsed(text: String): Json = Json.parse(text).fold(fail(_), identity)

  test("what is written is read again") {
    val value = Json.Obj(
      "text"  -> Json("a \"b\" \\ \n \u0001 é"),
      "more"  -> Json.Arr(Json(1L), Json(-2.5), Json(true), Json.Null, Json.Obj(), Json.Arr()),
      "empty" -> Json("")
    )
    assertEquals(parsed(value.toString), value)
    assertEquals(Json.Obj("a" -> Json(1L), "b" -> Json.Arr(Json("x"))).toString, """{"a":1,"b":["x"]}""")
    assertEquals(Json("\u0001\n").toString, "\"\\u0001\\n\"")
  }

  test("numbers with two decimal places at most; what is no number is null") {
    assertEquals(
      List(20.0, 1.005, 0.126, 1e9, Double.NaN).map(Json(_).toString),
      List("20", "1", "0.13", "1000000000", "null")
    )
  }

  test("spaces, escapes and numbers, as the grammar has them") {
    assertEquals(parsed(" { \"a\" :\t[ 1 , 2.5e-3 ]\r\n} ").toString, """{"a":[1,2.5e-3]}""")
    assertEquals(parsed("\"\\u0041\\/\\b\\f\\n\\r\\t\\\"\\\\\"").text, Some("A/\b\f\n\r\t\"\\"))
    assertEquals(List("0", "-0", "10", "1E+2").map(parsed(_).toString), List("0", "-0", "10", "1E+2"))
  }

  test("members, elements and whole numbers are there or not") {
    val value = parsed("""{"a":1,"b":[2],"a":3,"c":1.5}""")
    assertEquals(value.get("a").flatMap(_.long), Some(1L))
    assertEquals(value.get("b").flatMap(_.elements), Some(Seq(Json(2L))))
    assertEquals(
      (value.get("d"), value.elements, value.text, value.get("c").flatMap(_.long)),
      (None, None, None, None)
    )
  }

  test("what is not JSON is refused, and it is said where") {
    val bad = List(
      "",
      " ",
      "{",
      "[1,]",
      "{\"a\"}",
      "{a:1}",
      "01",
      "1.",
      ".5",
      "+1",
      "1e",
      "\"a",
      "\"\\x\"",
      "\"\\u12g4\"",
      "tru",
      "1 2",
      "\"\n\"",
      "[1}"
    )
    bad.foreach(text => assert(Json.parse(text).isLeft, clue(text)))
    assertEquals(Json.parse("[1,]"), Left("expected a value at character 3"))
    assertEquals(Json.parse("{\"amount\":7"), Left("expected '}' at character 11"))
  }

  test("depth is bounded") {
    assert(Json.parse("[" * 30 + "]" * 30).isRight)
    assert(Json.parse("[" * 100000).isLeft)
  }
}
