package needletail.simulation

import scala.concurrent.duration._

import needletail.async.Async
import needletail.io.Address
import needletail.routing._
import needletail.server._
import needletail.simulation.peer.HttpExchange
import needletail.simulation.world.{FaultRates, World}
import needletail.testing.Suite

/** How long connections may idle while descriptors are short, and when they no longer are. */
class DescriptorShortageSuite extends Suite {
  private val idleTimeout = 75.seconds
  private val places      = 10

  private val routes = Routes(
    GET / "now" to "here".ok,
    (GET / "late" to Async.sleep(1.hour).map(_ => "late".ok)).withoutAdaptiveLimit
  )

  private val config = ServerConfig(
    address = Address.Tcp("127.0.0.1", 0),
    loops = 1,
    idleTimeout = idleTimeout,
    crowdedIdleTimeout = 100.millis,
    handlerTimeout = 2.hours,
    blockedLoop = Duration.Zero,
    log = Log.none
  )

  /** As long as a shortage is taken to last after it was last seen, and a little more. */
  private val overAfter = 10.seconds + 500.millis

  /** A server that has met with a shortage, which ends as `body` begins; so many are there whom it cannot close. */
  private def afterShortage[A](body: (World, () => HttpExchange) => A): A = {
    val world = new World(1)
    world.faults = FaultRates.none
    val server               = Server(routes, config).startOn(world.platform)
    def call(): HttpExchange = {
      val call = new HttpExchange(world, server.port, "/now")
      world.pass(20.millis.toNanos)
      call
    }
    val before = call()
    world.pass(5.seconds.toNanos)
    assert(before.answer.nonEmpty && !before.isOver, "the idle timeout is the usual one before the shortage")

    world.network.mostDescriptors = world.network.descriptors + places
    val busy = Vector.fill(places)(new HttpExchange(world, server.port, "/late"))
    world.pass(1.second.toNanos)
    val waiting = call() // takes the place of the one that idles
    world.pass(1.second.toNanos)
    assert(before.isOver, "a connection that idles makes room in the shortage")
    assert(waiting.answer.nonEmpty)
    assert(busy.forall(b => !b.isOver && b.answer.isEmpty))

    world.network.mostDescriptors = Int.MaxValue
    val result = body(world, () => call())
    assertEquals(world.findings.toList, Nil)
    result
  }

  test("fault 7: while a shortage of descriptors may still last, connections may idle only shortly") {
    afterShortage { (world, call) =>
      world.pass(8.seconds.toNanos)
      val early = call()
      world.pass(1.second.toNanos)
      assert(early.answer.nonEmpty && early.isOver)
    }
  }

  test("fault 7: when a shortage of descriptors has been over for 10 s, connections may idle as before it") {
    afterShortage { (world, call) =>
      world.pass(overAfter.toNanos)
      val later = call()
      world.pass((idleTimeout - 1.second).toNanos)
      assert(later.answer.nonEmpty && !later.isOver, "its idle timeout is the usual one")
      world.pass(2.seconds.toNanos)
      assert(later.isOver, "and it has one")
    }
  }

  test("fault 7: a second shortage is met as the first was") {
    afterShortage { (world, call) =>
      world.pass(overAfter.toNanos)
      val idle = call()
      world.pass(5.seconds.toNanos)
      assert(!idle.isOver)
      world.network.mostDescriptors = world.network.descriptors
      val another = call()
      world.pass(1.second.toNanos)
      assert(idle.isOver && another.answer.nonEmpty)
    }
  }
}
