package needletail.json

import java.nio.charset.StandardCharsets.UTF_8

import needletail.testing.Suite

/** Which texts are JSON, by the cases of JSONTestSuite. */
class JsonSyntaxSuite extends Suite {
  private val lenient = JsonLimits(duplicates = DuplicateNames.Last)

  test("what must be accepted is, and reads the same when it is written") {
    assertEquals(SyntaxCases.accepted.size, 95)
    SyntaxCases.accepted.foreach { c =>
      val json = Json.parse(c.input, lenient).fold(e => fail(s"${c.name}: $e"), identity)
      assertEquals(Json.parse(json.toBytes, lenient), Right(json), c.name)
      assertEquals(Json.parse(json.pretty, lenient), Right(json), c.name)
    }
  }

  test("only what has a name twice is refused by default among it") {
    val refused = SyntaxCases.accepted.filter(c => Json.parse(c.input).isLeft).map(_.name)
    assertEquals(refused, List("object_duplicated_key", "object_duplicated_key_and_value"))
  }

  test("what must be refused is, at a place within it") {
    assertEquals(SyntaxCases.refused.size, 186)
    (SyntaxCases.refused ++ List(
      SyntaxCases.Case("structure_100000_opening_arrays", ("[" * 100000).getBytes(UTF_8)),
      SyntaxCases.Case("structure_open_array_object", ("[{\"\":" * 50000 + "\n").getBytes(UTF_8))
    )).foreach { c =>
      Json.parse(c.input, lenient) match {
        case Right(json) => fail(s"${c.name}: $json")
        case Left(error) => assert(error.offset >= 0 && error.offset <= c.input.length, s"${c.name}: $error")
      }
    }
  }

  test("where parsers may differ: numbers are kept, ill-formed text and byte order marks are refused") {
    assertEquals(SyntaxCases.unspecified.size, 34)
    SyntaxCases.unspecified.foreach { c =>
      assertEquals(Json.parse(c.input).isRight, c.name.startsWith("number_"), c.name)
    }
  }

  test("depth is bounded, and never more than a stack holds") {
    def nested(n: Int) = "[" * n + "]" * n
    assert(Json.parse(nested(64)).isRight)
    assertEquals(
      Json.parse(nested(65)).left.map(e => (e.message, e.offset)),
      Left(("nested deeper than 64", 64))
    )
    assert(Json.parse(nested(500)).isLeft, "JSONTestSuite's i_structure_500_nested_arrays")
    val deep = Json.parse(nested(1000), JsonLimits(maxDepth = 1000))
    assertEquals(deep.map(_.toString), Right(nested(1000)))
    intercept[IllegalArgumentException](JsonLimits(maxDepth = 1001))
  }
}
