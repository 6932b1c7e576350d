package needletail.stream

import java.io.IOException
import java.nio.file.{Files, Path, Paths}

import scala.concurrent.duration._
import scala.util.{Failure, Random}

import needletail.async.Async
import needletail.testing.Suite
import needletail.testkit.ManualLoop

class FileSuite extends Suite {

  private def withFile[A](content: Array[Byte])(test: Path => A): A = {
    val file = Files.createTempFile("needletail-stream", ".bin")
    try {
      Files.write(file, content)
      test(file)
    } finally { Files.deleteIfExists(file); () }
  }

  private def random(length: Int): Array[Byte] = {
    val bytes = new Array[Byte](length)
    new Random(length).nextBytes(bytes)
    bytes
  }

  private def run[A](body: => Async[A]) = new ManualLoop().run(body)

  private def onLinux() = assume(Files.exists(Paths.get("/dev/full")), "/dev/full is Linux's")

  /** Descriptors of this process that refer to `file`. */
  private def descriptors(file: Path): Int = {
    val all = Option(new java.io.File("/proc/self/fd").listFiles).map(_.toSeq).getOrElse(Nil)
    all.count(fd => scala.util.Try(fd.getCanonicalPath).toOption.contains(file.toRealPath().toString))
  }

  test("a file is read whole, in pieces of the size that was asked for") {
    for (length <- Seq(0, 1, 1000, 65536, 200000); pieceSize <- Seq(1000, 65536)) {
      val content = random(length)
      withFile(content) { file =>
        val pieces = run(Stream.file(file, pieceSize).toList(1000)).get
        assertEquals(pieces.flatten.toSeq, content.toSeq)
        assert(pieces.forall(piece => piece.nonEmpty && piece.length <= pieceSize))
        eventually(descriptors(file) == 0)
      }
    }
  }

  test("a file that does not exist, and a directory, are clear failures") {
    val missing = Paths.get("no", "such", "file")
    val gone    = run(Stream.file(missing).drain()).failed.get
    assert(gone.isInstanceOf[IOException] && gone.getMessage.contains(missing.toString), gone)
    val folder = Files.createTempDirectory("needletail-stream")
    try {
      val read = run(Stream.file(folder).drain()).failed.get
      assert(read.isInstanceOf[IOException] && read.getMessage.contains("is a directory"), read)
      val probe = new Probe(Seq(random(1)), ending = Probe.Never)
      val write = run(probe.writeTo(folder)).failed.get
      assert(write.isInstanceOf[IOException] && write.getMessage.contains("is a directory"), write)
    } finally Files.delete(folder)
  }

  test("nothing is opened before the first piece is asked for") {
    val stream = Stream.file(Paths.get("no", "such", "file"))
    stream.cancel()
    assertEquals(run(stream.next()).get, None)
  }

  test("a stream that is cancelled closes its file, also while it is read") {
    withFile(random(100000)) { file =>
      val loop  = new ManualLoop
      val begun = Stream.file(file, 1000)
      assert(loop.run(begun.next()).get.isDefined)
      assertEquals(descriptors(file), 1)
      loop.within(begun.cancel())
      loop.runAll()
      eventually(descriptors(file) == 0)

      for (_ <- 1 to 50) {
        val stream = Stream.file(file, 1000)
        loop.within { stream.next(); stream.cancel() }
        assertEquals(loop.run(stream.next()).get, None)
      }
      eventually(descriptors(file) == 0)
    }
  }

  test("a piece that comes when its reader has given up goes through the stages that ask for it next") {
    withFile("hello".getBytes) { file =>
      val loop   = new ManualLoop
      val stream = Stream.file(file).map(_.length)
      loop.within(stream.next().cancel())
      loop.advance(1.second) // until it has been read
      assertEquals(loop.run(stream.next()).get, Some(5))
      assertEquals(loop.run(stream.next()).get, None)
    }
  }

  test("an error of the disk is the stream's failure, and the file is closed") {
    onLinux()
    val self = Paths.get("/proc/self/mem") // its first page cannot be read
    assert(run(Stream.file(self).drain()).failed.get.isInstanceOf[IOException])
    val full  = Paths.get("/dev/full")
    val probe = new Probe(Seq(random(10)), ending = Probe.Never)
    assert(run(Stream(random(10)).writeTo(full)).failed.get.isInstanceOf[IOException])
    assert(run((Stream(random(70000)) ++ probe).writeTo(full)).failed.get.isInstanceOf[IOException])
    assertEquals(probe.cancelled, 1)
    eventually(descriptors(full) == 0 && descriptors(Paths.get("/proc").resolve("self").resolve("mem")) == 0)
  }

  test("what is written is what is read, from small pieces, large ones and those that come later") {
    for (
      sizes <- Seq(
        Seq(),
        Seq(1),
        Seq(10, 0, 20),
        Seq(65536),
        Seq(1, 65536, 1),
        Seq(100000, 1, 200000),
        Seq.fill(5000)(100)
      );
      pending <- Seq(false, true)
    )
      withFile(random(5)) { file =>
        val pieces = sizes.map(random)
        assertEquals(run(new Probe(pieces, pending).writeTo(file)).get, sizes.sum.toLong)
        assertEquals(Files.readAllBytes(file).toSeq, pieces.flatten)
        assertEquals(descriptors(file), 0)
      }
  }

  test("a file can be written to at its end") {
    withFile("a".getBytes) { file =>
      run(Stream("b", "c").utf8.writeTo(file, append = true)).get
      assertEquals(new String(Files.readAllBytes(file)), "abc")
    }
  }

  test("a stream that fails leaves what came before, and its file is closed") {
    val broken = new Exception("broken")
    for (pending <- Seq(false, true)) withFile(random(5)) { file =>
      val probe = new Probe(Seq("a".getBytes, "b".getBytes), pending, Probe.Fail(broken))
      assertEquals(run(probe.writeTo(file)), Failure(broken))
      assertEquals(new String(Files.readAllBytes(file)), "ab")
      assertEquals(probe.misuse, Nil)
      eventually(descriptors(file) == 0)
    }
  }

  test("empty pieces without end do not starve the loop") {
    withFile(Array()) { file =>
      val loop    = new ManualLoop
      var other   = false
      val nothing = Stream.fromIterator(Iterator.continually(new Array[Byte](0)))
      loop.execute(() => other = true)
      val written = loop.within(nothing.takeWhile(_ => !other).writeTo(file))
      assertEquals(loop.run(written).get, 0L)
    }
  }

  test("cancelling a write cancels the stream once and closes the file") {
    withFile(random(5)) { file =>
      val loop    = new ManualLoop
      val probe   = new Probe(Seq("a".getBytes), ending = Probe.Never)
      val written = loop.within(probe.writeTo(file))
      loop.advance(1.second)
      loop.within(written.cancel())
      assertEquals((probe.cancelled, probe.misuse), (1, Nil))
      loop.runAll()
      eventually(descriptors(file) == 0)
      assertEquals(new String(Files.readAllBytes(file)), "a")
    }
  }

  test("one file to another") {
    val content = random(300000)
    withFile(content)(from =>
      withFile(Array()) { to =>
        assertEquals(run(Stream.file(from).writeTo(to)).get, 300000L)
        assertEquals(Files.readAllBytes(to).toSeq, content.toSeq)
      }
    )
  }
}
