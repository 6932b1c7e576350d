package needletail.content.file

import java.io.{BufferedInputStream, IOException, InputStream, RandomAccessFile}
import java.net.{InetSocketAddress, Socket}
import java.nio.charset.StandardCharsets.ISO_8859_1
import java.nio.file.{Files, Path}
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.Await
import scala.concurrent.duration._
import scala.util.Random

import needletail.async.Async
import needletail.content._
import needletail.http.{ByteStream, Handler}
import needletail.io.platform.DiskFile
import needletail.io.system.SystemPlatform
import needletail.io.{FileOutput, FilePart}
import needletail.routing.Routes
import needletail.server.operations.Log
import needletail.server.{RunningServer, ServerFixture}
import needletail.testing.Suite

/** Files that the kernel sends, over sockets. */
class SentFileSuite extends Suite {
  private val large = {
    val bytes = new Array[Byte](3000000)
    new Random(1).nextBytes(bytes)
    bytes
  }

  /** As large as the buffers of a connection cannot be; a hole, so without a disk's help. */
  private final val Huge = 64L << 20

  private final class Served(
      val root: Path,
      val files: FileServer,
      val server: RunningServer,
      val sent: AtomicInteger
  )

  private def served[A](
      wrap: Routes => Routes = identity,
      writeTimeout: FiniteDuration = 30.seconds,
      config: FileConfig = FileConfig(cachedFile = 1000)
  )(test: Served => A): A = {
    val root = Files.createTempDirectory("needletail-sent")
    try {
      Files.write(root.resolve("small.txt"), "small".getBytes(ISO_8859_1))
      Files.write(root.resolve("large.bin"), large)
      Files.write(root.resolve("large.txt"), large)
      val huge = new RandomAccessFile(root.resolve("huge.bin").toFile, "rw")
      try {
        huge.seek(Huge - 1)
        huge.write(0)
      } finally huge.close()
      val files            = new FileServer(root, config)
      val routes           = wrap(files.routes("/"))
      val sent             = new AtomicInteger
      val handler: Handler = request =>
        routes(request).map { response =>
          response.source match {
            case file: FileOutput if file.isSendable => sent.incrementAndGet()
            case _                                   => ()
          }
          response
        }
      ServerFixture.serving(handler, ServerFixture.loopback.copy(writeTimeout = writeTimeout)) { server =>
        test(new Served(root, files, server, sent))
      }
    } finally {
      root.toFile.listFiles.foreach(_.delete())
      root.toFile.delete()
      ()
    }
  }

  /** A file of which the system can send no more than `sendable` bytes; it is read, unless there is a failure. */
  private final class Refused(content: FileContent, path: Path, sendable: Long, failure: Option[IOException])
      extends ByteStream
      with FileOutput {
    private val file   = DiskFile.open(path)
    private val closed = DiskFile.open(path)
    private var isRead = false
    private var parts  = List(part(closed, sendable, large.length.toLong))
    if (sendable > 0) parts ::= part(file, 0, sendable)
    closed.close()

    private def part(file: DiskFile, from: Long, until: Long) = new FilePart(file, from, until, Long.MaxValue)

    def isSendable: Boolean                = !isRead
    def next(): Async[Option[Array[Byte]]] = failure.fold(content.next())(Async.fail)
    def nextPart(): Async[FilePart]        = {
      val next = parts.head
      parts = parts.tail
      Async.value(next)
    }
    def readFrom(position: Long): Unit = {
      isRead = true
      content.readFrom(position)
    }
    def cancel(): Unit = {
      file.close()
      content.cancel()
    }
  }

  /** `large.bin` and `small.txt`, the large one sent so. */
  private def refusing(
      sendable: Long,
      failure: Option[IOException] = None
  )(test: (Served, Logged) => Unit): Unit =
    served() { on =>
      val routes           = on.files.routes("/")
      val log              = new Logged
      val handler: Handler = request =>
        routes(request).map { response =>
          response.source match {
            case content: FileContent =>
              response.stream(
                new Refused(content, on.root.resolve("large.bin"), sendable, failure),
                large.length.toLong
              )
            case _ => response
          }
        }
      ServerFixture.serving(handler, ServerFixture.loopback.copy(log = log)) { server =>
        test(new Served(on.root, on.files, server, on.sent), log)
      }
    }

  private final class Logged extends Log {
    val entries                                        = new ConcurrentLinkedQueue[String]
    def warn(message: String): Unit                    = { entries.add(message); () }
    def error(message: String, cause: Throwable): Unit = { entries.add(s"$message: ${cause.getMessage}"); () }
  }

  private final class Client(port: Int, takesLittle: Boolean = true) {
    val socket = new Socket()
    // Scala Native leaves a descriptor open if this comes before connecting
    if (takesLittle) socket.setReceiveBufferSize(64 * 1024)
    socket.connect(new InetSocketAddress("127.0.0.1", port), 20000)
    socket.setSoTimeout(20000)
    private val in: InputStream = new BufferedInputStream(socket.getInputStream, 64 * 1024)

    def ask(path: String, fields: String*): this.type = {
      val head = s"GET $path HTTP/1.1" +: "Host: x" +: fields
      socket.getOutputStream.write(head.mkString("", "\r\n", "\r\n\r\n").getBytes(ISO_8859_1))
      this
    }

    def head(): String = {
      val text = new StringBuilder
      var byte = in.read()
      while (byte >= 0) {
        text += byte.toChar
        byte = if (text.endsWith("\r\n\r\n")) -1 else in.read()
      }
      text.toString
    }

    /** Bytes until there are so many, or the connection ends. */
    def read(count: Int): Array[Byte] = in.readNBytes(count)

    /** The length of what comes until the connection ends, orderly or not. */
    def countAll(): Long = {
      val buffer = new Array[Byte](64 * 1024)
      var count  = 0L
      var n      = 0
      while (n >= 0) {
        n =
          try in.read(buffer)
          catch { case e: IOException if !e.isInstanceOf[java.net.SocketTimeoutException] => -1 }
        if (n > 0) count += n
      }
      count
    }

    def whole(): (String, Array[Byte]) = {
      val text   = head()
      val length = "Content-Length: (\\d+)".r.findFirstMatchIn(text).get.group(1).toInt
      (text, read(length))
    }

    def reset(): Unit = {
      socket.setSoLinger(true, 0)
      socket.close()
    }
  }

  private def client[A](of: Served)(body: Client => A): A = {
    val client = new Client(of.server.port)
    try body(client)
    finally client.socket.close()
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
    served(writeTimeout = 2.seconds) { on =>
      client(on) { c =>
        c.ask("/huge.bin").ask("/small.txt").head()
        val end  = System.nanoTime() + 2500.millis.toNanos
        var read = 0
        while (System.nanoTime() < end) { // less than the kernel would report room for
          read += c.read(4000).length
          Thread.sleep(20)
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
      val before = SystemPlatform.openDescriptors
      for (i <- 1 to 80) {
        val c = new Client(on.server.port, takesLittle = false)
        for (_ <- 1 to 4) c.ask("/large.bin", "Range: bytes=0-99999")
        for (_ <- 1 to i % 5) c.whole()
        if (i % 2 == 0) c.reset() else c.socket.close()
      }
      eventually(on.files.opened == 0)
      eventually(SystemPlatform.openDescriptors <= before)
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
    val before = SystemPlatform.openDescriptors
    served(config = FileConfig(cachedFile = 1000, keptOpen = 1)) { on =>
      client(on) { c =>
        for (_ <- 1 to 3; name <- List("large.bin", "large.txt", "huge.bin")) {
          c.ask("/" + name, "Range: bytes=0-99999")
          assertEquals(c.whole()._2.length, 100000)
        }
        assertEquals(on.files.kept, 1)
        eventually(on.files.opened == 0)
      }
    }
    served(config = FileConfig(keptOpen = 0)) { on =>
      client(on)(c => for (_ <- 1 to 3) assertEquals(c.ask("/large.bin").whole()._2.length, large.length))
      assertEquals(on.files.kept, 0)
    }
    eventually(SystemPlatform.openDescriptors <= before + 4) // what is opened once, as /dev/null
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
