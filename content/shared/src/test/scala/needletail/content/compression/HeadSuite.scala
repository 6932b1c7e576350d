package needletail.content.compression

import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}
import java.nio.file.Files

import needletail.content._
import needletail.http.{ByteStream, Response}
import needletail.routing._
import needletail.server.{RawClient, ServerFixture}
import needletail.testing.{Suite, TemporaryDirectories}

/** HEAD has the header fields of GET, also those that say how long the content would be (RFC 9110 §9.3.2). */
class HeadSuite extends Suite with TemporaryDirectories {
  private val text = (1 to 5000).map(n => s"line $n").mkString("\n")

  private def plain  = Response.ok.contentType("text/plain")
  private def pieces = ByteStream.of(text.getBytes(UTF_8))

  /** Status line and fields of the response on a connection of its own, in their order, without Date. */
  private def head(port: Int, method: String, path: String, fields: String): List[String] = {
    val client =
      new RawClient(port).send(s"$method $path HTTP/1.1\r\nHost: a\r\nConnection: close\r\n$fields\r\n")
    try {
      val all = client.readAll()
      val end = all.indexOf("\r\n\r\n")
      assert(end > 0, all)
      if (method == "HEAD") assertEquals(all.length, end + 4, "a response to HEAD has no content")
      all.substring(0, end).split("\r\n").filterNot(_.startsWith("Date: ")).toList
    } finally client.close()
  }

  test("the fields of a response to HEAD are those of one to GET, compressed or not") {
    val root = temporaryDirectory()
    Files.write(root.resolve("small.txt"), text.take(5000).getBytes(ISO_8859_1))
    Files.write(root.resolve("large.txt"), Array.fill(5000000)('x'.toByte))
    val routes = Routes(
      GET / "short" to "short".ok,
      GET / "text" to text.ok,
      GET / "long" to (text * 10).ok,
      GET / "stream" to plain.stream(pieces),
      GET / "sized" to plain.stream(pieces, text.length.toLong),
      GET / "tagged" to text.ok.header("ETag", "\"a\"").header("Content-Digest", "sha-256=:AAAA:"),
      GET / "image" to text.ok.contentType("image/png"),
      files("/files", root)
    ).compressed
    val paths = List(
      "short",
      "text",
      "long",
      "stream",
      "sized",
      "tagged",
      "image",
      "files/small.txt",
      "files/large.txt"
    )
    ServerFixture.serving(routes) { server =>
      for (path <- paths; fields <- List("", "Accept-Encoding: gzip\r\n", "Accept-Encoding: deflate\r\n")) {
        val get = head(server.port, "GET", s"/$path", fields)
        assertEquals(head(server.port, "HEAD", s"/$path", fields), get, s"$path $fields")
        val isShort = Set("short", "image")(path)
        assertEquals(get.exists(_.startsWith("Content-Encoding: ")), fields.nonEmpty && !isShort, get)
      }
    }
  }
}
