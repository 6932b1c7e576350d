package needletail.examples.demo

import needletail.examples.services.Fault
import needletail.routing._
import needletail.testing.Suite
import needletail.testkit._

class DemoControlsSuite extends Suite {
  private final class Changing {
    val fault             = new Fault
    var customers         = -1
    private val situation = new DemoControls(fault, n => customers = n)

    def put(query: String): TestReply = situation.routes.test(Request(Method.PUT, s"/situation?$query"))
    def get: String                   = situation.routes.test(Request.get("/situation")).text
  }

  test("begins with 300 customers of each kind, and all well") {
    assertEquals((new Changing).get, """{"customers":300,"times":1,"down":false}""")
  }

  test("each can be changed, and the others stay") {
    val it = new Changing
    assertEquals(it.put("times=5").text, """{"customers":300,"times":5,"down":false}""")
    assertEquals(it.customers, 1500)
    assertEquals(it.put("customers=10").text, """{"customers":10,"times":5,"down":false}""")
    assertEquals(it.customers, 50)
    assertEquals(it.put("down=true").text, """{"customers":10,"times":5,"down":true}""")
    assertEquals(it.fault.isDown, true)
    assertEquals(it.put("times=1&down=false").text, it.get)
    assertEquals((it.customers, it.fault.isDown), (10, false))
  }

  test("what makes no sense is refused, and changes nothing") {
    val it = new Changing
    for (query <- List("times=2", "times=0", "customers=-1", "customers=1001", "customers=x", "down=perhaps"))
      assertEquals(it.put(query).status.code, 400, query)
    assertEquals((it.get, it.customers), ("""{"customers":300,"times":1,"down":false}""", -1))
  }
}
