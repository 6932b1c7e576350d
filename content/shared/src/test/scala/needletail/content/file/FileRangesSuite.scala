package needletail.content.file

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Files

import needletail.testkit._

/** Ranges of files that are served: the parts that requests ask for. */
class FileRangesSuite extends FileServerFixture {
  test("ranges of a file in memory and of one that is not") {
    served() { (root, server) =>
      val routes = server.routes("/f")
      for (name <- Seq("a.txt", "large.bin")) {
        val all = Files.readAllBytes(root.resolve(name))
        val one = routes.test(get(s"/f/$name", "Range" -> "bytes=2-4"))
        assertEquals(one.status.code, 206)
        assertEquals(one.header("Content-Range"), Some(s"bytes 2-4/${all.length}"))
        assertEquals(one.bytes.toSeq, all.slice(2, 5).toSeq)
        val two      = routes.test(get(s"/f/$name", "Range" -> "bytes=1-2,-3"))
        val boundary = two.header("Content-Type").get.stripPrefix("multipart/byteranges; boundary=")
        val kind     = MediaTypes.ofName(name)
        def part(from: Int, until: Int) =
          s"--$boundary\r\nContent-Type: $kind\r\nContent-Range: bytes $from-${until - 1}/${all.length}\r\n\r\n"
            .getBytes(UTF_8) ++ all.slice(from, until) ++ "\r\n".getBytes(UTF_8)
        val expected = part(1, 3) ++ part(all.length - 3, all.length) ++ s"--$boundary--\r\n".getBytes(UTF_8)
        assertEquals(two.response.body.length, expected.length.toLong)
        assertEquals(two.bytes.toSeq, expected.toSeq)
        val none = routes.test(get(s"/f/$name", "Range" -> "bytes=1000000-"))
        assertEquals(none.status.code, 416)
        assertEquals(none.header("Content-Range"), Some(s"bytes */${all.length}"))
      }
      eventually(server.opened == 0)
    }
  }

  test("a range that goes beyond the end of a file ends there") {
    served() { (_, server) =>
      val reply = server.routes("/f").test(get("/f/a.txt", "Range" -> "bytes=4-11"))
      assertEquals(
        (reply.status.code, reply.text, reply.header("Content-Range")),
        (206, "456789", Some("bytes 4-9/10"))
      )
    }
  }

  test("a video that is sought in: all of it from 0 on, then from the middle, as the same version") {
    served() { (root, server) =>
      Files.write(root.resolve("film.mp4"), large)
      val routes = server.routes("/f")
      val first  = routes.test(get("/f/film.mp4", "Range" -> "bytes=0-"))
      assertEquals(
        (first.status.code, first.header("Content-Type"), first.header("Content-Range")),
        (206, Some("video/mp4"), Some("bytes 0-199999/200000"))
      )
      assertEquals((first.response.body.length, first.header("Accept-Ranges")), (200000L, Some("bytes")))
      assertEquals(first.bytes.toSeq, large.toSeq)
      val tag  = first.header("ETag").get
      val next = routes.test(get("/f/film.mp4", "Range" -> "bytes=100000-", "If-Range" -> tag))
      assertEquals(
        (next.status.code, next.header("Content-Range"), next.header("ETag")),
        (206, Some("bytes 100000-199999/200000"), Some(tag))
      )
      assertEquals(next.bytes.toSeq, large.drop(100000).toSeq)
      val end = routes.test(get("/f/film.mp4", "Range" -> "bytes=199999-", "If-Range" -> tag))
      assertEquals((end.status.code, end.bytes.toSeq), (206, large.takeRight(1).toSeq))
      val other = routes.test(get("/f/film.mp4", "Range" -> "bytes=100000-", "If-Range" -> "\"before\""))
      assertEquals((other.status.code, other.bytes.length), (200, 200000))
      eventually(server.opened == 0)
    }
  }
}
