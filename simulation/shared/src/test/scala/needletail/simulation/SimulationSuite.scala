package needletail.simulation

import scala.concurrent.duration._

import needletail.simulation.tls.PlatformTlsEngines
import needletail.testing.Suite

/** No client gets another's response, and nothing is left behind, in many simulations. See docs/testing.md. */
class SimulationSuite extends Suite {
  override val munitTimeout: Duration = 10.minutes

  /** How many simulations: fewer natively, where the suites are linked without optimisation. */
  private val seeds = sys.env.get("NEEDLETAIL_SEEDS").flatMap(_.toLongOption).getOrElse(Seeds.usual)

  test(s"nothing is found in $seeds simulations") {
    val result = Seeds.run(1, seeds, Runtime.getRuntime.availableProcessors)
    assertEquals(result.failed.map(o => s"seed ${o.seed}: ${o.findings.mkString("; ")}").take(10).toList, Nil)
  }

  test("a seed gives the same simulation each time, to the byte") {
    for (seed <- 1L to 50L)
      assertEquals(Simulation.run(seed).digest, Simulation.run(seed, traced = true).digest, s"seed $seed")
  }

  private val missing = PlatformTlsEngines.missing

  test(
    if (missing == null) "a seed gives the same simulation of TLS each time, but for the encrypted bytes"
    else s"SKIPPED, no simulation of TLS: $missing"
  ) {
    for (seed <- 13L to 390L by 13L)
      assertEquals(Simulation.run(seed).digest, Simulation.run(seed, traced = true).digest, s"seed $seed")
  }

  test("simulations differ from seed to seed") {
    assert((1L to 50L).map(Simulation.run(_).digest).distinct.size > 45)
  }
}
