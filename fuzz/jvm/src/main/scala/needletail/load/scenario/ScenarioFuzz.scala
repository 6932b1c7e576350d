package needletail.load.scenario

import java.nio.file.Paths

import needletail.fuzz.{Check, FuzzTarget}

/** Scenario files: a plan, or the first mistake with a line of the file; the same each time. */
object ScenarioFuzz extends FuzzTarget("scenario") {
  private val place = Paths.get("scenario.yaml")

  def check(data: Array[Byte]): Unit = {
    val text = new String(data, java.nio.charset.StandardCharsets.UTF_8)
    if (!namesFiles(text)) {
      val once = Scenario.parse(text, place)
      once.left.foreach { error =>
        val lines = text.split("\r\n|[\r\n\u0085\u2028\u2029]", -1).length
        Check(error.line >= 0 && error.line <= lines, s"line ${error.line} of $lines")
        Check(error.reason != null && error.reason.nonEmpty, "no reason")
      }
      Check.same("once more", Scenario.parse(text, place), once)
    }
  }

  override def read(data: Array[Byte]): Unit = {
    val text = new String(data, java.nio.charset.StandardCharsets.UTF_8)
    if (!namesFiles(text)) Scenario.parse(text, place)
    ()
  }

  /** The fuzzer must not read files of this machine that a scenario names. */
  private def namesFiles(text: String) = List("feeders", "cert", "key:").exists(text.contains(_))
}
