package needletail.json

/** What the compiler says where a type has no reader or writer: each message tells what to write. */
class JsonMistakesSuite extends munit.FunSuite {

  private def says(errors: String, words: String*): Unit = {
    assert(errors.nonEmpty, "it compiles")
    words.foreach(word => assert(errors.contains(word), s"'$word' is not in:\n$errors"))
  }

  test("a value without a JsonWriter") {
    says(compileErrors("new Thread().toJson"), "there is no JsonWriter[Thread]", "in its companion object")
  }

  test("a list of values without a JsonWriter") {
    says(compileErrors("List(new Thread()).toJson"), "A List, Option or Map of T needs only a JsonWriter[T]")
  }

  test("a list or a value without a JsonReader") {
    says(compileErrors("Json.Null.as[Thread]"), "there is no JsonReader[Thread]", "in its companion object")
    says(compileErrors("Json.Null.as[List[Thread]]"), "A List, Option or Map of T needs only a JsonReader[T]")
  }

  test("a list as a response") {
    says(
      compileErrors("import needletail.routing._; List(1, 2).ok"),
      "cannot be the content of a response",
      "a List of such values by .toJson.ok"
    )
  }
}
