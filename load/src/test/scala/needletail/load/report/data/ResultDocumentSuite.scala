package needletail.load.report.data

import java.nio.charset.StandardCharsets.UTF_8

import scala.concurrent.duration._

import needletail.load.analysis.{ModelDriver, ModelServer, Plans, Ramped}
import needletail.load.analysis.verdict.{Condition, Measurement}
import needletail.testing.Suite

class ResultDocumentSuite extends Suite {
  private val run      = new ModelDriver(ModelServer(errors = 0.1)).run(Plans.open(300, 5.seconds), _ => true)
  private val measured = Vector(new Measurement("run", run, None))
  private val checks = measured.map(_.check(Condition.parseAll("p99 < 5 ms").getOrElse(fail("no condition"))))
  private val written = ResultDocument.toJson(ResultDocument.of("test", "run", "GET /", measured, checks))

  test("a document reads back, and its runs to the last request") {
    val back = ResultDocument.fromJson(written).fold(fail(_), identity)
    JsonSuite.assertSame(back.parts.head.run, run)
    assertEquals(back.assertions.map(_.passed), Vector(false))
    assertEquals(back.parts.head.summary.requests, run.total().requests)
  }

  test(
    "with a ramp, errors are those of tables and assertions, and numbers of requests those of the whole run"
  ) {
    val total   = Ramped.measured.run.total()
    val summary = ResultDocument.summary(Ramped.measured)
    assertEquals(
      (summary.requests, summary.bad, summary.outcomes.get("status")),
      (total.requests, total.bad, Some(total.bad))
    )
    assert(summary.bad > 0 && summary.seconds == 3.0, summary.bad)
    assertEquals((summary.errors, summary.kinds.map(_.errors)), (0.0, Vector(0.0)))
    assert(
      Ramped.measured.check(Condition.parseAll("errors <= 0 %").getOrElse(fail("none"))).forall(_.passed)
    )
  }

  test("the summary has connections and TLS handshakes of the whole run") {
    val summary = ResultDocument.summary(new Measurement("run", Handshakes.run, None))
    assertEquals((summary.handshakes, summary.resumed), (3L, 2L))
    assertEquals((summary.connectMillis("p50").round, summary.tlsMillis("p50").round), (1L, 4L))
    val none = ResultDocument.summary(measured.head)
    assertEquals((none.handshakes, none.resumed, none.tlsMillis), (0L, 0L, Map.empty[String, Double]))
    val written = ResultDocument.toJson(
      ResultDocument.of(
        "test",
        "run",
        "",
        Vector(new Measurement("run", Handshakes.run, None)),
        Vector(Vector.empty)
      )
    )
    val text = new String(written, UTF_8)
    val back = ResultDocument.fromJson(written).fold(fail(_), identity)
    assertEquals(back.parts.head.summary.tlsMillis("max").round, 9L)
    val old = text.replaceAll("(?s)\"connectMillis\": \\{[^}]*\\},\\s*\"tlsMillis\": \\{[^}]*\\},\\s*", "")
      .replaceAll(",\\s*\"handshakes\": 3,\\s*\"resumed\": 2(?=\\s*\\})", "")
    assert(!old.contains("handshakes") && !old.contains("tlsMillis"), old.take(2000))
    assert(ResultDocument.fromJson(old.getBytes(UTF_8)).isRight, "a file of before has none of this")
  }

  test("it is read without this program too: figures by name, in plain units") {
    val text = new String(written, UTF_8)
    for (
      part <- Seq(
        "\"format\": \"needletail-load\"",
        "\"version\": 1",
        "\"p99\": 10.",
        "\"limit\": \"SERVER-LIMITED\""
      )
    )
      assert(text.contains(part), part)
  }

  test("what is no result, or one of a later version, is refused with the reason") {
    def refused(text: String): String =
      ResultDocument.fromJson(text.getBytes(UTF_8)).fold(identity, _ => fail(text))
    assert(refused("{}").contains("not a result"))
    assert(refused("hello").contains("not a result"))
    assert(refused("""{"format":"other","version":1}""").contains("not a result"))
    assert(refused("""{"format":"needletail-load","version":2}""").contains("version 2"))
    val torn = new String(written, UTF_8).take(written.length / 2)
    assert(refused(torn).contains("not a result"))
    assert(refused(new String(
      written,
      UTF_8
    ).replace("\"response\": \"", "\"response\": \"!!")).contains("no histogram"))
  }
}
