package needletail.fuzz

import needletail.io.PemFuzz
import needletail.load.scenario.{CsvFuzz, ScenarioFuzz}

/** All parsers of untrusted bytes. */
object Targets {
  val all: List[FuzzTarget] = SharedTargets.all ++ List(ScenarioFuzz, CsvFuzz, PemFuzz)
}
