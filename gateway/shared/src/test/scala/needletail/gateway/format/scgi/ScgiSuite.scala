package needletail.gateway.format.scgi

import needletail.gateway.Records
import needletail.gateway.format.cgi.Variables
import needletail.testing.Suite

class ScgiSuite extends Suite {
  import Records.*

  private val example = "70:CONTENT_LENGTH\u000027\u0000SCGI\u00001\u0000REQUEST_METHOD\u0000POST\u0000" +
    "REQUEST_URI\u0000/deepthought\u0000,"

  private def read(text: String, limit: Int = 1000): (Int, List[(String, String)]) = {
    val variables = new Variables
    val bytes     = latin1("...." + text)
    val n         = Scgi.read(variables, bytes, 4, bytes.length, limit)
    (if (n > 0) n - 4 else n, if (n > 0) variables.toList else Nil)
  }

  test("the request of the specification") {
    assertEquals(
      read(example + "What is the answer to life?"),
      (
        example.length,
        List(
          "CONTENT_LENGTH" -> "27",
          "SCGI"           -> "1",
          "REQUEST_METHOD" -> "POST",
          "REQUEST_URI"    -> "/deepthought"
        )
      )
    )
  }

  test("a part of a head, of whatever length, needs more") {
    for (n <- 0 until example.length) assertEquals(read(example.take(n))._1, Scgi.More, s"$n bytes")
  }

  test("what is written is read") {
    val bytes = written(w => Scgi.write(w, 5, List("REQUEST_METHOD" -> "PUT", "EMPTY" -> "")))
    assertEquals(
      read(new String(bytes, "ISO-8859-1"))._2,
      List("CONTENT_LENGTH" -> "5", "SCGI" -> "1", "REQUEST_METHOD" -> "PUT", "EMPTY" -> "")
    )
  }

  test("what is not SCGI is refused") {
    def netstring(text: String) = s"${text.length}:$text,"
    for (
      text <- List(
        "GET / HTTP/1.1\r\n\r\n",
        ":,",
        "0:,",
        "07:SCGI\u00001\u0000,",
        "00:,",
        "-1:,",
        " 1:a,",
        "7 :SCGI\u00001\u0000,",
        "7SCGI\u00001\u0000,",
        netstring(""),
        netstring("CONTENT_LENGTH\u0000\u0000SCGI\u00001\u0000"),               // a length that is none
        netstring("SCGI\u00001\u0000CONTENT_LENGTH\u00000\u0000"),              // the length must be first
        netstring("CONTENT_LENGTH\u00000\u0000SCGI\u00002\u0000"),              // another version
        netstring("CONTENT_LENGTH\u00000\u0000"),                               // none
        netstring("CONTENT_LENGTH\u00000\u0000SCGI\u00001\u0000A\u0000x"),      // no NUL behind the last
        netstring("CONTENT_LENGTH\u00000\u0000SCGI\u00001\u0000\u0000x\u0000"), // a nameless one
        example.dropRight(1) + ";"
      )
    ) assertEquals(read(text)._1, Scgi.Bad, text)
  }

  test("a head beyond the limit is refused before it has come") {
    assertEquals(read("1001:")._1, Scgi.TooLong)
    assertEquals(read("1000:")._1, Scgi.More)
    assertEquals(read("999999999999999999")._1, Scgi.TooLong)
    assertEquals(read(example, limit = 69)._1, Scgi.TooLong)
  }
}
