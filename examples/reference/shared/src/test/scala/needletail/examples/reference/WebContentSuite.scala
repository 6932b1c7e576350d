package needletail.examples.reference

import java.nio.file.Files

import needletail.http.{Headers, MessageBody, Method, Request}
import needletail.testing.Suite
import needletail.testkit._

class WebContentSuite extends Suite {
  private val routes = WebContent.routes(None)

  test("an upload is answered with what each part is") {
    val body =
      "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a.txt\"\r\nContent-Type: text/plain\r\n\r\nabc\r\n" +
        "--b\r\nContent-Disposition: form-data; name=\"n\"\r\n\r\n" + "a" * 1000 + "\r\n--b--\r\n"
    val reply = routes.test(
      Request(
        Method.POST,
        "/upload",
        Headers("Content-Type" -> "multipart/form-data; boundary=b"),
        MessageBody.of(body)
      )
    )
    assertEquals(
      reply.text,
      """[{"name":"f","fileName":"a.txt","type":"text/plain","size":3,"sha256":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},""" +
        """{"name":"n","fileName":null,"type":"text/plain","size":1000,"sha256":"41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"}]"""
    )
  }

  test("events have numbers from 1, and continue") {
    assertEquals(
      routes.test(Request.get("/events?n=2")).text,
      "id: 1\ndata: event 1\n\nid: 2\ndata: event 2\n\n"
    )
    val rest = routes.test(Request(Method.GET, "/events?n=2", Headers("Last-Event-ID" -> "1")))
    assertEquals(rest.text, "id: 2\ndata: event 2\n\n")
  }

  test("events end at the greatest number") {
    val most                           = Long.MaxValue.toString
    def after(last: String, n: String) =
      routes.test(Request(Method.GET, s"/events?n=$n", Headers("Last-Event-ID" -> last))).text
    assertEquals(after(most, "2"), "")
    assertEquals(after(most, most), "")
    assertEquals(after((Long.MaxValue - 1).toString, most), s"id: $most\ndata: event $most\n\n")
  }

  test("text of any length, compressed for those who accept it") {
    assertEquals(routes.test(Request.get("/text?bytes=100000")).bytes.length, 100000)
    val small = routes.test(Request(Method.GET, "/text?bytes=100000", Headers("Accept-Encoding" -> "gzip")))
    assertEquals(small.header("Content-Encoding"), Some("gzip"))
    assert(small.bytes.length < 10000)
  }

  test("files of the directory that was given") {
    val folder = Files.createTempDirectory("needletail-reference")
    try {
      Files.write(folder.resolve("x.txt"), "x".getBytes)
      assertEquals(WebContent.routes(Some(folder)).test(Request.get("/static/x.txt")).text, "x")
      assertEquals(routes.test(Request.get("/static/x.txt")).status.code, 404)
    } finally {
      Files.delete(folder.resolve("x.txt"))
      Files.delete(folder)
    }
  }
}
