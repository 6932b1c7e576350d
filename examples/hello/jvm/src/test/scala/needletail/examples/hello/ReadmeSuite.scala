package needletail.examples.hello

import java.nio.file.{Files, Path, Paths}

import needletail.testing.Suite

/** The README shows the example that is compiled and tested, to the letter. */
class ReadmeSuite extends Suite {
  private val root: Path =
    Iterator
      .iterate(Paths.get("").toAbsolutePath)(_.getParent)
      .takeWhile(_ != null)
      .find(p => Files.exists(p.resolve("README.md")) && Files.exists(p.resolve("build.sbt")))
      .getOrElse(fail("no README.md above the working directory"))

  private def read(path: String): String = new String(Files.readAllBytes(root.resolve(path)), "UTF-8")

  test("the README's example is examples/hello") {
    val shown  = read("README.md").split("```scala\n")(1).split("\n```")(0)
    val source = read("examples/hello/shared/src/main/scala/needletail/examples/hello/Hello.scala")
    assertEquals(shown.trim, source.substring(source.indexOf("import")).trim)
  }
}
