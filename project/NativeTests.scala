import sbt._
import sbt.internal.inc.Analysis
import xsbt.api.Discovery
import xsbti.compile.CompileAnalysis

/** The one program that runs the tests of all modules on Native. */
object NativeTests {
  private val suite = "needletail.testing.Suite"

  /**
   * Writes its main class, which names every suite that the compiler found in the tests of the modules: so no
   * suite can be forgotten, and none has to be listed by hand.
   */
  def generate(directory: File, tests: Seq[CompileAnalysis]): Seq[File] = {
    val names = tests
      .flatMap { case analysis: Analysis =>
        Discovery(Set(suite), Set.empty[String])(Tests.allDefs(analysis))
      }
      .collect { case (definition, found) if found.baseClasses(suite) && !found.isModule => definition.name }
      .distinct
      .sorted
    val entries = names.map(name => s"""      Runner.Entry("$name", () => new _root_.$name)""")
    val source  =
      s"""package needletail.testing
         |
         |object NativeTests {
         |  def main(args: Array[String]): Unit = Runner.main(
         |    List(
         |${entries.mkString(",\n")}
         |    ),
         |    args
         |  )
         |}
         |""".stripMargin
    val file = directory / "needletail" / "testing" / "NativeTests.scala"
    if (!file.exists || IO.read(file) != source) IO.write(file, source)
    Seq(file)
  }
}
