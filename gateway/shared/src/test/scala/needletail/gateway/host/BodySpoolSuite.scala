package needletail.gateway.host

import java.io.{File, IOException, RandomAccessFile}
import java.nio.file.attribute.{PosixFilePermission, PosixFilePermissions}
import java.nio.file.{Files, Path, Paths}

import java.util.concurrent.CountDownLatch

import scala.concurrent.duration._
import scala.util.Try

import needletail.async.{Async, Blocking, BlockingConfig}
import needletail.gateway.host.incoming.SizedContent
import needletail.http._
import needletail.testing.{Suite, TemporaryDirectories}
import needletail.testkit.ManualLoop

/** Bodies without a length, which are collected before a program gets them. */
class BodySpoolSuite extends Suite with TemporaryDirectories {

  /** A body of pieces, for which the server has room for `room` bytes. */
  private final class Bounded(pieces: Seq[Array[Byte]], room: Int, val length: Long = -1L)
      extends MessageBody {
    private val left                          = pieces.iterator
    var taken                                 = 0
    var held                                  = 0
    var cancelled                             = false
    def isEmpty: Boolean                      = false
    def bytes(limit: Int): Async[Array[Byte]] = bytes
    def bytes: Async[Array[Byte]]             = Async.fail(new IllegalStateException("not asked for"))
    def trailers: Headers                     = Headers.empty

    val stream: ByteStream = new ByteStream {
      def next(): Async[Option[Array[Byte]]] = {
        taken += 1
        Async.value(left.nextOption())
      }
      def cancel(): Unit = cancelled = true
    }

    private[needletail] override def hold(more: Int): Throwable =
      if (held + more > room) HttpError(Status.ServiceUnavailable, "no room")
      else {
        held += more
        null
      }
  }

  private val spool = new BodySpool(ProgramHostConfig(spoolMemory = 65536), Blocking.default)

  /** What comes of 60,000 bytes in pieces of that size. */
  private def collected(body: Bounded): Try[SizedContent] =
    spool(body).poll.getOrElse(fail("what is collected in memory waits for nothing"))

  private def body(piece: Int, room: Int): Bounded =
    new Bounded(Seq.tabulate(60000 / piece)(i => Array.fill(piece)(i.toByte)), room)

  test("what is collected in memory is held for the client, and is no more than `spoolMemory`") {
    for (piece <- List(1, 1000, 60000)) {
      val from    = body(piece, room = 65536)
      val content = collected(from).get
      assertEquals(content.length, 60000L)
      assert(from.held >= 60000, s"${from.held} bytes are held of pieces of $piece")
      val bytes = content.stream.next().poll.flatMap(_.get).getOrElse(Array.empty[Byte])
      assert(bytes.sameElements(Array.tabulate(60000)(i => (i / piece).toByte)))
      assertEquals(content.stream.next().poll.map(_.get), Some(None))
    }
  }

  test("content of known length takes no more memory than that, and none but its own if it is there") {
    for (piece <- List(1000, 60000)) {
      val pieces  = Seq.tabulate(60000 / piece)(i => Array.fill(piece)(i.toByte))
      val from    = new Bounded(pieces, room = 60000, length = 60000)
      val content = collected(from).get
      assertEquals((content.length, from.held), (60000L, 60000))
      val bytes = content.stream.next().poll.flatMap(_.get).getOrElse(Array.empty[Byte])
      assert(bytes.sameElements(pieces.flatten))
      assertEquals(bytes eq pieces.head, piece == 60000)
      assertEquals(content.stream.next().poll.map(_.get), Some(None))
    }
  }

  test("content of another length than was announced fails") {
    for (length <- List(59999L, 60001L)) {
      val pieces = Seq.fill(60)(new Array[Byte](1000))
      assert(collected(new Bounded(pieces, room = 65536, length)).isFailure)
    }
  }

  /** So many pieces of a body of known length are taken by `spool` before it is passed on, as a whole. */
  private def passedOn(spool: BodySpool, taken: Int): Unit = {
    val from    = new Bounded(Seq.tabulate(60)(i => Array.fill(1000)(i.toByte)), room = 65536, length = 60000)
    val loop    = new ManualLoop
    val content = loop.run(spool(from)).get
    try {
      assertEquals((content.length, from.taken), (60000L, taken))
      val all = Array.tabulate(60000)(i => (i / 1000).toByte)
      assert(loop.run(content.stream.toList(100)).get.toArray.flatten.sameElements(all))
    } finally loop.within(content.close())
  }

  test(
    "content of known length that exceeds `maxSpool` is collected up to that, and then passed on as it arrives"
  ) {
    for (most <- Seq(0, 20000, 20500)) {
      val config = ProgramHostConfig(
        spoolMemory = 1000,
        maxSpool = most.toLong,
        spoolDirectory = Some(temporaryDirectory().toString)
      )
      val spool = new BodySpool(config, Blocking.default)
      passedOn(spool, taken = 1 + most / 1000)
      eventually(spool.inFiles == 0)
    }
  }

  test("content of known length for which no file has room is passed on as it arrives") {
    val full = ProgramHostConfig(
      spoolMemory = 0,
      maxSpool = 60000,
      maxSpoolTotal = 60000,
      spoolDirectory = Some(temporaryDirectory().toString)
    )
    val spool  = new BodySpool(full, Blocking.default)
    val loop   = new ManualLoop
    val others = loop.run(spool(body(1000, room = 65536))).get
    passedOn(spool, taken = 1)
    loop.within(others.close())
  }

  test("content of known length for which no file can be made is passed on, which is logged once a second") {
    val log    = new Lines
    val config = ProgramHostConfig(spoolMemory = 0, spoolDirectory = Some("/nonexistent"), log = log)
    val spool  = new BodySpool(config, Blocking.default)
    val began  = System.nanoTime()
    for (_ <- 1 to 3) passedOn(spool, taken = 1)
    val lines = log.text.linesIterator.toList
    assert(lines.nonEmpty && lines.length <= 1 + (System.nanoTime() - began).nanos.toSeconds, lines)
    assert(lines.forall(_.startsWith("the body of a request could not be kept in /nonexistent: ")), lines)
  }

  /** A file that has room for `most` bytes. A write beyond them fails, or takes a part in silence, as natively. */
  private final class Filling(file: File, most: Long, fails: Boolean) extends RandomAccessFile(file, "rw") {
    private var left = most

    override def write(bytes: Array[Byte]): Unit = {
      val room = left.toInt
      left = math.max(0, left - bytes.length)
      if (bytes.length <= room) super.write(bytes)
      else {
        super.write(bytes, 0, room)
        if (fails) throw new IOException("No space left on device")
      }
    }
  }

  test("of a piece that a full disk took in part, nothing is passed on twice") {
    for (room <- Seq(0L, 500L, 30000L, 30500L); fails <- Seq(true, false)) {
      val config = ProgramHostConfig(
        spoolMemory = 1000,
        spoolDirectory = Some(temporaryDirectory().toString)
      )
      passedOn(
        new BodySpool(config, Blocking.default, new Filling(_, room, fails)),
        taken = 2 + (room / 1000).toInt // one is in memory, and one does not fit
      )
    }
  }

  test("what does not fit into memory goes to a file that only its owner may open, and that has no name") {
    assume(Files.isDirectory(Paths.get("/proc/self/fd")), "there is no /proc")
    val directory = temporaryDirectory()
    val config    = ProgramHostConfig(spoolMemory = 1000, spoolDirectory = Some(directory.toString))
    val loop      = new ManualLoop
    val content   = loop.run(new BodySpool(config, Blocking.default)(body(1000, room = 65536))).get
    assertEquals(content.length, 60000L)
    val open = openBelow(directory)
    assertEquals(open.map(PosixFilePermissions.toString(_)), List("rw-------"))
    assertEquals(directory.toFile.list.toList, Nil)
    assertEquals(loop.run(content.stream.toList(100)).get.map(_.length).sum, 60000)
    loop.within(content.close())
    eventually(openBelow(directory).isEmpty)
  }

  test("a file is closed, and counts no more, also where no thread is left to close it") {
    assume(Files.isDirectory(Paths.get("/proc/self/fd")), "there is no /proc")
    val directory = temporaryDirectory()
    val config    = ProgramHostConfig(spoolMemory = 1000, spoolDirectory = Some(directory.toString))
    val threads   = new Blocking(BlockingConfig(threads = 1, queue = 1, virtual = false))
    val loop      = new ManualLoop
    val spool     = new BodySpool(config, threads)
    val content   = loop.run(spool(body(1000, room = 65536))).get
    assertEquals(spool.inFiles, 59000L)
    val begun        = new CountDownLatch(1)
    val gate         = new CountDownLatch(1)
    def wait(): Unit = {
      begun.countDown()
      gate.await()
    }
    try {
      loop.within(threads(wait()).onComplete(_ => ()))
      begun.await()
      loop.within(threads(wait()).onComplete(_ => ())) // in the queue
      loop.within(content.close())
      assertEquals((openBelow(directory).size, spool.inFiles), (0, 0L))
    } finally gate.countDown()
  }

  /** The permissions of the open files in that directory, whether or not they still have a name. */
  private def openBelow(directory: Path): List[java.util.Set[PosixFilePermission]] =
    new File("/proc/self/fd").list.toList.map(fd => Paths.get(s"/proc/self/fd/$fd")).flatMap { fd =>
      try
        if (Files.readSymbolicLink(fd).startsWith(directory)) Some(Files.getPosixFilePermissions(fd))
        else None
      catch { case _: IOException => None } // it has been closed
    }

  test("where there is no memory left for it, the request is refused") {
    for (piece <- List(1, 1000, 60000)) {
      val from = body(piece, room = 50000)
      assertEquals(collected(from).failed.get.asInstanceOf[HttpError].status, Status.ServiceUnavailable)
      assert(from.cancelled && from.held <= 50000)
    }
  }

  test("a body that has been read in part is not passed on, whether or not its length is known") {
    for (length <- Seq(6L, -1L)) {
      val pieces = ByteStream.fromIterator(Iterator("abc", "def").map(_.getBytes))
      val body   = MessageBody.streamed(pieces, length, MessageBody.of("abcdef"))
      assert(body.stream.next().poll.exists(_.isSuccess))
      intercept[IllegalStateException](spool(body))
    }
  }

  test("a body of known length that is read in part before the program's turn comes fails") {
    val pieces  = ByteStream.fromIterator(Iterator("abc", "def").map(_.getBytes))
    val body    = MessageBody.streamed(pieces, 6L, MessageBody.of("abcdef"))
    val through = new BodySpool(ProgramHostConfig(bufferRequests = false), Blocking.default)
    val content = through(body).poll.flatMap(_.toOption).getOrElse(fail("nothing is to be waited for"))
    assert(body.stream.next().poll.exists(_.isSuccess))
    assert(content.stream.next().poll.exists(_.isFailure))
  }
}
