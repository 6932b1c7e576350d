package needletail.client.policy

import java.nio.charset.StandardCharsets.ISO_8859_1

import scala.concurrent.duration._

import needletail.client.config.RetryConfig
import needletail.client.error.ClientError
import needletail.http.http1.{ResponseHead, ResponseParser}
import needletail.testing.Suite

/** Which attempts are repeated, and when. */
class RetryPolicySuite extends Suite {
  private val config = RetryConfig(attempts = 3, firstDelay = 10.millis, maxDelay = 2.seconds)

  private def policy = new RetryPolicy(config, new java.util.Random(1))
  private def budget = new RetryBudget(0.2, 10, 100)

  private def head(fields: String*): ResponseHead = {
    val parser = new ResponseParser(4096, 10)
    parser.reset()
    val bytes =
      s"HTTP/1.1 503 Service Unavailable\r\n${fields.map(_ + "\r\n").mkString}\r\n".getBytes(ISO_8859_1)
    assertEquals(parser.parse(bytes, 0, bytes.length, toHead = false), bytes.length)
    parser.head
  }

  private def lost(written: Boolean, answered: Boolean, reused: Boolean) =
    new ClientError.ConnectionLost("http://a", "lost", null, written, answered, reused)

  test("502, 503 and 504 are transient") {
    assertEquals((100 to 599).filter(RetryPolicy.isTransient(_)).toList, List(502, 503, 504))
  }

  test("failures of the connection are transient; a timeout is while the call has time") {
    val refused  = new ClientError.CannotConnect("http://a", new java.io.IOException("refused"))
    val timedOut = new ClientError.TimedOut("http://a", "late")
    for (error <- List(refused, lost(written = true, answered = true, reused = false)))
      assert(RetryPolicy.isTransient(error, 0L, isAlone = true), error)
    assert(RetryPolicy.isTransient(timedOut, 1L, isAlone = true))
    assert(!RetryPolicy.isTransient(timedOut, 0L, isAlone = true))
    for (
      error <- List(
        new ClientError.QueueFull("http://a", 1),
        new ClientError.QueueTimeout("http://a", 1.second),
        new ClientError.Malformed("http://a", "no HTTP"),
        new ClientError.TooLarge("http://a", "large"),
        new ClientError.BreakerOpen("http://a"),
        new ClientError.BadRedirect("http://a", "nowhere"),
        new ClientError.BadRequestBody("http://a", "short", null),
        new ClientError.ClientClosed("http://a")
      )
    ) assert(!RetryPolicy.isTransient(error, 1L, isAlone = false), error)
  }

  test("a stale connection: used before, no byte of a response, and nothing unsafe sent twice") {
    for {
      written    <- List(false, true)
      answered   <- List(false, true)
      reused     <- List(false, true)
      idempotent <- List(false, true)
    } assertEquals(
      RetryPolicy.isStale(lost(written, answered, reused), idempotent),
      reused && !answered && (idempotent || !written)
    )
  }

  test("Retry-After counts in seconds only") {
    assertEquals(RetryPolicy.retryAfterSeconds(head()), 0L)
    assertEquals(RetryPolicy.retryAfterSeconds(head("Retry-After: 17")), 17L)
    assertEquals(RetryPolicy.retryAfterSeconds(head("retry-after: 999999")), 999999L)
    for (text <- List("1000000", "-1", "1.5", "1 s", "", "Sat, 21 Nov 2026 00:00:00 GMT"))
      assertEquals(RetryPolicy.retryAfterSeconds(head(s"Retry-After: $text")), 0L, text)
  }

  test("the delay is that of the backoff, or Retry-After up to maxDelay") {
    val p = policy
    for (attempt <- 1 to 5; _ <- 1 to 100) {
      val bound = RetryPolicy.backoff(config, null).bound(attempt)
      val plain = p.delay(attempt)
      assert(plain >= 0 && plain <= bound, s"$plain for attempt $attempt")
      val bare = p.delay(attempt, head())
      assert(bare >= 0 && bare <= bound, s"$bare for attempt $attempt")
    }
    assertEquals(p.delay(1, head("Retry-After: 1")), 1.second.toNanos)
    assertEquals(p.delay(1, head("Retry-After: 2")), 2.seconds.toNanos)
    assertEquals(p.delay(1, head("Retry-After: 3")), RetryPolicy.Never)
  }

  test("attempts, time and budget limit retries, and only a retry that is allowed is taken from the budget") {
    val b = budget
    assert(!policy.allows(3, 5L, 10L, b), "the third attempt is the last")
    assert(!policy.allows(1, 10L, 10L, b), "no time is left after the delay")
    assert(!policy.allows(1, RetryPolicy.Never, Long.MaxValue, b))
    assertEquals(b.left, 10)
    for (n <- 1 to 10) assert(policy.allows(1 + n % 2, 9L, 10L, b))
    assertEquals(b.left, 0)
    assert(!policy.allows(1, 0L, 10L, b), "the budget is spent")
  }
}
