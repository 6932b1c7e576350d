package needletail.load.report.text

import scala.concurrent.duration._

import needletail.load.analysis.search.{Above, CapacitySearch, Characterisation, SearchLimits}
import needletail.load.analysis.verdict.{Condition, Limit, Measurement}
import needletail.load.analysis.{ModelDriver, ModelServer, Plans}
import needletail.load.plan.{Load, LoadPlan}
import needletail.load.report.data.Criterion
import needletail.load.result.{Interval, SelfFigures}
import needletail.testing.Suite

/** What is said of a server, and of which step it is said. */
class CharacterisationTextSuite extends Suite {
  override def munitTimeout: Duration = 2.minutes // millions of simulated requests, on whatever machine

  /** @param at server and generator of the load with that label */
  private def characterise(
      objective: String = "p99 < 100 ms, errors < 0.1 %",
      mostRate: Double = 100000,
      mostUsers: Int = 4096,
      stopped: () => Boolean = () => false
  )(at: String => (ModelServer, SelfFigures => SelfFigures)): Characterisation = {
    var self    = healthy._2
    val driver  = new ModelDriver(ModelServer(), s => self(s))
    val wanted  = Condition.parseAll(objective).getOrElse(fail("no objective"))
    val measure = (load: Load, label: String, enough: Interval => Boolean) => {
      val (server, its) = at(label)
      driver.server = server
      self = its
      new Measurement(
        label,
        driver.run(LoadPlan("x", Vector(Plans.request), load), i => !enough(i)),
        Some(Duration.Zero)
      )
    }
    val limits = SearchLimits(5.seconds, 20.seconds, mostUsers, mostRate, 100000, poisson = false)
    new CapacitySearch(measure, wanted, limits, None, stopped).run().fold(fail(_), identity)
  }

  private def criterion(found: Characterisation, name: String): Criterion =
    CharacterisationText.criteria(found).find(_.name == name).getOrElse(fail(s"no $name"))

  private val server                    = ModelServer(10, 20000000)
  private val healthy                   = (server, (self: SelfFigures) => self)
  private val busy                      = (self: SelfFigures) => self.copy(busiestLoop = 0.99)
  private def text(pattern: String)     = s"(?s)$pattern".r
  private def isOpen(label: String)     = label.contains("/s") || label.contains("of the limit")
  private def isHeldRate(label: String) = label.endsWith("/s, held")
  private def matches(it: String, pattern: String): Unit = assert(text(pattern).matches(it), it)

  test(
    "of a healthy server, the highest rate is that of the users who were held, and is the server's limit"
  ) {
    val found = characterise()(_ => healthy)
    val most  = criterion(found, "Throughput")
    matches(
      most.text,
      "The highest rate of good responses, with errors of up to 0\\.10 % and without a latency objective, is 50[0-9]/s.*, with " +
        "10 users, held: 20\\.0 ms in the median, 20\\.0 ms at p99\\."
    )
    assertEquals(most.verdict.limit, "SERVER-LIMITED")
    matches(
      criterion(found, "Maximum load").text,
      "10 users at once, held, had (100|> 99\\.9|99\\.[0-9]) % of the highest rate on average; more users mainly wait " +
        "longer\\. Errors there: 0 %, tolerable\\."
    )
  }

  test("a step with a higher rate than that of the users who were held is the highest, and is named") {
    val found = characterise() { label =>
      if (label == "32 users") healthy.copy(_1 = server.copy(serviceNanos = 18000000)) else healthy
    }
    val most = criterion(found, "Throughput")
    matches(
      most.text,
      "The highest rate .* is 55[0-9]/s, in the step '32 users'\\. 32 users, held, had 50[0-9]/s.*: 6[0-9.]* ms in the .*"
    )
    assert(most.low < 510 && most.high > 550, most)
    matches(
      criterion(found, "Maximum load").text,
      "32 users at once, held, had (89|90)[0-9.]* % of the highest rate on average; the highest was that of the step " +
        "'32 users', so the rate varies, and more users had no higher one\\. Errors .*"
    )
    assert(found.overload.exists(_.asked > 1100), found.overload.map(_.asked))
  }

  test("where the rate varies, that is said, and not that other users reach less or only wait") {
    // the machine is slower while the users are held than while they were found
    val slow  = server.copy(serviceNanos = 30000000)
    val found =
      characterise()(label => healthy.copy(_1 = if (label.endsWith("users, held")) slow else server))
    val step = "in the step '([^']+)'".r.findFirstMatchIn(criterion(found, "Throughput").text).map(_.group(1))
    val text = criterion(found, "Maximum load").text
    matches(text, "10 users at once, held, had 6[0-9.]+ % of the highest rate on average; the highest .*")
    assert(
      text.contains(s"; the highest was that of the step '${step.getOrElse("none")}', so the rate varies"),
      text
    )
    assert(!text.contains("mainly wait longer"), text)
  }

  test("an overload that is served as a whole was none, and the highest rate is its") {
    val found = characterise() { label =>
      if (label.startsWith("overload")) healthy.copy(_1 = ModelServer(1000, 1000000)) else healthy
    }
    val most = criterion(found, "Throughput")
    matches(
      most.text,
      "The highest rate .* is (1,000|99[0-9])/s or more, in the step 'overload: (1,0[0-9]{2}|1,000|99[0-9])/s'\\. .*"
    )
    assertEquals(most.verdict.limit, "LOAD-LIMITED")
    matches(
      criterion(found, "Error handling").text,
      ".* and none failed\\. So it was no overload: the server may be able to do more\\. .*"
    )
  }

  test(
    "where the load tester ended the search for more users, that is said, with its step and the cause there"
  ) {
    val found =
      characterise()(label =>
        healthy.copy(_2 = if (label.startsWith("32 ")) busy else healthy._2)
      )
    assert(found.throughput.exists(_.above.isInstanceOf[Above.Generator]))
    val most = criterion(found, "Throughput")
    assertEquals(most.verdict.limit, "CLIENT-LIMITED")
    assert(
      most.verdict.causes.exists(_.startsWith("busy event loops (at 32 users): the generator's")),
      most.verdict
    )
    assert(most.text.contains("/s or more"), most.text)
    matches(
      criterion(found, "Maximum load").text,
      "10 users at once, held, had .* of the highest rate on average; more is not known, as the load " +
        "tester was the limit with 32 users\\. .*"
    )
  }

  test("what more users bring is told as it was found: errors, the end of what was to be tried, or nothing") {
    val refusing = characterise()(_ => healthy.copy(_1 = server.copy(queue = 5)))
    matches(
      criterion(refusing, "Maximum load").text,
      "8 users at once, held, had .* of the highest rate on average; with 16 users, [0-9.]+ % of " +
        "the requests failed\\. Errors .*"
    )
    val bounded = criterion(characterise(mostUsers = 4)(_ => healthy), "Maximum load")
    matches(bounded.text, "4 users at once, held, had .*; more than 4 users were not to be tried\\. .*")
    val one = criterion(characterise()(_ => healthy.copy(_1 = ModelServer(1, 20000000))), "Maximum load")
    matches(
      one.text,
      "1 user, held, had .* % of the highest rate on average; more users mainly wait longer\\. .*"
    )
  }

  test("a cause that ended the search for a rate names the rate") {
    val found = characterise() { label =>
      val fast = isOpen(label) && !isHeldRate(label) && label.takeWhile(_ != '/').replace(
        ",",
        ""
      ).toDoubleOption.exists(_ > 300)
      if (fast) (server.copy(serviceNanos = 200000000), busy) else healthy
    }
    val knee = criterion(found, "Capacity for latency")
    assertEquals(knee.verdict.limit, "CLIENT-LIMITED")
    assert(knee.text.contains("/s or more with p99 < 100 ms"), knee.text)
    assert(knee.verdict.causes.exists(_.matches("busy event loops \\(at [0-9]+/s\\): .*")), knee.verdict)
  }

  test("of the tail, each cause names the share that it is of") {
    val found = characterise() { label =>
      if (label.startsWith("80 %")) healthy.copy(_2 = (s: SelfFigures) => s.copy(busiestLoop = 0.85))
      else healthy
    }
    val tail = criterion(found, "Tail latency")
    assertEquals(tail.verdict.limit, "UNCERTAIN")
    assert(
      tail.verdict.causes.exists(_.startsWith("busy event loops (at 80 % of the limit): ")),
      tail.verdict
    )
  }

  test("no capacity has a reason that is true: the server, the load tester, or errors of one user") {
    val slow =
      criterion(characterise()(_ => healthy.copy(_1 = ModelServer(10, 200000000))), "Capacity for latency")
    matches(
      slow.text,
      "No rate satisfies p99 < 100 ms, errors < 0\\.1 %, not even [0-9.]+/s: there p99 was 200 ms\\."
    )
    assertEquals(slow.verdict.limit, "UNCERTAIN") // of few requests
    val limited = criterion(
      characterise()(label => if (isOpen(label)) (ModelServer(10, 200000000), busy) else healthy),
      "Capacity for latency"
    )
    matches(
      limited.text,
      "Not found with p99 < 100 ms, errors < 0\\.1 %: at [0-9.]+/s, the lowest rate that was tried, the load tester was the limit\\."
    )
    assertEquals(limited.verdict.limit, "CLIENT-LIMITED")
    val failing = criterion(
      characterise(objective = "p99 < 100 ms")(_ => healthy.copy(_1 = server.copy(errors = 0.05))),
      "Capacity for latency"
    )
    matches(
      failing.text,
      "Not searched for with p99 < 100 ms: with one user, [0-9.]+ % of the requests failed, and 1 % are tolerated\\."
    )
  }

  test("a search that was interrupted does not say that it had found anything else") {
    var isTail = false
    val found  = characterise(stopped = () => isTail) { label =>
      isTail ||= label == "500/s" || label.matches("5[0-9]{2}/s")
      healthy
    }
    assert(found.interrupted)
    found.latency.foreach(knee => assert(!knee.isHeld, knee.rate))
    val knee = criterion(found, "Capacity for latency").text
    assert(
      knee.endsWith("as the search was interrupted: whether the server sustains it is not known.") ||
        knee.endsWith("the search was interrupted."),
      knee
    )
    var isFirst = false
    val early   = characterise(stopped = () => isFirst) { label =>
      isFirst ||= label == "4 users"
      healthy
    }
    matches(
      criterion(early, "Maximum load").text,
      "4 users at once had 100 % of the highest rate on average; the search was interrupted\\. .*"
    )
    assertEquals(early.throughput.map(_.above), Some(Above.Interruption: Above))
    assertEquals(early.throughput.map(_.verdict.limit), Some(Limit.Server: Limit))
  }

  test("that no rate satisfies the objective is said, though the search was interrupted later") {
    var over  = false
    val found = characterise(stopped = () => over) { label =>
      over ||= label == "recovery"
      healthy.copy(_1 = ModelServer(10, 200000000))
    }
    assert(found.interrupted)
    matches(criterion(found, "Capacity for latency").text, "No rate satisfies .*")
  }

  test("whether service became normal again is not claimed of a search that was interrupted meanwhile") {
    var over  = false
    val found = characterise(stopped = () => over) { label =>
      if (label == "recovery") {
        over = true
        healthy.copy(_1 = server.copy(errors = 1))
      } else healthy
    }
    assert(
      criterion(found, "Error handling").text.endsWith(
        "Whether service became normal again is not known: the search was interrupted."
      )
    )
  }
}
