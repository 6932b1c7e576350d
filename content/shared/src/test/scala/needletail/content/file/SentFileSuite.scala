package needletail.content.file

import java.io.{IOException, RandomAccessFile}
import java.nio.file.{Files, Path}

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.content._
import needletail.routing._
import needletail.testing.{KernelSockets, Pause}

/** Files that the kernel sends, over sockets. */
class SentFileSuite extends SentFileFixture {

  /**
   * Descriptors of the files below `root` and of connections of the server at `port`; where the system tells (Linux),
   * else none. Others of the process are not counted: it may be one that does much else.
   */
  private def descriptors(root: Path, port: Int): Int = {
    val all   = Option(new java.io.File("/proc/self/fd").listFiles).fold(Seq.empty[java.io.File])(_.toSeq)
    val files = all.count { link =>
      scala.util.Try(Files.readSymbolicLink(link.toPath)).toOption.exists(_.toString.startsWith(s"$root/"))
    }
    files + KernelSockets.at(port).count(s => s.isHeld && !s.listens)
  }

  test("a file, a range of it and small replies follow each other on one connection") {
    served() { on =>
      client(on) { c =>
        c.ask("/small.txt").ask("/large.bin").ask("/small.txt").ask("/large.bin", "Range: bytes=1000-1999999")
          .ask("/large.bin", "Range: bytes=5-9").ask("/small.txt")
        assertEquals(new String(c.whole()._2), "small")
        assert(java.util.Arrays.equals(c.whole()._2, large))
        assertEquals(new String(c.whole()._2), "small")
        val (head, part) = c.whole()
        assert(head.startsWith("HTTP/1.1 206 ") && head.contains("bytes 1000-1999999/3000000"), head)
        assert(java.util.Arrays.equals(part, large.slice(1000, 2000000)))
        assertEquals(c.whole()._2.toSeq, large.slice(5, 10).toSeq)
        assertEquals(new String(c.whole()._2), "small")
        assertEquals(on.sent.get, 2, "the short range is read")
        eventually(on.files.opened == 0)
      }
    }
  }

  test("a file is closed although its response is dropped by what is around the routes") {
    val wrappers = List[Routes => Routes](
      _.mapResponse((_, _) => "another".ok),
      _.mapResponse((_, _) => throw new IllegalStateException("a wrapper")),
      _.around((_, next) => next().map(_ => "another".ok))
    )
    for (wrap <- wrappers)
      served(wrap) { on =>
        client(on) { c =>
          for (_ <- 1 to 3) c.ask("/large.bin").whole()
          eventually(on.files.opened == 0)
        }
      }
  }

  test("a client that does not read keeps nobody waiting, and gets all of it later") {
    served() { on =>
      client(on) { slow =>
        slow.ask("/huge.bin")
        assert(slow.head().contains(s"Content-Length: $Huge\r\n"))
        client(on)(quick => assertEquals(new String(quick.ask("/small.txt").whole()._2), "small"))
        assertEquals(on.files.opened, 1)
        assertEquals(slow.read(Huge.toInt).length, Huge.toInt)
        assertEquals(new String(slow.ask("/small.txt").whole()._2), "small")
        eventually(on.files.opened == 0)
      }
    }
  }

  test("a client that reads nothing is reset") {
    served(writeTimeout = 200.millis) { on =>
      client(on) { c =>
        c.ask("/huge.bin").head()
        eventually(on.files.opened == 0)
        assert(c.countAll() < Huge)
      }
    }
  }

  test("a client that is asked again whether it reads gets all of it, and the next response") {
    served(writeTimeout = 5.seconds) { on =>
      client(on) { c =>
        c.ask("/huge.bin").ask("/small.txt").head()
        val end  = System.nanoTime() + 6.seconds.toNanos
        var read = 0
        while (System.nanoTime() < end) { // less than the kernel would report room for
          read += c.read(4000).length
          Pause(50.millis)
        }
        assertEquals(read + c.read(Huge.toInt - read).length, Huge.toInt)
        assertEquals(new String(c.whole()._2), "small")
        eventually(on.files.opened == 0)
      }
    }
  }

  test(
    "what a client gets ends where a file does that has become shorter; one that grows is not sent further"
  ) {
    served() { on =>
      client(on) { c =>
        c.ask("/huge.bin").head()
        Files.write(
          on.root.resolve("huge.bin"),
          Array[Byte](1),
          java.nio.file.StandardOpenOption.APPEND
        )
        assertEquals(c.read(Huge.toInt).length, Huge.toInt)
        assertEquals(new String(c.ask("/small.txt").whole()._2), "small")
      }
      val announced = Huge + 1
      client(on) { c =>
        assert(c.ask("/huge.bin").head().contains(s"Content-Length: $announced\r\n"))
        val file = new RandomAccessFile(on.root.resolve("huge.bin").toFile, "rw")
        try file.setLength(Huge / 2)
        finally file.close()
        assertEquals(c.countAll(), Huge / 2)
      }
      eventually(on.files.opened == 0)
    }
  }

  test("a server that drains finishes what it sends") {
    served() { on =>
      client(on) { c =>
        c.ask("/huge.bin").head()
        val closed = on.server.drain()
        assertEquals(c.countAll(), Huge)
        c.socket.close() // otherwise the server lingers
        Await.result(closed, 20.seconds)
        assertEquals(on.files.opened, 0)
      }
    }
  }

  test("descriptors are closed, whatever becomes of the client") {
    served() { on =>
      client(on)(_.ask("/large.bin").whole()) // starts what is started once
      val root  = on.root.toRealPath()
      def count = descriptors(root, on.server.port)
      eventually(count == 0, s"$count are open before")
      for (i <- 1 to 80) {
        val c = new Client(on.server.port, takesLittle = false)
        for (_ <- 1 to 4) c.ask("/large.bin", "Range: bytes=0-99999")
        for (_ <- 1 to i % 5) c.whole()
        if (i % 2 == 0) c.reset() else c.socket.close()
      }
      eventually(on.files.opened == 0)
      eventually(count == 0, s"$count are left open")
      assert(on.sent.get >= 80, on.sent.get)
    }
  }

  test("a file that is in the server's memory is sent by the system once it is at hand") {
    served(config = FileConfig(cachedFile = 4000000)) { on =>
      client(on) { c =>
        eventually {
          assert(java.util.Arrays.equals(c.ask("/large.bin").whole()._2, large))
          on.sent.get > 0
        }
        val sent = on.sent.get
        assertEquals(new String(c.ask("/small.txt").whole()._2), "small")
        assertEquals(c.ask("/large.bin", "Range: bytes=5-9").whole()._2.toSeq, large.slice(5, 10).toSeq)
        assertEquals(on.sent.get, sent, "what is short is copied")
      }
    }
  }

  test("a file that is at hand is not served as it was when it is shorter, or another one") {
    // what is known is not looked at again
    served(config = FileConfig(cachedFile = 1000, freshness = 1.hour)) { on =>
      client(on) { c =>
        for (_ <- 1 to 3) assert(java.util.Arrays.equals(c.ask("/large.bin").whole()._2, large))
        assertEquals(on.files.kept, 1)
        assertEquals(on.files.opened, 0)
        val other = large.slice(7, 2000000)
        Files.write(on.root.resolve("large.bin"), other) // in place
        assert(java.util.Arrays.equals(c.ask("/large.bin").whole()._2, other))
      }
    }
  }

  test("as many files stay open as allowed, and none after the server") {
    val kept = served(config = FileConfig(cachedFile = 1000, keptOpen = 1)) { on =>
      client(on) { c =>
        for (_ <- 1 to 3; name <- List("large.bin", "large.txt", "huge.bin")) {
          c.ask("/" + name, "Range: bytes=0-99999")
          assertEquals(c.whole()._2.length, 100000)
        }
        assertEquals(on.files.kept, 1)
        eventually(on.files.opened == 0)
      }
      (on.root.toRealPath(), on.server.port)
    }
    val none = served(config = FileConfig(keptOpen = 0)) { on =>
      client(on)(c => for (_ <- 1 to 3) assertEquals(c.ask("/large.bin").whole()._2.length, large.length))
      assertEquals(on.files.kept, 0)
      (on.root.toRealPath(), on.server.port)
    }
    for ((root, port) <- List(kept, none)) {
      def count = descriptors(root, port)
      eventually(count == 0, s"$count are left open")
    }
  }

  test("a file that is compressed on its way is read") {
    served(_.compressed(CompressionConfig())) { on =>
      client(on) { c =>
        val head = c.ask("/large.txt", "Accept-Encoding: gzip", "Connection: close").head()
        assert(head.contains("Content-Encoding: gzip") && head.contains("chunked"), head)
        assert(c.countAll() > large.length) // as random bytes are
        eventually(on.files.opened == 0)
      }
    }
  }

  test("what the system cannot send is read, from the first byte or from the middle on") {
    for (sendable <- List(0L, 1L, 700000L))
      refusing(sendable) { (on, log) =>
        client(on) { c =>
          c.ask("/large.bin").ask("/small.txt").ask("/large.bin")
          assert(java.util.Arrays.equals(c.whole()._2, large))
          assertEquals(new String(c.whole()._2), "small")
          assert(java.util.Arrays.equals(c.whole()._2, large))
        }
        eventually(on.files.opened == 0)
        assertEquals(log.entries.toArray.toList, Nil)
      }
  }

  test("a disk that fails is logged; the client gets a 500, or sees the response end early") {
    val broken = Some(new IOException("/disk/large.bin cannot be read: Input/output error"))
    refusing(700000, broken) { (on, log) =>
      client(on) { c =>
        assert(c.ask("/large.bin").head().startsWith("HTTP/1.1 200 "))
        assertEquals(c.countAll(), 700000L)
      }
      eventually(on.files.opened == 0)
      assertEquals(log.entries.size, 1)
      assert(log.entries.peek.endsWith(broken.get.getMessage), log.entries.peek)
    }
  }

  test("a client that is gone is no failure of the file") {
    refusing(0) { (on, log) =>
      val c = new Client(on.server.port)
      c.ask("/large.bin").ask("/large.bin").ask("/large.bin").head()
      c.reset()
      eventually(on.files.opened == 0)
      assertEquals(log.entries.toArray.toList, Nil)
    }
  }
}
