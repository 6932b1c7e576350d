package needletail.examples.overload

import scala.concurrent.duration._

import needletail.async.ManualLoop
import needletail.routing._
import needletail.testing.Suite

class OverloadSuite extends Suite {
  private def overload = new Overload(2.millis.toNanos, new Service(2, 20.millis))

  test("every route answers") {
    val routes = overload.routes
    List("/health", "/cpu", "/cpu/high", "/cpu/low", "/wait", "/wait/high", "/wait/few").foreach(path =>
      assertEquals(routes.test(Request.get(path)).status, Status.Ok)
    )
  }

  test("work for the processor is done and has a result, however little or much it is") {
    // how long it takes is a matter of the machine: bench/overload measures it
    for (time <- Seq(1.nano, 2.millis)) assert(Spin.lasting(time.toNanos).run() != 0)
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
