package needletail.simulation

import needletail.simulation.world.{FaultRates, World}
import needletail.testing.Suite

/** Worlds in which nothing fails by itself. */
trait QuietWorlds { self: Suite =>

  /** One that must have found nothing wrong when `body` is over. */
  protected def inWorld[A](seed: Long = 1)(body: World => A): A = {
    val world = new World(seed)
    world.faults = FaultRates.none
    val result = body(world)
    assertEquals(world.findings.toList, Nil)
    result
  }
}
