package needletail.routing

/** What the compiler says about a mistake in a route; each message must tell what to do. */
class CompileErrorSuite extends munit.FunSuite {

  private def says(errors: String, words: String*): Unit = {
    assert(errors.nonEmpty, "it compiles")
    words.foreach(word => assert(errors.contains(word), s"'$word' is not in:\n$errors"))
  }

  test("a right route has no errors") {
    assertEquals(
      compileErrors("""GET / "foo" / arg[Int] / arg[String] to { case (i, s) => s"$i $s".ok }"""),
      ""
    )
  }

  test("a segment of a type without a Read") {
    says(compileErrors("""GET / arg[Thread]"""), "there is no Read[Thread]", "Read.of")
  }

  test("a number in a path") {
    says(compileErrors("""GET / 3"""), "a Int is not allowed in a path", "a literal in quotes")
  }

  test("an optional segment") {
    says(
      compileErrors("""GET / arg[Option[Int]]"""),
      "is not allowed in a path",
      "only they can be optional, lists or have a default"
    )
  }

  test("a query parameter in a path") {
    says(compileErrors("""GET / "a" / ?("q", arg[Int])"""), "is not allowed in a path", "added with +")
  }

  test("a segment added with +") {
    says(
      compileErrors("""GET / "a" + "b" to "it".ok"""),
      "cannot be added to a route with +",
      "A path segment is added with /"
    )
  }

  test("a text as an answer, with and without values") {
    says(
      compileErrors("""GET / "a" / arg[String] to (name => s"Hello $name")"""),
      "convert a text with .ok"
    )
    says(compileErrors("""GET / "a" to "hello""""), "a text is not a response yet", ".ok")
  }

  test("an answer that is nothing to answer with") {
    says(
      compileErrors("""GET / "a" / arg[Int] to (i => i + 1)"""),
      "a handler must return Response",
      "not Int"
    )
  }

  test("content that is none") {
    says(compileErrors("""Some(3).ok"""), "cannot be the content of a response", "Content[")
    says(
      compileErrors("""needletail.async.Async.value("x").ok"""),
      "Map an Async or Future first: .map(_.ok)"
    )
  }

  test("values without a handler's parameters") {
    says(
      compileErrors("""GET / "a" / arg[Int] to "it".ok"""),
      "this route has values",
      "pass a function of them to `to`"
    )
  }

  test("a body of a type without a BodyReader") {
    says(
      compileErrors("""POST / "a" + Body[Thread]"""),
      "there is no BodyReader[Thread]",
      "JsonFormat of needletail.json",
      "import needletail.jsoniter._"
    )
  }

  test("too many values") {
    says(
      compileErrors(
        """val six = arg[Int] / arg[Int] / arg[Int] / arg[Int] / arg[Int] / arg[Int]; six / six / arg[Int]"""
      ),
      "at most 12 values",
      ">>"
    )
    says(
      compileErrors(
        """val six = arg[Int] / arg[Int] / arg[Int] / arg[Int] / arg[Int] / arg[Int]; six / (six / six)"""
      ),
      "at most 12 values"
    )
  }

  test("a filter of the wrong type, a case class of other members") {
    says(compileErrors("""GET / arg[Int].filter((s: String) => s.isEmpty)"""), "Int")
    says(compileErrors("""arg[String] / arg[Int] >> Point.apply"""), "Int", "String")
  }

  test("a literal cannot be what is asked for") {
    says(compileErrors("""GET / "a" + ?("q", 3)"""), "does not say how this parameter is read")
  }
}
