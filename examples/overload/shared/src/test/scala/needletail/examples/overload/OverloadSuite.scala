package needletail.examples.overload

import scala.concurrent.duration._

import needletail.routing._
import needletail.testing.Suite
import needletail.testkit._

class OverloadSuite extends Suite {
  private def overload = new Overload(2.millis.toNanos, new Service(2, 20.millis))

  test("every route answers") {
    val routes = overload.routes
    List("/health", "/cpu", "/cpu/high", "/cpu/low", "/wait", "/wait/high", "/wait/few").foreach(path =>
      assertEquals(routes.test(Request.get(path)).status, Status.Ok)
    )
  }

  test("work for the processor is as many steps more as the time is longer, and none is left out") {
    // how long a step takes is a matter of the machine: bench/overload measures it
    val short = Spin.lasting(2.millis.toNanos)
    val long  = Spin.lasting(2.seconds.toNanos)
    assert(long.rounds > 20 * short.rounds, s"${long.rounds} and ${short.rounds}")
    val results = Seq(1L, 2L, 3L, 1000L).map(new Spin(_).run())
    assertEquals(results.distinct.length, 4)
    assertEquals(new Spin(1).run(), 8748534153485358512L)
  }

  test("the service does so many calls at once, the others wait") {
    val loop    = new ManualLoop
    val service = new Service(2, 10.seconds)
    loop.within {
      val calls = List.fill(3)(service.call())
      def done  = calls.map(_.isCompleted)
      loop.advance(10.seconds)
      assertEquals(done, List(true, true, false))
      loop.advance(10.seconds)
      assertEquals(done, List(true, true, true))
    }
  }
}
