package needletail.stream

import java.nio.file.{Files, Path, Paths}

import needletail.testing.Suite

/** The examples of docs/streams.md are those that tests run. */
class GuideTextSuite extends Suite {
  private val root: Path =
    Iterator
      .iterate(Paths.get("").toAbsolutePath)(_.getParent)
      .takeWhile(_ != null)
      .find(p => Files.exists(p.resolve("docs/streams.md")))
      .getOrElse(fail("no docs/streams.md above the working directory"))

  private def read(path: String): String = new String(Files.readAllBytes(root.resolve(path)), "UTF-8")

  private val blocks = read("docs/streams.md").split("```scala\n").drop(1).map(_.takeWhile(_ != '`'))

  test("each operator and its elements") {
    val suite   = read("stream/shared/src/test/scala/needletail/stream/GuideSuite.scala")
    val Example = "(.*\\S)\\s+// (.*)".r
    val lines   = blocks.head.linesIterator.toList
    assert(lines.size > 20)
    lines.foreach {
      case Example(code, elements) => assert(suite.contains(s"""shows("$elements")($code)"""), code)
      case line                    => fail(s"an example without its elements: $line")
    }
  }

  test("the examples of a server") {
    val suite = squeezed(read("server/shared/src/test/scala/needletail/server/StreamGuide.scala"))
    val shown = blocks.filter(_.contains("needletail.routing._"))
    assertEquals(shown.length, 3)
    shown.foreach { block =>
      val code =
        block.linesIterator.filterNot(_.startsWith("import ")).mkString("\n")
      assert(suite.contains(squeezed(code)), code)
    }
  }

  private def squeezed(code: String): String = code.replaceAll("\\s+", " ").trim
}
