package needletail.gateway.host.incoming

import java.nio.file.{Files, Path}

import needletail.testing.{Suite, TemporaryDirectories}

/** Programs at the ends of long paths and of links. */
class ScriptFinderSuite extends Suite with TemporaryDirectories {
  private val root: Path   = temporaryDirectory()
  private val name: String = "n" * 200

  private def finder(directory: Path) =
    new ScriptFinder(new Mount("/cgi"), directory.toString, mustExecute = false)

  private def code(directory: Path, segments: String*): Int =
    finder(directory).find(segments.toList).fold(_.status.code, _ => 200)

  test("paths of more than a thousand bytes, below a directory and of a directory") {
    val deep = List.fill(6)(name).foldLeft(root)(_.resolve(_))
    Files.createDirectories(deep)
    Files.write(deep.resolve("tool"), Array[Byte](1))
    val segments = List.fill(6)(name) :+ "tool"
    for (_ <- 1 to 3) {
      val found = finder(root).find(segments :+ "more").fold(e => fail(e.message), identity)
      assertEquals(found.info, "/more")
      assertEquals(code(deep, "tool"), 200)
    }
    assertEquals(code(deep, "none"), 404)
  }

  test("links in a circle and out of the directory, and a directory that is not there") {
    Files.createSymbolicLink(root.resolve("loop"), root.resolve("loop"))
    Files.createSymbolicLink(root.resolve("out"), root.getParent)
    assertEquals(code(root, "loop"), 404)
    assertEquals(code(root, "loop", "tool"), 404)
    assertEquals(code(root, "out", root.getFileName.toString, "loop"), 404)
    assertEquals(code(root.resolve("gone"), "tool"), 404)
  }
}
