package needletail.load.file

import java.nio.file.{Files, Paths}

import needletail.testing.TemporaryDirectories

class OutputFilesSuite extends TemporaryDirectories {

  test("the check before a run changes nothing: no file, no link, and not what a link points to") {
    val folder = temporaryDirectory()
    val target = folder.resolve("target")
    val link   = Files.createSymbolicLink(folder.resolve("link"), Paths.get("target"))
    val file   = folder.resolve("file")
    assertEquals(OutputFiles(json = Some(link), csv = Some(file)).problem(), None)
    assert(Files.isSymbolicLink(link) && !Files.exists(target) && !Files.exists(file))
    Files.writeString(target, "kept")
    assertEquals(OutputFiles(json = Some(link)).problem(), None)
    assertEquals(Files.readString(target), "kept")
  }
}
