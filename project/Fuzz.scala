import sbt._

/** What `./test fuzz` runs outside sbt. */
object Fuzz {

  /** Writes `fuzz-classpath` and, from the names of the compiled classes, `fuzz-targets`: one class name a line. */
  def prepare(target: File, program: Seq[File], fuzzer: Seq[File], classes: File): Unit = {
    IO.write(target / "fuzz-classpath", (program ++ fuzzer).mkString(java.io.File.pathSeparator))
    val names = (classes ** "*Fuzz.class").get.map(file =>
      IO.relativize(classes, file).get.stripSuffix(".class").replace(java.io.File.separatorChar, '.')
    )
    IO.writeLines(target / "fuzz-targets", names.sorted)
  }
}
