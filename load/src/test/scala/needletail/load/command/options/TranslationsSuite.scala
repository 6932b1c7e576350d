package needletail.load.command.options

import java.nio.file.{Files, Path, Paths}

import needletail.testing.Suite

/** The commands that docs/load.md gives to users of other load testers. */
class TranslationsSuite extends Suite {
  private val page: Path =
    Iterator
      .iterate(Paths.get("").toAbsolutePath)(_.getParent)
      .takeWhile(_ != null)
      .map(_.resolve("docs/load.md"))
      .find(Files.exists(_))
      .getOrElse(fail("no docs/load.md above the working directory"))

  test("each is a command that can be given") {
    val text  = new String(Files.readAllBytes(page), "UTF-8")
    val table = text.split("## Coming from another load tester\n")(1).split("\n## ")(0)
    val rows  = table.linesIterator.filter(_.startsWith("|")).drop(2).map(_.split('|')(2)).toList
    val Ours  = "^ `([^`]+)`.*".r
    assert(rows.size >= 9, rows)
    rows.foreach {
      case Ours(options) =>
        CommandLine.parse("run" +: "http://127.0.0.1:8080/" +: options.split(' ').toSeq) match {
          case ParsedCommand.Work("run", _) => ()
          case other                        => fail(s"$options: $other")
        }
      case other => fail(other)
    }
  }
}
