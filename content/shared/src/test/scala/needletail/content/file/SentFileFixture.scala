package needletail.content.file

import java.io.{BufferedInputStream, IOException, InputStream, RandomAccessFile}
import java.net.{InetSocketAddress, Socket}
import java.nio.charset.StandardCharsets.ISO_8859_1
import java.nio.file.{Files, Path}
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.duration._
import scala.util.Random

import needletail.async.Async
import needletail.content._
import needletail.http.{ByteStream, Handler}
import needletail.io.platform.DiskFile
import needletail.io.{FileOutput, FilePart}
import needletail.routing._
import needletail.server.operations.Log
import needletail.server.{RunningServer, ServerFixture}
import needletail.testing.Suite

/** Servers of files that the kernel sends, and a client that reads them piece by piece. */
abstract class SentFileFixture extends Suite {
  protected val large = {
    val bytes = new Array[Byte](3000000)
    new Random(1).nextBytes(bytes)
    bytes
  }

  /** As large as the buffers of a connection cannot be; a hole, so without a disk's help. */
  protected final val Huge = 64L << 20

  protected final class Served(
      val root: Path,
      val files: FileServer,
      val server: RunningServer,
      val sent: AtomicInteger
  )

  protected def served[A](
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
  protected final class Refused(
      content: FileContent,
      path: Path,
      sendable: Long,
      failure: Option[IOException]
  ) extends ByteStream
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
  protected def refusing(
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

  protected final class Logged extends Log {
    val entries                                        = new ConcurrentLinkedQueue[String]
    def warn(message: String): Unit                    = { entries.add(message); () }
    def error(message: String, cause: Throwable): Unit = { entries.add(s"$message: ${cause.getMessage}"); () }
  }

  protected final class Client(port: Int, takesLittle: Boolean = true) {
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

  protected def client[A](of: Served)(body: Client => A): A = {
    val client = new Client(of.server.port)
    try body(client)
    finally client.socket.close()
  }
}
