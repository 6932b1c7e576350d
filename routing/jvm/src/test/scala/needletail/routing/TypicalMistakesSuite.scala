package needletail.routing

/**
 * The mistakes that newcomers make, and what the compiler says about each: one message, ours wherever the type checker
 * lets us choose it, which says what to write instead.
 */
class TypicalMistakesSuite extends munit.FunSuite {

  private val isScala3 = compileErrors("val x: scala.quoted.Quotes = null").isEmpty

  private def says(errors: String, words: String*): Unit = {
    assert(errors.nonEmpty, "it compiles")
    words.foreach(word => assert(errors.contains(word), s"'$word' is not in:\n$errors"))
    // Scala 3 tries an argument of an overloaded method twice, and prints an error at the same position once.
    assertEquals(errors.split("error:").map(_.trim).filter(_.nonEmpty).distinct.length, 1, errors)
  }

  test("a route without `to`") {
    says(compileErrors("""Routes(GET / "a")"""), "this is not a route", "ends with `to`")
    says(compileErrors("""Routes(GET / "a" to "it".ok, GET / "b" / arg[Int])"""), "ends with `to`")
  }

  test("a route without `to` in subroutes") {
    says(compileErrors(""""a" subroutes { a => a + GET / arg[Int] }"""), "ends with `to`")
    says(compileErrors(""""a" subroutes (a => a + GET to "it".ok, a => a + POST)"""), "ends with `to`")
    says(
      compileErrors("""("a" / arg[Int] + header("x", arg[Int])) subroutes { a => a + GET }"""),
      "ends with `to`"
    )
  }

  test("subroutes that are not a function") {
    says(compileErrors(""""a" subroutes (GET / "b" to "it".ok)"""), "subroutes takes a function", "base =>")
  }

  test("a handler right behind the pattern") {
    val errors = compileErrors("""GET / "a" / arg[Int] { n => s"$n".ok }""")
    if (isScala3) says(errors, "`to` is missing between the pattern and its handler")
    else {
      // With type arguments, Scala 2 types a function before it chooses between the overloads of arg.
      says(errors, "missing parameter type")
      says(compileErrors("""GET / "a" / arg[Int] { (n: Int) => s"$n".ok }"""), "`to` is missing between")
    }
  }

  test("a response in place of a route") {
    says(compileErrors("""Routes("it".ok)"""), "this is not a route")
    says(compileErrors(""""a" subroutes (a => "it".ok)"""), "this is not a route")
  }

  test("a list in place of routes") {
    says(compileErrors("""Routes(List(GET / "a" to "it".ok))"""), "Routes(list: _*)")
  }

  test("a text as the answer") {
    says(compileErrors("""GET / "a" to "it""""), "a text is not a response yet", ".ok")
    says(compileErrors("""GET / "a" / arg[Int] to (n => s"$n")"""), "convert a text with .ok")
    says(
      compileErrors("""GET / "a" / arg[Int] to (n => if (n > 0) "it".ok else "no")"""),
      "convert a text with .ok"
    )
  }

  test("a handler that does not return") {
    assertEquals(compileErrors("""GET / "a" to (_ => ???)"""), "")
    assertEquals(compileErrors("""GET / "a" / arg[Int] to (n => sys.error(s"$n"))"""), "")
    assertEquals(compileErrors("""GET / "a" / arg[Int] / arg[Int] to { case (_, _) => ??? }"""), "")
  }

  test("a mistake within a handler is the only one that is reported") {
    says(compileErrors("""GET / "a" / arg[Int] to (n => undefined(n))"""), "undefined")
    says(
      compileErrors("""GET / "a" / arg[Int] to (n => n.foo.ok)"""),
      "value foo is not a member of Int"
    )
    says(
      compileErrors("""GET / "a" / arg[Int] / arg[String] to { case (n, s) => (n.foo + s).ok }"""),
      "value foo is not a member of Int"
    )
    says(
      compileErrors(""""a" subroutes { a => Routes(a + GET / arg[Int] to (n => undefined(n).ok)) }"""),
      "undefined"
    )
  }

  test("two values for a pattern with one") {
    // The compiler's own: what a pattern is matched against is not ours to comment on. Scala 3 checks it after the type
    // checker, which a test cannot see: "cannot test if value of type Int is a reference of class Tuple2".
    val errors = compileErrors("""GET / "a" / arg[Int] to { case (a, b) => s"$a $b".ok }""")
    if (!isScala3) says(errors, "constructor cannot be instantiated to expected type", "required: Int")
  }

  test("three values for a pattern with two") {
    // As above; Scala 3: "this case is unreachable since type (Int, Int) is not a subclass of class Tuple3".
    val errors =
      compileErrors("""GET / "a" / arg[Int] / arg[Int] to { case (a, b, c) => s"$a $b $c".ok }""")
    if (!isScala3) says(errors, "constructor cannot be instantiated to expected type", "required: (Int, Int)")
  }

  test("one parameter for two values") {
    says(
      compileErrors("""GET / "a" / arg[Int] / arg[Int] to (a => a.ok)"""),
      "a (Int, Int) cannot be the content of a response",
      "Several values of a route are one tuple: to { case (a, b) => ... }"
    )
    // The compiler's own, with the type that the handler is given.
    says(
      compileErrors("""GET / "a" / arg[Int] / arg[Int] to (a => a.abs.toString.ok)"""),
      "value abs is not a member of (Int, Int)"
    )
  }

  test("two parameters without `case`") {
    val errors = compileErrors("""GET / "a" / arg[Int] / arg[Int] to ((a, b) => s"$a $b".ok)""")
    if (isScala3) assertEquals(errors, "") // it takes the tuple apart
    else {
      def isExplained(errors: String) =
        says(errors, "the values of this route are one tuple", "{ case (a, b) => ... }")
      isExplained(errors)
      // whatever the function does with them
      isExplained(
        compileErrors("""GET / arg[Int] / arg[Int] to { (a, b) => val c = a.abs; (c + b).toString.ok }""")
      )
      isExplained(
        compileErrors("""GET / arg[Int] / arg[Int] to ((a, b) => if (a > b) "more".ok else "less".ok)""")
      )
      isExplained(
        compileErrors("""GET / arg[Int] / arg[Int] to ((a, b) => List(a, b).map(_ + 1).mkString.ok)""")
      )
      isExplained(compileErrors("""GET / arg[Int] / arg[Int] to ((a, b) => math.max(a, b).toString.ok)"""))
      isExplained(compileErrors("""GET / arg[Int] / arg[String] to ((_, b) => b.toUpperCase.ok)"""))
      isExplained(compileErrors("""GET / arg[Int] / arg[Int] to ((a: Int, b: Int) => s"$a $b".ok)"""))
      isExplained(compileErrors("""GET / arg[Int] / arg[Int] / arg[Int] to ((a, b, c) => s"$a $b $c".ok)"""))
      // where something else is reported, it names the mistake, too
      says(compileErrors("""GET / arg[Int] / arg[Int] to ((_, b) => b.ok)"""), "{ case (a, b) => ... }")
      says(
        compileErrors("""GET / arg[Int] / arg[Int] to ((a, _) => Some[Option[Int]](a).toString.ok)"""),
        "SeveralValuesNeedCase"
      )
      // a mistake within the function is reported first
      says(compileErrors("""GET / arg[Int] / arg[Int] to ((a, b) => undefined(a))"""), "undefined")
    }
  }

  test("an answer that ignores the values") {
    says(
      compileErrors("""GET / "a" / arg[Int] to "it".ok"""),
      "this route has values",
      "(value => ...)",
      "{ case (a, b) => ... }"
    )
  }

  test("a segment added with +") {
    says(compileErrors("""GET + "y" to "it".ok"""), "A path segment is added with /", "arg[T]")
    assert(!compileErrors("""GET + "y" to "it".ok""").contains("![")) // which Scala 3 does not allow
  }

  test("a query parameter added with /") {
    says(compileErrors("""GET / "a" / ?("q", arg[Int])"""), "is not allowed in a path", "added with +")
  }

  test("a type in place of arg") {
    says(
      compileErrors("""GET / "a" / Int"""),
      "is not allowed in a path",
      "arg[T] to convert one segment to a T"
    )
  }

  test("an optional segment, or one with a default") {
    says(compileErrors("""GET / arg[Option[Int]]"""), "only they can be optional, lists or have a default")
    says(compileErrors("""GET / arg[Int].default(1)"""), "only they can be optional, lists or have a default")
  }

  test("a parameter without a type") {
    says(compileErrors("""GET / "a" + ?("q")"""), "the type of this parameter is missing", "arg[T]")
    says(compileErrors("""GET / "a" + header("q")"""), "the type of this parameter is missing")
    says(compileErrors("""GET / "a" + cookie("q")"""), "the type of this parameter is missing")
  }

  test("a parameter with a type in place of arg") {
    says(compileErrors("""GET / "a" + ?("q", Int)"""), "does not say how this parameter is read", "arg[T]")
    says(compileErrors("""GET / "a" + header("q", 3)"""), "a Int does not say how this parameter is read")
    says(compileErrors("""GET / "a" + cookie("q", Some("x"))"""), "does not say how this parameter is read")
  }

  test("an Async that is not mapped") {
    says(
      compileErrors("""GET / "a" to needletail.async.Async.value("it").ok"""),
      "Map an Async or Future first: .map(_.ok)"
    )
    says(
      compileErrors("""GET / "a" / arg[Int] to (n => needletail.async.Async.value("it"))"""),
      "a handler must return Response, Async[Response]",
      "Async[String]"
    )
  }
}
