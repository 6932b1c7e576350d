package needletail.content

import needletail.http.{Headers, Method, Request}
import needletail.testing.Suite
import needletail.testkit._

class ResourcesSuite extends Suite {
  private val routes = resources("/c", "/")

  test("a file of a directory, and one of an archive, with tags by their content") {
    for (
      (name, kind) <- Seq(
        "needletail/content/ResourcesSuite.class" -> "application/java-vm",
        "scala/Option.class"                      -> "application/java-vm"
      )
    ) {
      val reply = routes.test(Request.get(s"/c/$name"))
      assertEquals(reply.status.code, 200, name)
      assertEquals(reply.bytes.take(4).map(_ & 0xff).toSeq, Seq(0xca, 0xfe, 0xba, 0xbe), name)
      assertEquals(reply.header("Content-Type"), Some(kind))
      val tag = reply.header("ETag").get
      assertEquals(
        routes.test(Request(Method.GET, s"/c/$name", Headers("If-None-Match" -> tag))).status.code,
        304
      )
      val part = routes.test(Request(Method.GET, s"/c/$name", Headers("Range" -> "bytes=1-2")))
      assertEquals((part.status.code, part.bytes.map(_ & 0xff).toSeq), (206, Seq(0xfe, 0xba)))
    }
  }

  test("directories, and what is not there, are not listed") {
    for (
      name <- Seq(
        "needletail/content",
        "needletail/content/",
        "scala",
        "scala/",
        "scala/collection",
        "nothing",
        "",
        "../x"
      )
    )
      assertEquals(routes.test(Request.get(s"/c/$name")).status.code, 404, name)
  }
}
