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

  test("a directory that has an index file is redirected to its slash, where the index is") {
    val indexed  = resources("/c", "/", FileConfig(index = List("ResourcesSuite.class")))
    val redirect = indexed.test(Request.get("/c/needletail/content?a=1"))
    assertEquals(redirect.status.code, 301)
    assertEquals(redirect.header("Location"), Some("/c/needletail/content/?a=1"))
    assertEquals(indexed.test(Request.get("/c/needletail/content/")).status.code, 200)
    assertEquals(indexed.test(Request.get("/c/needletail/")).status.code, 404)
  }

  test("a filter, a fallback and a single file, as of directories") {
    val name     = "needletail/content/ResourcesSuite.class"
    val filtered = resources("/c", "/", FileConfig(filter = _ == name))
    assertEquals(filtered.test(Request.get(s"/c/$name")).status.code, 200)
    assertEquals(filtered.test(Request.get("/c/scala/Option.class")).status.code, 404)
    val fallen = resources("/c", "/", FileConfig(fallback = Some(name))).test(Request.get("/c/nothing"))
    val single = singleResource("/one", name)
    assertEquals(fallen.status.code, 200)
    assertEquals(single.test(Request.get("/one")).bytes.toSeq, fallen.bytes.toSeq)
    assertEquals(single.test(Request.get("/two")).status.code, 404)
    assertEquals(
      resources("/c", "/", FileConfig(fallback = Some("no"))).test(Request.get("/c/x")).status.code,
      404
    )
  }
}
