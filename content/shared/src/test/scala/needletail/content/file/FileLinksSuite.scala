package needletail.content.file

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Files

import scala.concurrent.duration._

import needletail.testkit._

/** Long paths, and links that go in circles, change and vanish. */
class FileLinksSuite extends ServedDirectory {

  test("names and paths that no file has are a 404, and files far below are served") {
    served { (root, server) =>
      val routes = server.routes("/f")
      for (length <- Seq(255, 256, 300, 600, 5000)) {
        assertEquals(routes.test(get("/f/" + "a" * length)).status.code, 404, length)
        assertEquals(routes.test(get("/f/sub/" + "%C3%A4" * length)).status.code, 404, length)
        assertEquals(routes.test(get("/f/" + "a/" * length)).status.code, 404, length)
      }
      val name = "d" * 200
      val deep = root.resolve(name).resolve(name).resolve(name).resolve(name)
      Files.createDirectories(deep)
      Files.write(deep.resolve("x.txt"), "deep".getBytes(UTF_8))
      assertEquals(routes.test(get(s"/f/$name/$name/$name/$name/x.txt")).text, "deep")
      assertEquals(routes.test(get(s"/f/$name/$name/$name/$name/none.txt")).status.code, 404)
    }
  }

  test("a name of more than 255 bytes, and a path of more than 4095, is not possible") {
    assert(SafePath.isPossible(List("a" * 255, "b")))
    assert(!SafePath.isPossible(List("b", "a" * 256)))
    assert(!SafePath.isPossible(List("\u00e4" * 128)))
    assert(SafePath.isPossible(List.fill(16)("a" * 254)))
    assert(!SafePath.isPossible(List.fill(17)("a" * 254)))
    assert(SafePath.isPossible(Nil))
    assert(SafePath.isPossible(List.fill(15)("a" * 255) :+ "a" * 254)) // 4095 with the slashes
    assert(!SafePath.isPossible(List.fill(16)("a" * 255)))
  }

  test("links in a circle are a 404") {
    served { (root, server) =>
      val routes = server.routes("/f")
      Files.createSymbolicLink(root.resolve("one"), root.resolve("two"))
      Files.createSymbolicLink(root.resolve("two"), root.resolve("one"))
      Files.createSymbolicLink(root.resolve("self"), root.resolve("self"))
      Files.createSymbolicLink(root.resolve("a.txt.gz"), root.resolve("one"))
      for (path <- Seq("one", "two/", "self", "self/x", "one/index.html"))
        assertEquals(routes.test(get(s"/f/$path")).status.code, 404, path)
      assertEquals(routes.test(get("/f/a.txt", "Accept-Encoding" -> "gzip")).text, "0123456789")
    }
  }

  test(
    "a link that leads elsewhere or is gone is seen after the time of freshness, and so is a prepared file"
  ) {
    served { (root, server) =>
      val routes = server.routes("/f")
      val loop   = new ManualLoop
      val link   = root.resolve("link.txt")
      def ask()  = routes.test(get("/f/link.txt", "Accept-Encoding" -> "gzip"), loop)
      write(root, "b.txt", "b")
      Files.createSymbolicLink(link, root.resolve("a.txt"))
      assertEquals(ask().text, "0123456789")
      Files.delete(link)
      Files.createSymbolicLink(link, root.resolve("b.txt"))
      assertEquals(ask().text, "0123456789")
      loop.advance(2.seconds)
      assertEquals(ask().text, "b")
      write(root, "b.txt.gz", "prepared")
      loop.advance(2.seconds)
      assertEquals(ask().text, "prepared")
      Files.delete(link)
      Files.createSymbolicLink(link, root.resolve("../secret.txt"))
      loop.advance(2.seconds)
      assertEquals(ask().status.code, 404)
      Files.delete(link)
      Files.createSymbolicLink(link, root.resolve("a.txt"))
      assertEquals(ask().text, "0123456789")
      Files.delete(link)
      loop.advance(2.seconds)
      assertEquals(ask().status.code, 404)
    }
  }
}
