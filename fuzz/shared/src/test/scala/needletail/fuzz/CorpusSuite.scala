package needletail.fuzz

import java.io.File
import java.nio.file.Files

import scala.concurrent.duration.{Duration, DurationInt}

/**
 * What the fuzzer has found to be of interest, read once more: each input of `fuzz/corpus/TARGET` by its target. An input
 * that failed once is kept there for good, its name says what it found.
 */
class CorpusSuite extends needletail.testing.Suite {
  // Work for the processor, which on a busy machine takes many times as long.
  override val munitTimeout: Duration = 2.minutes

  private val root = CorpusSuite.root

  Targets.all.foreach { target =>
    test(s"${target.name}: what holds of every input holds of the corpus") {
      val inputs = CorpusSuite.inputs(new File(root, target.name))
      assert(inputs.nonEmpty, clue(s"no corpus in $root/${target.name}"))
      inputs.foreach { file =>
        val data = Files.readAllBytes(file.toPath)
        try {
          target.check(data)
          if (CorpusSuite.hasName(file)) target.checkCost(data) // which takes a hundred times as long
        } catch {
          case e: Throwable => throw new AssertionError(s"$file: $e", e)
        }
      }
    }
  }

  test("every corpus has a target") {
    val known = SharedTargets.all.map(_.name) ++ List("scenario", "csv", "pem") // these on the JVM only
    val there = root.listFiles.toList.filter(_.isDirectory).map(_.getName)
    assertEquals(there.filterNot(known.contains), Nil)
  }
}

object CorpusSuite {

  /** The tests run at the root, or in a module's folder. */
  private def root: File = {
    var here = new File("").getAbsoluteFile
    while (!new File(here, "fuzz/corpus").isDirectory && here.getParentFile != null) here = here.getParentFile
    new File(here, "fuzz/corpus")
  }

  /** Put there by hand: those that the fuzzer adds are called by their hash. */
  private def hasName(file: File): Boolean =
    file.getName.startsWith("seed-") || file.getName.startsWith("found-")

  private def inputs(folder: File): List[File] =
    Option(folder.listFiles).toList.flatten.filter(_.isFile).sortBy(_.getName)
}
