package needletail.bench.httparena

import java.nio.file.Files

import needletail.content.CompressionConfig
import needletail.http.{Headers, MessageBody, Method, Request}
import needletail.json.Json
import needletail.testing.{Suite, TemporaryDirectories}
import needletail.testkit._

class ProfilesSuite extends Suite with TemporaryDirectories {
  private val dataset =
    """[{"id":1,"name":"Pen \"A\"","category":"office","price":12,"quantity":3,"active":true,"tags":["new","blue"],"rating":{"score":41,"count":7}},
      | {"id":2,"name":"Lamp","category":"home","price":2147483647,"quantity":2,"active":false,"tags":[],"rating":{"score":9,"count":12}}]""".stripMargin

  private val items   = Item.all(dataset.getBytes("UTF-8")).fold(problem => fail(problem), identity)
  private val nothing = temporaryDirectory()
  private val routes  = Profiles.routes(items, nothing, CompressionConfig())

  private def post(target: String, body: String) =
    routes.test(Request(Method.POST, target, Headers.empty, MessageBody.of(body)))

  test("pipelined: ok as text") {
    val reply = routes.test(Request.get("/pipeline"))
    assertEquals(reply.text, "ok")
    assert(reply.header("Content-Type").exists(_.startsWith("text/plain")))
  }

  test("baseline: the sum of a, b and the body") {
    assertEquals(routes.test(Request.get("/baseline11?a=13&b=42")).text, "55")
    assertEquals(post("/baseline11?a=13&b=42", "20").text, "75")
    assertEquals(post("/baseline11?a=2147483647&b=1", " 2\n").text, "2147483650")
  }

  test("baseline: what is no number is refused") {
    assertEquals(routes.test(Request.get("/baseline11?a=x&b=42")).status.code, 400)
    assertEquals(post("/baseline11?a=13&b=42", "many").status.code, 400)
  }

  test("upload: the bytes are counted") {
    assertEquals(post("/upload", "x" * 100000).text, "100000")
    assertEquals(post("/upload", "").text, "0")
  }

  test("json: the first items, with their totals; no field is left out") {
    val reply = routes.test(Request.get("/json/2?m=3"))
    assertEquals(reply.header("Content-Type"), Some("application/json"))
    assertEquals(
      Json.parse(reply.text),
      Json.parse(
        """{"items":[{"id":1,"name":"Pen \"A\"","category":"office","price":12,"quantity":3,"active":true,"tags":["new","blue"],"rating":{"score":41,"count":7},"total":108},
          |{"id":2,"name":"Lamp","category":"home","price":2147483647,"quantity":2,"active":false,"tags":[],"rating":{"score":9,"count":12},"total":12884901882}],"count":2}""".stripMargin
      )
    )
    assertEquals(routes.test(Request.get("/json/0")).text, """{"items":[],"count":0}""")
    assertEquals(routes.test(Request.get("/json/3")).status.code, 400)
  }

  test("json-comp: compressed for those who accept it only") {
    val many  = Profiles.routes(Vector.fill(50)(items.head), nothing, CompressionConfig())
    val plain = many.test(Request.get("/json/50?m=1"))
    val small = many.test(Request(Method.GET, "/json/50?m=1", Headers("Accept-Encoding" -> "gzip, br")))
    assertEquals(plain.header("Content-Encoding"), None)
    assertEquals(small.header("Content-Encoding"), Some("gzip"))
    assert(small.bytes.length < plain.bytes.length / 4)
  }

  test("static: files as they are, or as they are prepared") {
    val folder = Files.createTempDirectory("needletail-httparena")
    val files  = Seq("a.css" -> "plain", "a.css.br" -> "prepared")
    try {
      files.foreach { case (name, content) => Files.write(folder.resolve(name), content.getBytes) }
      val routes   = Profiles.routes(items, folder, CompressionConfig())
      val prepared =
        routes.test(
          Request(Method.GET, "/static/a.css", Headers("Accept-Encoding" -> "br;q=1, gzip;q=0.8"))
        )
      assertEquals(routes.test(Request.get("/static/a.css")).text, "plain")
      assertEquals(prepared.text, "prepared")
      assertEquals(prepared.header("Content-Encoding"), Some("br"))
      assertEquals(routes.test(Request.get("/static/none.txt")).status.code, 404)
    } finally {
      files.foreach { case (name, _) => Files.delete(folder.resolve(name)) }
      Files.delete(folder)
    }
  }

  test("a malformed data set is an error") {
    assert(Item.all("[{}]".getBytes).isLeft)
    assert(Item.all("[".getBytes).isLeft)
  }
}
