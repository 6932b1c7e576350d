package needletail.examples.hello

import needletail.routing._
import needletail.testing.Suite
import needletail.testkit._

class HelloSuite extends Suite {
  test("the README's answers") {
    assertEquals(Hello.routes.test(Request.get("/hello/Ann")).text, "Hello, Ann!")
    assertEquals(Hello.routes.test(Request.get("/add/1/2")).text, "1 + 2 = 3")
    val wrong = Hello.routes.test(Request.get("/add/1/two"))
    assertEquals((wrong.status.code, wrong.text), (400, "expected Integer in path segment, got 'two'"))
  }
}
