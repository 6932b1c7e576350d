package needletail.content.file

import java.nio.file.{FileSystemException, Files, NoSuchFileException, Path}
import java.util.concurrent.RejectedExecutionException

import scala.concurrent.duration._

import needletail.async.{Loop, Timer}
import needletail.http.message.Answerable
import needletail.io.platform.DiskFile
import needletail.testing.{Suite, TemporaryDirectories}
import needletail.testkit._

/** Files that stay open are closed when nobody asks for them any more. */
class OpenFileCacheSuite extends Suite with TemporaryDirectories {

  private def file(): Path = Files.write(temporaryDirectory().resolve("large.bin"), new Array[Byte](200000))

  test("a file that a later part of a slow download opens again is closed, too") {
    val path  = file()
    val store = new FileStore(path.getParent, FileConfig(cachedFile = 1000))
    val loop  = new ManualLoop
    val found = loop.run(store.find(List("large.bin"))).get match {
      case stored: StoredFile => stored.variants.head.version
      case other              => fail(other.toString)
    }
    val content = new FileContent(store.open(found), List(Part.Range(0, 200000)), sends = true)
    assert(loop.run(content.opened).isSuccess)
    for (_ <- 1 to 3) {
      assert(loop.run(content.nextPart()).isSuccess)
      assertEquals(store.keptOpen, 1)
      loop.advance(20.seconds) // the client takes what the part has
      assertEquals((store.keptOpen, loop.pendingTimers), (0, 0))
    }
    loop.within(content.cancel())
    eventually(store.opened == 0)
  }

  test("a file is closed though the response is gone that had it opened") {
    val path    = file()
    val cache   = new OpenFileCache(1)
    val version = new FileVersion(path, FileStatus.of(path), cache)
    val loop    = new ManualLoop
    cache.add(version, loop)
    assertEquals(cache.size, 1)
    loop.advance(20.seconds)
    assert(cache.size == 0 && version.shared == null, cache.size)
  }

  test("a file that is not opened for want of a descriptor has not changed: 503") {
    // in the system's language
    val short = new FileSystemException("/a", null, "Zu viele offene Dateien")
    FileVersion.notOpened(short, isStill = true) match {
      case e: Answerable => assertEquals(e.asHttpError.status.code, 503)
      case other         => fail(other.toString)
    }
    val missing = temporaryDirectory().resolve("missing")
    val why     = intercept[NoSuchFileException](DiskFile.open(missing))
    assertEquals(FileVersion.notOpened(why, isStill = true), FileVersion.Changed: Exception)
    assert(why.getMessage.contains(missing.toString), why)
    // "Not a directory", "Too many levels of symbolic links" or "Is a directory": other files are there by now
    assertEquals(FileVersion.notOpened(short, isStill = false), FileVersion.Changed: Exception)
  }

  test("no file stays open for a loop that has ended") {
    val path    = file()
    val cache   = new OpenFileCache(1)
    val version = new FileVersion(path, FileStatus.of(path), cache)
    val ended   = new Loop {
      def inLoop: Boolean                                   = false
      def execute(task: Runnable): Unit                     = throw new RejectedExecutionException
      def schedule(delayNanos: Long, task: Runnable): Timer = throw new RejectedExecutionException
      def nowNanos: Long                                    = 0
    }
    cache.add(version, ended)
    assert(cache.size == 0 && version.shared == null, cache.size)
  }
}
