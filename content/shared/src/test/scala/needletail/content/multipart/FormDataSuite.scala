package needletail.content.multipart

import needletail.http.{Headers, MessageBody, Method, Request}
import needletail.testing.Suite
import needletail.testkit._

class FormDataSuite extends Suite {
  test("a form that is written is read again") {
    val loop = new ManualLoop
    val form =
      FormData().field("a\"b", "1\r\n2").file("f", "n\u00e4h\r\n.txt", "text/plain", "content".getBytes)
    val bytes = loop.run(MessageBody.streamed(form.stream, -1).bytes).get
    assertEquals(bytes.length.toLong, form.length)
    val request =
      Request(Method.POST, "/", Headers("Content-Type" -> form.contentType), MessageBody.of(bytes))
    val parts = loop.run(Multipart.of(request).toOption.get.each(p =>
      p.text().map((p.name, p.fileName, p.contentType, _))
    )).get
    assertEquals(
      parts,
      List(("a\"b", None, "text/plain", "1\r\n2"), ("f", Some("n\u00e4h%0D%0A.txt"), "text/plain", "content"))
    )
  }

  test(
    "a name may have what can be sent: line breaks and quotes escaped as by browsers, no other control characters"
  ) {
    val loop                                           = new ManualLoop
    def read(form: FormData): (String, Option[String]) = {
      val request = Request(
        Method.POST,
        "/",
        Headers("Content-Type" -> form.contentType),
        MessageBody.streamed(form.stream, -1)
      )
      loop.run(Multipart.of(request).toOption.get.each(p => p.text().map(_ => (p.name, p.fileName)))).get.head
    }
    def file(name: String) = FormData().file(name, name, "text/plain", "x".getBytes)
    for (
      (name, expected) <-
        Seq("a\tb" -> "a\tb", "a\nb" -> "a%0Ab", "a%22b" -> "a\"b", "a\u0085b" -> "a\u0085b")
    )
      assertEquals(read(file(name)), (expected, Some(expected)))
    for (control <- Seq("\u0000", "\u001b", "\u007f")) {
      intercept[IllegalArgumentException](file(s"a$control"))
      intercept[IllegalArgumentException](FormData().field(s"a$control", "x"))
    }
  }

  test("a media type cannot end its line") {
    intercept[IllegalArgumentException](FormData().file("f", "x", "text/plain\r\nX: y", "".getBytes))
  }
}
