package needletail.content.file

import java.nio.file.attribute.FileTime
import java.nio.file.Files

import needletail.testkit._

/** Which files are sent for a name, and with which fields. */
class FileVariantsSuite extends ServedDirectory {

  test("a prepared file that leads out of the directory, or is none, is not sent; each has its own tag") {
    served { (root, server) =>
      val routes = server.routes("/f")
      for (name <- Seq("out.txt", "folder.txt", "both.txt")) write(root, name, "plain")
      Files.createSymbolicLink(root.resolve("out.txt.gz"), root.resolve("../secret.txt"))
      Files.createDirectory(root.resolve("folder.txt.gz"))
      write(root, "both.txt.gz", "coded")
      for (name <- Seq("both.txt", "both.txt.gz")) // of one size and time
        Files.setLastModifiedTime(root.resolve(name), FileTime.fromMillis(784111777000L))
      for (name <- Seq("out.txt", "folder.txt")) {
        val reply = routes.test(get(s"/f/$name", "Accept-Encoding" -> "gzip"))
        assertEquals((reply.status.code, reply.header("Content-Encoding"), reply.text), (200, None, "plain"))
      }
      val (coded, plain) =
        (routes.test(get("/f/both.txt", "Accept-Encoding" -> "gzip")), routes.test(get("/f/both.txt")))
      assertEquals((coded.header("Content-Encoding"), coded.text), (Some("gzip"), "coded"))
      assertEquals((plain.header("Content-Encoding"), plain.text), (None, "plain"))
      assert(coded.header("ETag") != plain.header("ETag"), plain.header("ETag"))
      for (reply <- Seq(coded, plain)) assertEquals(reply.header("Vary"), Some("Accept-Encoding"))
    }
  }

  test("a file that was changed in the future has no Last-Modified") {
    served { (root, server) =>
      write(root, "later.txt", "x")
      val tomorrow = System.currentTimeMillis() + 24L * 3600 * 1000
      Files.setLastModifiedTime(root.resolve("later.txt"), FileTime.fromMillis(tomorrow))
      val reply = server.routes("/f").test(get("/f/later.txt"))
      assertEquals((reply.status.code, reply.header("Last-Modified")), (200, None))
      assert(reply.header("ETag").isDefined)
    }
  }

  test("a separator in a segment is no way to another file, and .well-known is served") {
    served { (root, server) =>
      val routes = server.routes("/f")
      write(root, "a\\b.txt", "x")
      Files.createDirectory(root.resolve(".well-known"))
      Files.createDirectory(root.resolve(".well-known2"))
      for (folder <- Seq(".well-known", ".well-known2")) write(root, s"$folder/x.txt", "known")
      for (path <- Seq("sub%2findex.html", "sub%2Findex.html", "a%5cb.txt", ".well-known2/x.txt"))
        assertEquals(routes.test(get(s"/f/$path")).status.code, 404, path)
      assertEquals(routes.test(get("/f/.well-known/x.txt")).text, "known")
      val missing = routes.test(get("/f/a.txt", "Range" -> "bytes=10-"))
      assertEquals(
        (missing.status.code, missing.header("Content-Range"), missing.header("Accept-Ranges")),
        (416, Some("bytes */10"), Some("bytes"))
      )
    }
  }
}
