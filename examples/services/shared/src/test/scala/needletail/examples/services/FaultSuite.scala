package needletail.examples.services

import scala.concurrent.duration._

import needletail.routing._
import needletail.testing.Suite
import needletail.testkit._

class FaultSuite extends Suite {
  private def routes(fault: Fault): Routes = GET / "work" to (_ => fault("done".ok))

  test("work takes 20 ms") {
    val reply = routes(new Fault).test(Request.get("/work"))
    assertEquals(reply.advance(19.millis).isAnswered, false)
    assertEquals(reply.advance(1.milli).isAnswered, true)
    assertEquals(reply.text, "done")
  }

  test("down, it takes 30 seconds and errs") {
    val reply = routes(new Fault(initially = true)).test(Request.get("/work"))
    assertEquals(reply.advance(29999.millis).isAnswered, false)
    assertEquals(reply.advance(1.milli).status, Status.InternalServerError)
  }

  test("is switched by administrators") {
    val fault = new Fault
    assertEquals(fault.routes.test(Request.get("/fault")).text, """{"down":false}""")
    assertEquals(fault.routes.test(Request(Method.PUT, "/fault?down=true")).text, """{"down":true}""")
    assertEquals(fault.isDown, true)
    assertEquals(fault.routes.test(Request(Method.PUT, "/fault?down=maybe")).status.code, 400)
    assertEquals(fault.routes.test(Request(Method.PUT, "/fault")).status.code, 400)
    assertEquals(fault.isDown, true)
  }
}
