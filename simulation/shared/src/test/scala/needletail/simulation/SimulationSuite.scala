package needletail.simulation

import scala.concurrent.duration._

import needletail.testing.Suite

/** Nobody gets another's answer, and nothing is left behind, in any of many worlds. See docs/testing.md. */
class SimulationSuite extends Suite {
  override val munitTimeout: Duration = 10.minutes

  /** How many worlds: fewer natively, where the suites are linked without optimisation. */
  private val seeds = sys.env.get("NEEDLETAIL_SEEDS").flatMap(_.toLongOption).getOrElse(Seeds.usual)

  test(s"nothing is found in $seeds worlds") {
    val result = Seeds.run(1, seeds, Runtime.getRuntime.availableProcessors)
    assertEquals(result.failed.map(o => s"seed ${o.seed}: ${o.findings.mkString("; ")}").take(10).toList, Nil)
  }

  test("a seed is the same world each time, to the byte") {
    for (seed <- 1L to 50L)
      assertEquals(Simulation.run(seed).digest, Simulation.run(seed, traced = true).digest, s"seed $seed")
  }

  test("worlds differ from seed to seed") {
    assert((1L to 50L).map(Simulation.run(_).digest).distinct.size > 45)
  }
}
