package needletail.load.report.text

import needletail.load.analysis.search.{Capacity, Characterisation, Objective, Overload, Range, Recovery}
import needletail.load.analysis.verdict._
import needletail.load.report.data.{Criterion, Detail, ResultDocument}

/** Describes the five criteria, with their values. */
private[load] object CharacterisationText {
  private val p50 = Metric.Percentile(50)
  private val p99 = Metric.Percentile(99)

  def criteria(found: Characterisation): Vector[Criterion] =
    Vector(responsiveness(found)) ++ found.throughput.map(throughput) ++ Vector(latency(found)) ++
      found.throughput.map(maximum(found, _)) ++ (if (found.tail.isEmpty) Vector.empty
                                                  else Vector(tail(found))) ++
      found.overload.map(over => errors(over, isMore = found.throughput.forall(over.asked > _.rate.high)))

  private def responsiveness(found: Characterisation): Criterion = {
    val light = found.light
    criterion(
      "Responsiveness",
      s"With one user, half of the responses take no longer than ${cell(light, p50)}, 99 % no longer than ${cell(light, p99)}.",
      millis(light, p50),
      millis(light, p99),
      "ms",
      light.verdict(p50) and light.verdict(p99)
    )
  }

  private def throughput(most: Capacity): Criterion = criterion(
    "Throughput",
    s"The highest rate of good responses is ${range(most.rate)}, without a latency objective: ${cell(most.held, p50)} in " +
      s"the median, ${cell(most.held, p99)} at p99 there.",
    most.rate.low,
    most.rate.high,
    "/s",
    most.verdict
  )

  private def latency(found: Characterisation): Criterion = {
    val objective = found.objective.map(_.text).mkString(", ")
    found.latency match {
      case Some(knee) =>
        criterion(
          "Capacity for latency",
          s"${range(knee.rate)} with $objective: about ${number(knee.users)} requests in flight at a time" +
            found.pausingUsers.fold("")(n =>
              s", or ${number(n)} users who pause ${Quantity.time(found.pause.fold(0.0)(_.toNanos.toDouble))}"
            ) + "." + unheld(knee, found.objective),
          knee.rate.low,
          knee.rate.high,
          "/s",
          knee.verdict
        )
      case None =>
        criterion(
          "Capacity for latency",
          if (found.interrupted) s"Not found yet with $objective: the search was interrupted."
          else
            found.notHeld.fold(s"No load satisfies $objective.")(rate =>
              s"No rate satisfies $objective for as long as it is held, not even ${Quantity.rate(rate)}."
            ),
          0,
          0,
          "/s",
          found.light.diagnosis.overall
        )
    }
  }

  /** What was found within a step is no capacity if the generator could not hold it. */
  private def unheld(knee: Capacity, objective: Vector[Condition]): String =
    if (knee.held.check(objective).forall(_.held)) ""
    else
      " That was for a short time only: while it was held, the load tester was the limit and the objective was not met, " +
        "so whether the server sustains it is not known."

  private def maximum(found: Characterisation, most: Capacity): Criterion = {
    val failed = most.held.figure(Metric.Errors).getOrElse(0.0)
    val bound  = Objective.tolerable(found.objective)
    criterion(
      "Maximum load",
      s"${users(most.users)} about the highest throughput, ${beyond(most)}. Errors there: " +
        s"${Quantity.share(failed)}, ${if (failed <= bound) "tolerable" else "too many"}.",
      most.users,
      most.users,
      "users",
      most.verdict
    )
  }

  private def beyond(most: Capacity): String =
    if (most.verdict.isClient) "limited by the load tester"
    else if (most.rate.open) "the limit of the search"
    else "and more users only wait longer"

  private def tail(found: Characterisation): Criterion = {
    val at    = found.tail.map(t => s"${cell(t.measured, p99)} at ${Quantity.share(t.share)}")
    val worst = found.tail.map(_.measured.verdict(p99)).reduce(_ and _)
    val all   = found.tail.map(t => millis(t.measured, p99))
    criterion(
      "Tail latency",
      s"p99 is ${at.mkString(", ")} of the capacity for latency.",
      all.min,
      all.max,
      "ms",
      worst
    )
  }

  private def errors(over: Overload, isMore: Boolean): Criterion = {
    val total  = over.measured.window.total // as for the rate, and the table of all steps
    val failed = Latencies.of(total.failed)
    val took   =
      if (failed.isEmpty) ""
      else
        s" Failures took ${Quantity.time(failed.p50.toDouble)} in the median, ${Quantity.time(failed.p99.toDouble)} at p99" +
          s"${if (failed.p99 < Prompt) " (promptly)" else " (not promptly)"}."
    val what =
      if (total.bad == 0) "none failed"
      else
        s"${Quantity.share(total.errorRate)} failed: ${Failures.describe(total, over.measured.run.reasons)}"
    val after = recovered(over.recovery)
    criterion(
      "Error handling",
      s"Offered ${Quantity.rate(over.asked)} over at most ${Quantity.count(over.measured.run.plan.users.toLong)} " +
        s"connections, it served ${cell(over.measured, Metric.Rate)}, and $what.$took " +
        (if (isMore) after else s"That is below its limit, because the search was limited. $after"),
      total.errorRate * 100,
      total.errorRate * 100,
      "%",
      over.measured.diagnosis.overall // as in the table of all steps
    ).copy(details =
      Vector(
        Detail("backlog", over.recovery.backlogMillis / 1e3, Some(over.recovery.backlogMillis / 1e3), "s"),
        over.recovery.millis match {
          case Some(millis) => Detail("recovery", 0, Some(math.max(1, millis) / 1e3), "s")
          case None         => Detail("recovery", over.recovery.watchedMillis / 1e3, None, "s")
        }
      )
    )
  }

  /** The load tester's own backlog is told apart: while it lasts, the server is still under full load. */
  private def recovered(after: Recovery): String = {
    def time(millis: Long) = Quantity.time(math.max(1, millis) * 1e6)
    val (backlog, since)   =
      if (after.backlogMillis == 0) ("", "the load's end")
      else
        (
          s"When the load ended, requests were still waiting for the load tester's connections; the last of them was " +
            s"sent or given up ${time(after.backlogMillis)} later. ",
          "that"
        )
    backlog + (after.millis match {
      case Some(millis) => s"Service was normal again within ${time(millis)} of $since."
      case None         =>
        s"Service was not normal again within the observed ${time(after.watchedMillis)} after $since."
    })
  }

  def lines(criteria: Vector[Criterion], checks: Vector[CheckedCondition]): Vector[String] = {
    val width = criteria.map(_.name.length).max
    criteria.flatMap { c =>
      val verdict = c.verdict.limit
      val texts   = (c.text +: verdict +: c.verdict.causes).flatMap(wrapped(_, Columns - width - 2))
      texts.zipWithIndex.map { case (text, i) =>
        s"${(if (i == 0) c.name else "").padTo(width, ' ')}  $text"
      } :+ ""
    } ++ TextReport.assertions(checks)
  }

  /** Wraps a text to lines of at most `columns` characters, between words, but not between a number and its unit. */
  private def wrapped(text: String, columns: Int): Vector[String] =
    text.replaceAll(
      Units,
      "$1\u00a0$2"
    ).split(' ').map(_.replace('\u00a0', ' ')).foldLeft(Vector.empty[String]) { (lines, word) =>
      lines.lastOption match {
        case Some(last) if last.length + 1 + word.length <= columns => lines.init :+ s"$last $word"
        case _                                                      => lines :+ word
      }
    }

  private final val Units = "(\\d) (ns|µs|ms|s|min|%)(?![a-z])"

  /** The width of a line of the terminal's report. */
  private final val Columns = 110

  private def criterion(
      name: String,
      text: String,
      low: Double,
      high: Double,
      unit: String,
      verdict: Verdict
  ): Criterion = Criterion(name, text, low, high, unit, ResultDocument.verdict(verdict))

  private def range(range: Range): String = {
    val text =
      if (range.high <= range.low * 1.005) Quantity.rate(range.low)
      else s"${Quantity.rate(range.low)} to ${Quantity.rate(range.high)}"
    if (range.open) s"$text or more" else text
  }

  private def users(count: Double): String =
    if (count == 1) "1 user alone reaches" else s"${number(count)} users at once reach"

  private def number(users: Double): String =
    if (users >= 10) Quantity.count(users.round) else Quantity.rate(users).stripSuffix("/s")

  private def cell(measured: Measurement, metric: Metric): String =
    Quantity.of(metric, measured.figure(metric))

  private def millis(measured: Measurement, metric: Metric): Double =
    measured.figure(metric).fold(0.0)(_ / 1e6)

  /** In nanoseconds: the time that a person would wait. */
  private final val Prompt = 1000000000L
}
