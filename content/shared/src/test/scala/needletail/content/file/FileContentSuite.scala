package needletail.content.file

import java.io.IOException
import java.nio.file.Files

import needletail.io.FilePart
import needletail.io.platform.DiskFile
import needletail.stream.stage.OpenFile
import needletail.testing.Suite
import needletail.testkit._

/** What a response's content holds, and gives back. */
class FileContentSuite extends Suite {

  test("a shared file is given back when what follows cannot be brought to memory") {
    val path = Files.createTempFile("needletail-content", ".bin")
    try {
      Files.write(path, new Array[Byte](200000))
      val version = new FileVersion(path, FileStatus.of(path), new OpenFileCache(0))
      val shared  = new SharedFile(DiskFile.open(path))
      assert(shared.acquire())
      val lease   = new Lease(version, shared, new FilePart(shared.disk, 0, 100000, Long.MaxValue))
      val fails   = new OpenFile[ReadableFile](() => throw new IOException("expected by the test"))
      val content = new FileContent(fails, List(Part.Range(0, 200000)), sends = true, lease)
      val loop    = new ManualLoop
      assert(loop.run(content.nextPart()).isSuccess)
      assert(loop.run(content.nextPart()).isFailure)
      loop.within(content.cancel())
      shared.forgetUse()
      assert(!shared.isUsed)
      shared.release()
    } finally Files.delete(path)
  }
}
