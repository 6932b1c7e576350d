package needletail.examples.search

import scala.concurrent.duration._

import needletail.examples.services.Fault
import needletail.routing._
import needletail.testing.Suite
import needletail.testkit._

class SearchSuite extends Suite {
  test("two products, whatever is asked for, after 20 ms") {
    val reply = new Search(new Fault).routes.test(Request.get("/search?query=red+%22shoes%22"))
    assertEquals(reply.advance(19.millis).isAnswered, false)
    assertEquals(
      (reply.text, reply.header("Content-Type")),
      (
        """{"query":"red \"shoes\"","results":[{"productId":10,"description":"Some product"},{"productId":11,"description":"Some other product"}]}""",
        Some("application/json")
      )
    )
  }

  test("down: 500 after 30 seconds") {
    val reply = new Search(new Fault(initially = true)).routes.test(Request.get("/search?query=shoes"))
    assertEquals(reply.advance(29.seconds).isAnswered, false)
    assertEquals(reply.status.code, 500)
  }

  test("without a query: 400 at once") {
    val reply = new Search(new Fault).routes.test(Request.get("/search"))
    assertEquals((reply.status.code, reply.text), (400, "missing query parameter 'query'"))
  }
}
