package needletail.http.message

import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}

class MediaTypeSuite extends needletail.testing.Suite {
  test("essence: lower case, no parameters") {
    assertEquals(MediaType.essence("Text/HTML; Charset=utf-8"), "text/html")
    assertEquals(MediaType.essence(" application/json "), "application/json")
    assertEquals(MediaType.essence(""), "")
  }

  test("parameters, by name and without quotes") {
    val form = "multipart/form-data; x-boundary=no; Boundary=\"a;b\\\"c\" ;charset=utf-8"
    assertEquals(MediaType.parameter(form, "boundary"), Some("a;b\"c"))
    assertEquals(MediaType.parameter(form, "charset"), Some("utf-8"))
    assertEquals(MediaType.parameter(form, "bound"), None)
    assertEquals(MediaType.parameter("a/b; c", "c"), None)
    assertEquals(MediaType.parameter("a/b;", "c"), None)
    assertEquals(MediaType.parameter("a/b; c=\"d", "c"), Some("\"d"))
  }

  test("charset: UTF-8 unless another one is named that is known here") {
    assertEquals(MediaType.charset(None), UTF_8)
    assertEquals(MediaType.charset(Some("text/plain")), UTF_8)
    assertEquals(MediaType.charset(Some("text/plain; CHARSET=\"iso-8859-1\"")), ISO_8859_1)
    assertEquals(MediaType.charset(Some("text/plain; xcharset=iso-8859-1")), UTF_8)
    assertEquals(MediaType.charset(Some("text/plain; charset=nonsense")), UTF_8)
    assertEquals(MediaType.charset(Some("text/plain; charset=\u0000 !")), UTF_8)
  }

  test("millions of parameters without an equals sign cost no more than their length") {
    assertEquals(
      MediaType.parameter("a/b" + ";c" * 4000000 + ";d=e", "d"),
      Some("e")
    ) // their square is minutes
  }
}
