package needletail.examples.payment

import scala.concurrent.duration._

import needletail.examples.services.Fault
import needletail.json.Json
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

  test("what is no amount is 422, or 400 if it is no JSON, and it is said why") {
    val expected = List(
      "{}"                                  -> "missing field 'amount'",
      "7"                                   -> "expected an object, got a number",
      """{"amount":"7"}"""                  -> "field 'amount': expected Long, got a string",
      """{"amount":7.5}"""                  -> "field 'amount': expected Long, got 7.5",
      """{"amount":99999999999999999999}""" -> "field 'amount': expected Long, got 99999999999999999999",
      """{"amount":7""" -> "malformed JSON: field 'amount': expected ',' or '}' instead of the end at byte 11"
    )
    for ((body, message) <- expected) {
      val refused = post(body)
      val status  = if (message.startsWith("malformed")) 400 else 422
      val detail  = Json.parse(refused.text).flatMap(_.at("detail").as[String])
      assertEquals((refused.status.code, detail), (status, Right(message)), body)
    }
    assertEquals(post("amount=7", "application/x-www-form-urlencoded").status.code, 415)
  }
}
