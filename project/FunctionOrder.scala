import java.io.File

import sbt._
import sbt.internal.inc.Analysis
import sbt.util.Logger
import xsbti.compile.CompileAnalysis

/**
 * Whether the plugin's list of functions that native programs run at their start (`bench/start/order` writes it) is of
 * the present sources: the linker ignores a name that is gone, so an old list makes programs start slower, in silence.
 */
object FunctionOrder {

  /** The class at the beginning of a mangled name: its length in characters, and its name. */
  private val OfClass = """_S[A-Z](\d+)(needletail\..*)""".r

  /** The share of the list's classes that may be gone before it has to be written again. */
  private val tolerated = 0.1

  /** Counts one test. `analyses` are those of the modules' main sources; classes of examples are left out. */
  def check(order: File, analyses: Seq[CompileAnalysis], log: Logger): TestCounts = {
    val known  = analyses.collect { case a: Analysis => a.relations.classes._2s }.flatten.toSet
    val listed = IO
      .readLines(order)
      .collect { case OfClass(length, rest) => rest.take(length.toInt).takeWhile(_ != '$') }
      .filterNot(_.startsWith("needletail.examples."))
      .toSet
    val gone = listed.filterNot(known)
    if (listed.nonEmpty && gone.size <= tolerated * listed.size) TestCounts(1, 0, 0)
    else {
      val wrong = s"${order.getName}: ${gone.size} of ${listed.size} classes are gone; run bench/start/order"
      log.error(wrong)
      TestCounts(0, 1, 0, Seq(wrong))
    }
  }
}
