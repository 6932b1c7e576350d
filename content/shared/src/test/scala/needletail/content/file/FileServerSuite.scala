package needletail.content.file

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.attribute.FileTime
import java.nio.file.{Files, Path, StandardCopyOption}

import scala.concurrent.duration._

import needletail.content.singleFile
import needletail.http.{Headers, Method, Request}
import needletail.routing._
import needletail.testkit._

class FileServerSuite extends FileServerFixture {
  test(
    "a page of its own at the path of a directory is no mistake, and takes the place of the one that adds a slash"
  ) {
    served() { (_, server) =>
      val routes =
        Routes(GET / "f" to "mine".ok) ++ server.routes("/f").mapResponse((_, response) => response)
      assertEquals(routes.test(get("/f")).text, "mine")
      assertEquals(routes.test(get("/f/a.txt")).text, "0123456789")
      assertEquals(server.routes("/f").test(get("/f")).status.code, 301)
      intercept[IllegalArgumentException](Routes(GET / "f" / !* to (_ => "mine".ok)) ++ server.routes("/f"))
      intercept[IllegalArgumentException](server.routes("/f") ++ (GET / "f" to "mine".ok))
    }
  }

  test("a file comes with its type, validators and length; HEAD without content") {
    served() { (_, server) =>
      val routes = server.routes("/f")
      val reply  = routes.test(get("/f/a.txt"))
      assertEquals(reply.status.code, 200)
      assertEquals(reply.text, "0123456789")
      assertEquals(reply.header("Content-Type"), Some("text/plain; charset=utf-8"))
      assertEquals(reply.header("Last-Modified"), Some("Sun, 06 Nov 1994 08:49:37 GMT"))
      assertEquals(reply.header("Accept-Ranges"), Some("bytes"))
      val big = routes.test(get("/f/large.bin"))
      assertEquals(big.bytes.toSeq, large.toSeq)
      eventually(server.opened == 0)
      val head = routes.test(Request.head("/f/large.bin"))
      assertEquals(head.response.body.length, 200000L)
      assertEquals(head.header("ETag"), big.header("ETag"))
      assertEquals(routes.test(Request.post("/f/a.txt", "x")).status.code, 405)
    }
  }

  test("a directory is its index, below a slash; without one it is redirected there") {
    served() { (_, server) =>
      val routes = server.routes("/f")
      assertEquals(routes.test(get("/f/sub/")).text, "<p>")
      val redirect = routes.test(get("/f/sub?a=1"))
      assertEquals(redirect.status.code, 301)
      assertEquals(redirect.header("Location"), Some("./sub/?a=1"))
      assertEquals(routes.test(get("/f")).header("Location"), Some("./f/"))
      assertEquals(routes.test(get("/f/sub/deep/")).status.code, 404)
      assertEquals(routes.test(get("/f/a.txt/")).status.code, 404)
      assertEquals(server.routes("/").test(get("//evil.example/..")).status.code, 404)
    }
  }

  test("nothing outside of the directory is served, however it is written") {
    served() { (root, server) =>
      val routes = server.routes("/f")
      val paths  = Seq(
        "../secret.txt",
        "%2e%2e/secret.txt",
        "..%252fsecret.txt",
        "sub/%2e%2e/%2E./secret.txt",
        "..%5csecret.txt",
        ".secret",
        "%2esecret",
        "sub//index.html",
        "/a.txt",
        "a.txt%0a"
      )
      for (path <- paths) assertEquals(routes.test(get(s"/f/$path")).status.code, 404, path)
      Files.createSymbolicLink(root.resolve("out.txt"), root.resolve("../secret.txt"))
      Files.createSymbolicLink(root.resolve("up"), root.resolve(".."))
      Files.createSymbolicLink(root.resolve("hidden.txt"), root.resolve(".secret"))
      Files.createSymbolicLink(root.resolve("in.txt"), root.resolve("a.txt"))
      for (path <- Seq("out.txt", "up/secret.txt", "hidden.txt"))
        assertEquals(routes.test(get(s"/f/$path")).status.code, 404, path)
      assertEquals(routes.test(get("/f/in.txt")).text, "0123456789")
    }
  }

  test("conditions: 304, 412, and the same with ranges") {
    served() { (_, server) =>
      val routes = server.routes("/f")
      val tag    = routes.test(get("/f/a.txt")).header("ETag").get
      val known  = routes.test(get("/f/a.txt", "If-None-Match" -> tag))
      assertEquals(known.status.code, 304)
      assertEquals(known.header("ETag"), Some(tag))
      assertEquals(known.header("Content-Type"), None)
      assertEquals(routes.test(get("/f/a.txt", "If-Match" -> "\"other\"")).status.code, 412)
      assertEquals(
        routes.test(get("/f/a.txt", "If-None-Match" -> tag, "Range" -> "bytes=0-1")).status.code,
        304
      )
      assertEquals(routes.test(get("/f/a.txt", "If-Range" -> tag, "Range" -> "bytes=0-1")).status.code, 206)
      assertEquals(
        routes.test(get("/f/a.txt", "If-Range" -> "\"x\"", "Range" -> "bytes=0-1")).status.code,
        200
      )
    }
  }

  test("a file that is replaced by one of the same size and time has another entity tag and is served") {
    val time = FileTime.fromMillis(1000) // as of builds that set all times alike
    served() { (root, server) =>
      val routes = server.routes("/f")
      val loop   = new ManualLoop
      for ((name, size) <- Seq("small.bin" -> 1000, "big.bin" -> 300000)) {
        def write(file: Path, byte: Char): Unit = {
          Files.write(file, Array.fill(size)(byte.toByte))
          Files.setLastModifiedTime(file, time)
          ()
        }
        def served(byte: Char): String = {
          loop.advance(2.seconds)
          val reply = routes.test(get(s"/f/$name"), loop)
          assertEquals((reply.bytes.length, reply.bytes.last.toChar), (size, byte), name)
          reply.header("ETag").get
        }
        // the clock of a file system advances in steps of some milliseconds
        def whenLater(file: Path): Unit = eventually {
          write(root.resolve("probe"), 'p')
          FileStatus.of(root.resolve("probe")).changed > FileStatus.of(file).changed
        }
        val file = root.resolve(name)
        write(file, 'a')
        val first = served('a')
        assertEquals(served('a'), first)
        write(root.resolve("new"), 'b')
        whenLater(file)
        Files.move(root.resolve("new"), file, StandardCopyOption.REPLACE_EXISTING)
        val second = served('b')
        whenLater(file)
        write(file, 'c') // in place
        assertEquals(Set(first, second, served('c')).size, 3, name)
      }
    }
  }

  test(
    "a file that changes is seen after the time of freshness, and one that grows shorter fails its stream"
  ) {
    served() { (root, server) =>
      val routes = server.routes("/f")
      val loop   = new ManualLoop
      val before = routes.test(get("/f/a.txt"), loop)
      assertEquals(before.text, "0123456789")
      Files.write(root.resolve("a.txt"), "abc".getBytes(UTF_8))
      assertEquals(routes.test(get("/f/a.txt"), loop).text, "0123456789")
      loop.advance(2.seconds)
      val after = routes.test(get("/f/a.txt"), loop)
      assertEquals(after.text, "abc")
      assert(after.header("ETag") != before.header("ETag"))
      Files.delete(root.resolve("a.txt"))
      loop.advance(2.seconds)
      assertEquals(routes.test(get("/f/a.txt"), loop).status.code, 404)

      // a file that is not in memory is never another one than its tag says
      assertEquals(routes.test(get("/f/large.bin"), loop).bytes.length, 200000)
      Files.write(root.resolve("large.bin"), large.take(150000))
      val changed = routes.test(get("/f/large.bin"), loop)
      assertEquals(changed.bytes.toSeq, large.take(150000).toSeq)
      val begun = routes.test(get("/f/large.bin"), loop)
      assertEquals(begun.response.body.length, 150000L)
      Files.write(root.resolve("large.bin"), large.take(70000))
      val failure = loop.run(begun.response.body.bytes).failed.get
      assert(failure.getMessage.contains("shorter"), failure)
      eventually(server.opened == 0)
    }
  }

  test("a prepared file is sent to those who accept its coding, with a tag of its own") {
    served() { (root, server) =>
      val routes = server.routes("/f")
      write(root, "a.txt.gz", "gzipped")
      write(root, "a.txt.br", "brotli")
      val loop  = new ManualLoop
      val plain = routes.test(get("/f/a.txt"), loop)
      val gzip  = routes.test(get("/f/a.txt", "Accept-Encoding" -> "gzip, br;q=0"), loop)
      val br    = routes.test(get("/f/a.txt", "Accept-Encoding" -> "gzip, br"), loop)
      assertEquals(List(plain, gzip, br).map(_.text), List("0123456789", "gzipped", "brotli"))
      assertEquals(
        List(plain, gzip, br).map(_.header("Content-Encoding")),
        List(None, Some("gzip"), Some("br"))
      )
      assertEquals(List(plain, gzip, br).map(_.header("Vary")).distinct, List(Some("Accept-Encoding")))
      assertEquals(gzip.header("Content-Type"), plain.header("Content-Type"))
      assertEquals(List(plain, gzip, br).map(_.header("ETag")).distinct.length, 3)
    }
  }

  test("Cache-Control by pattern; the first one that fits") {
    val rules  = List("assets/**" -> FileConfig.Immutable, "*.txt" -> "no-cache")
    val config = FileConfig(cacheControl = rules)
    assertEquals(config.cacheControlOf("assets/a/b.js"), Some(FileConfig.Immutable))
    assertEquals(config.cacheControlOf("a.txt"), Some("no-cache"))
    assertEquals(config.cacheControlOf("sub/a.txt"), None)
    served(config) { (_, server) =>
      assertEquals(server.routes("/f").test(get("/f/a.txt")).header("Cache-Control"), Some("no-cache"))
    }
  }

  test("HEAD is answered as GET without a range, and with conditions") {
    served() { (_, server) =>
      val routes                                   = server.routes("/f")
      def head(name: String, f: (String, String)*) =
        routes.test(Request(Method.HEAD, s"/f/$name", Headers(f*)))
      for (name <- Seq("a.txt", "large.bin")) {
        val whole = head(name, "Range" -> "bytes=3-6") // a range is defined for GET only (RFC 9110 §14.2)
        assertEquals((whole.status.code, whole.header("Content-Range")), (200, None), name)
        assertEquals(whole.header("Accept-Ranges"), Some("bytes"))
        val tag = whole.header("ETag").get
        assertEquals(head(name, "If-None-Match" -> tag).status.code, 304)
        assertEquals(head(name, "If-None-Match" -> tag.replace("-", "-x")).status.code, 200)
      }
      assertEquals(head("nothing").status.code, 404)
    }
  }

  test("a filter decides which files are served, the index of a directory included") {
    served(FileConfig(filter = name => name == "a.txt" || name.startsWith("sub/deep"))) { (root, server) =>
      write(root, "sub/deep/index.html", "deep")
      val routes             = server.routes("/f")
      def code(name: String) = routes.test(get(s"/f/$name")).status.code
      assertEquals(List("a.txt", "sub/deep/", "sub/deep/index.html").map(code), List(200, 200, 200))
      assertEquals(List("large.bin", "sub/", "sub/index.html", "").map(code), List(404, 404, 404, 404))
    }
  }

  test("a fallback answers where there is no file, but not to paths that lead out") {
    served(FileConfig(fallback = Some("sub/index.html"))) { (root, server) =>
      val routes = server.routes("/f")
      for (name <- Seq("orders/17", "b.txt", "sub/deep/", "")) {
        val reply = routes.test(get(s"/f/$name"))
        assertEquals((reply.status.code, reply.text), (200, "<p>"), name)
        assertEquals(reply.header("Content-Type"), Some("text/html; charset=utf-8"), name)
      }
      assertEquals(routes.test(get("/f/a.txt")).text, "0123456789")
      val tag = routes.test(get("/f/orders/17")).header("ETag").get
      assertEquals(routes.test(get("/f/orders/18", "If-None-Match" -> tag)).status.code, 304)
      for (name <- Seq("../secret.txt", "%2e%2e/secret.txt", ".secret"))
        assertEquals(routes.test(get(s"/f/$name")).status.code, 404, name)
      Files.delete(root.resolve("sub/index.html"))
      val loop = new ManualLoop
      loop.advance(2.seconds)
      assertEquals(routes.test(get("/f/orders/17"), loop).status.code, 404)
    }
    for (path <- Seq("", "/", "../x", "a/../b"))
      intercept[IllegalArgumentException](FileConfig(fallback = Some(path)))
  }

  test("one file has a route of its own, whatever its name") {
    served() { (root, _) =>
      write(root, ".hidden.txt", "hidden")
      val routes = singleFile("/icons/x.ico", root.resolve("a.txt")) ++
        singleFile("/", root.resolve("sub/../.hidden.txt"))
      assertEquals(routes.test(get("/icons/x.ico")).text, "0123456789")
      assertEquals(routes.test(get("/icons/x.ico", "Range" -> "bytes=6-8")).text, "678")
      assertEquals(routes.test(get("/")).text, "hidden")
      assertEquals(routes.test(get("/icons/")).status.code, 404)
      assertEquals(routes.test(get("/icons/x.ico/y")).status.code, 404)
      val missing = root.resolve("no/such")
      for (
        make <- List[() => Any](
          () => needletail.content.files("/x", missing),
          () => singleFile("/x", missing.resolve("a.txt"))
        )
      )
        assertEquals(
          intercept[IllegalArgumentException](make()).getMessage,
          s"there is no directory $missing"
        )
      val relative = intercept[IllegalArgumentException](needletail.content.files(
        "/x",
        java.nio.file.Paths.get("no such")
      )).getMessage
      assertEquals(
        relative,
        s"there is no directory no such in ${java.nio.file.Paths.get("").toAbsolutePath}"
      )
      intercept[IllegalArgumentException](singleFile("/x", java.nio.file.Paths.get("/")))
    }
  }

  test("open files and memory are bounded") {
    served(FileConfig(cachedFile = 1000, maxOpen = 1, cacheSize = 3000)) { (root, server) =>
      val routes = server.routes("/f")
      val loop   = new ManualLoop
      val first  = routes.test(get("/f/large.bin"), loop)
      assertEquals(first.status.code, 200)
      assertEquals(server.opened, 1)
      val second = routes.test(get("/f/large.bin"), loop)
      assertEquals(second.status.code, 200, "it is opened for each piece")
      assertEquals(server.opened, 1)
      assertEquals(loop.run(second.response.body.bytes).get.toSeq, large.toSeq)
      val third = routes.test(get("/f/large.bin"), loop)
      assertEquals(third.status.code, 200)
      Files.setLastModifiedTime(root.resolve("large.bin"), FileTime.fromMillis(1000))
      assertEquals(
        loop.run(third.response.body.bytes).failed.toOption.map(_.getMessage),
        Some("the file has changed")
      )
      assertEquals(server.opened, 1)
      loop.within(first.response.body.stream.cancel())
      loop.runAll()
      eventually(server.opened == 0)
      for (i <- 1 to 20) {
        write(root, s"$i.txt", "x" * 500)
        assertEquals(routes.test(get(s"/f/$i.txt"), loop).text.length, 500)
      }
      assert(server.held <= 3000, server.held)
    }
  }
}
