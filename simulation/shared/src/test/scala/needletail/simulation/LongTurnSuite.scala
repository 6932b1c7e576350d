package needletail.simulation

import scala.concurrent.duration._

import needletail.async.{Async, Loop}
import needletail.io.{EventLoop, EventLoops}
import needletail.routing._
import needletail.server._
import needletail.simulation.peer.HttpExchange
import needletail.simulation.world.{FaultRates, World}
import needletail.testing.Suite

/** Timers are not late because the turn before them was long. */
class LongTurnSuite extends Suite {
  private def quiet(): World = {
    val world = new World(1)
    world.faults = FaultRates.none
    world
  }

  /** What waits in whole milliseconds, the network and readings of the clock may add. */
  private val slack = 5.millis.toNanos

  /** How long after the first of them `set` a timer of that time fires, on a loop of its own, in nanoseconds. */
  private def fires(after: FiniteDuration)(hold: (World, EventLoop, () => Unit) => Unit): Long = {
    val world = quiet()
    val loops = new EventLoops(1, "long", platform = world.platform)
    val loop  = loops(0)
    var begun = 0L
    var fired = 0L
    hold(
      world,
      loop,
      () => {
        begun = world.now
        loop.schedule(after.toNanos, () => fired = world.now)
        world.block(200.millis.toNanos)
      }
    )
    world.run(5.seconds.toNanos)(fired != 0)
    loops.stop()
    world.pass(1.second.toNanos)
    assertEquals(world.findings.toList, Nil)
    fired - begun
  }

  private def within(took: Long, wanted: FiniteDuration): Unit =
    assert(
      took >= wanted.toNanos && took <= wanted.toNanos + slack,
      s"after ${took / 1000} us instead of $wanted"
    )

  test("a timer set in a long task is not late") {
    within(fires(100.millis)((_, loop, set) => loop.execute(() => set())), 200.millis)
    within(fires(250.millis)((_, loop, set) => loop.execute(() => set())), 250.millis)
  }

  test("nor one set in a long timer") {
    within(
      fires(250.millis)((_, loop, set) => loop.execute { () => loop.schedule(1000, () => set()); () }),
      250.millis
    )
  }

  test("nor one set at the end of a turn") {
    within(fires(250.millis)((_, loop, set) => loop.execute(() => loop.endOfTurn(() => set()))), 250.millis)
  }

  /** A server with that route is called, until `isOver`. */
  private def serving(world: World, isControlled: Boolean, route: Route)(
      isOver: HttpExchange => Boolean
  ): Unit = {
    val config = ServerConfig(
      loops = 1,
      blockedLoop = Duration.Zero,
      log = Log.none,
      overload = OverloadConfig(enabled = isControlled)
    )
    val server = Server(Routes(route), config).startOn(world.platform)
    val call   = new HttpExchange(world, server.port, "/held")
    world.run(5.seconds.toNanos)(isOver(call))
    call.close()
    val _ = server.drain()
    world.pass(10.seconds.toNanos)
    assertEquals(world.findings.toList, Nil)
  }

  for (isControlled <- Seq(true, false)) {
    test(s"nor one of a request whose handler holds the loop; overload control: $isControlled") {
      val world    = quiet()
      var begun    = 0L
      var answered = 0L
      val route    = GET / "held" to {
        begun = world.now
        val later = Async.sleep(250.millis).map(_ => "done".ok)
        world.block(200.millis.toNanos)
        later
      }
      serving(world, isControlled, route) { call =>
        if (call.answer.nonEmpty) answered = world.now
        answered != 0
      }
      within(answered - begun, 250.millis)
    }

    test(
      s"nor one set when the time of the turn's requests has been taken; overload control: $isControlled"
    ) {
      val world = quiet()
      var set   = 0L
      var fired = 0L
      val route = GET / "held" to {
        val loop = Loop.current.asInstanceOf[EventLoop]
        loop.endOfTurn { () =>
          set = world.now
          loop.schedule(250.millis.toNanos, () => fired = world.now)
          world.block(200.millis.toNanos)
        }
        "done".ok
      }
      serving(world, isControlled, route)(_ => fired != 0)
      within(fired - set, 250.millis)
    }
  }
}
