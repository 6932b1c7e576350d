package needletail.http.message

class ParametersSuite extends needletail.testing.Suite {
  private def pairs(text: String) = Parameters.parse(text).map(_.toList)

  test("pairs in their order, decoded") {
    List(
      ""                 -> Nil,
      "a=1"              -> List("a" -> "1"),
      "a=1&b=2&a=3"      -> List("a" -> "1", "b" -> "2", "a" -> "3"),
      "a"                -> List("a" -> ""),
      "a="               -> List("a" -> ""),
      "=a"               -> List("" -> "a"),
      "="                -> List("" -> ""),
      "a=b=c"            -> List("a" -> "b=c"),
      "&&a=1&&"          -> List("a" -> "1"),
      "a&b=1"            -> List("a" -> "", "b" -> "1"),
      "a+b=c+d%2B"       -> List("a b" -> "c d+"),
      "%61%3d=%26%C3%A9" -> List("a=" -> "&\u00e9"),
      "a;b=c"            -> List("a;b" -> "c")
    ).foreach { case (text, expected) => assertEquals(pairs(text), Right(expected), clue(text)) }
  }

  test("asking") {
    val q = Parameters("a" -> "1", "b" -> "2", "a" -> "3")
    assertEquals(q.get("a"), Some("1"))
    assertEquals(q.getAll("a"), List("1", "3"))
    assertEquals(q.get("A"), None)
    assertEquals(q.toMap("a"), List("1", "3"))
    assertEquals(
      (q.size, q.contains("b"), q.contains("c"), Parameters.empty.isEmpty),
      (3, true, false, true)
    )
    assertEquals(
      Parameters.parse(Parameters("a b" -> "c&d=\u00e9+", "" -> "").render),
      Right(Parameters("a b" -> "c&d=\u00e9+", "" -> ""))
    )
  }

  test("malformed, or too many: 400") {
    List("a=%", "%zz=1", "a=%ff", "a=1&b=%4").foreach(t =>
      assertEquals(Parameters.parse(t).left.map(_.status), Left(Status.BadRequest))
    )
    assertEquals(Parameters.parse("a&" * 5, 5).map(_.size), Right(5))
    assertEquals(Parameters.parse("a&" * 6, 5).left.map(_.status), Left(Status.BadRequest))
    assertEquals(Parameters.parse("a&" * 1001).isLeft, true)
  }

  test("millions of names without an equals sign cost no more than their length") {
    assertEquals(
      Parameters.parse("a&" * 4000000, max = 10000000).map(_.size),
      Right(4000000)
    ) // their square is minutes
  }
}
