package needletail.examples.payment

import scala.concurrent.duration._

import needletail.examples.services.Fault
import needletail.routing._
import needletail.testing.Suite
import needletail.testkit._

class PaymentSuite extends Suite {
  private def post(body: String, mediaType: String = "application/json"): TestReply =
    new Payment(new Fault).routes.test(Request.post("/payments", body).withHeader("Content-Type", mediaType))

  test("an amount is taken, after 20 ms") {
    val reply = post("""{"amount": 7}""")
    assertEquals(reply.advance(19.millis).isAnswered, false)
    assertEquals(reply.text, "Received payment of 7")
  }

  test("what is no amount is 400, and it is said why") {
    val expected = "expected an object with a whole number as 'amount'"
    for (
      body <-
        List("{}", "7", """{"amount":"7"}""", """{"amount":7.5}""", """{"amount":99999999999999999999}""")
    )
      assertEquals((post(body).status.code, post(body).text), (400, expected), body)
    assertEquals(post("""{"amount":7""").text, "malformed JSON: expected '}' at character 11")
  }

  test("another media type is 415") {
    assertEquals(post("amount=7", "application/x-www-form-urlencoded").status.code, 415)
  }
}
