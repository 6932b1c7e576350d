package needletail.load.report.text

import needletail.load.analysis.search.{
  Above,
  Capacity,
  Characterisation,
  Objective,
  Overload,
  Range,
  Recovery,
  Throughput
}
import needletail.load.analysis.verdict._
import needletail.load.report.data.{Criterion, Detail, ResultDocument}

/** Describes the five criteria, with their values. */
private[load] object CharacterisationText {
  private val p50 = Metric.Percentile(50)
  private val p99 = Metric.Percentile(99)

  def criteria(found: Characterisation): Vector[Criterion] =
    Vector(responsiveness(found)) ++ found.throughput.map(throughput(found, _)) ++ Vector(latency(found)) ++
      found.throughput.map(maximum(found, _)) ++ (if (found.tail.isEmpty) Vector.empty
                                                  else Vector(tail(found))) ++
      found.overload.map(errors(found, _))

  private def responsiveness(found: Characterisation): Criterion = {
    val light = found.light
    criterion(
      "Responsiveness",
      s"With one user, half of the good responses take no longer than ${cell(light, p50)}, 99 % no longer than ${cell(light, p99)}.",
      millis(light, p50),
      millis(light, p99),
      "ms",
      light.verdict(p50) and light.verdict(p99)
    )
  }

  private def throughput(found: Characterisation, most: Throughput): Criterion = {
    val tolerated = Quantity.share(Objective.tolerable(found.objective))
    val of        =
      s"The highest rate of good responses, with errors of up to $tolerated and without a latency objective, is "
    val latencies = s"${cell(most.held, p50)} in the median, ${cell(most.held, p99)} at p99."
    val whole     = people(most.users)
    criterion(
      "Throughput",
      most.fastest match {
        case Some(step) =>
          val (least, top) = most.held.window.quarters
          s"$of${Quantity.rate(most.rate.high)}${if (most.rate.open) " or more" else ""}, in the step '${step.label}'. $whole, held, " +
            s"had ${range(Range(least, top, open = false))}: $latencies"
        case None => s"$of${range(most.rate)}, with $whole${if (most.isHeld) ", held" else ""}: $latencies"
      },
      most.rate.low,
      most.rate.high,
      "/s",
      most.verdict
    )
  }

  private def latency(found: Characterisation): Criterion = {
    val objective = found.objective.map(_.text).mkString(", ")
    found.latency match {
      case Some(knee) =>
        criterion(
          "Capacity for latency",
          s"${range(knee.rate)} with $objective: about ${number(knee.users)} ${if (number(knee.users) == "1")
              "request"
            else "requests"} in flight at a time" +
            found.pausingUsers.fold("")(n =>
              s", or ${number(n)} ${if (number(n) == "1") "user who pauses" else "users who pause"} ${Quantity.time(found.pause.fold(0.0)(_.toNanos.toDouble))}"
            ) + "." + unheld(knee, found),
          knee.rate.low,
          knee.rate.high,
          "/s",
          knee.verdict
        )
      case None =>
        criterion(
          "Capacity for latency",
          none(found, objective),
          0,
          0,
          "/s",
          found.lowest.getOrElse(found.light).diagnosis.overall
        )
    }
  }

  /** Why there is no capacity for latency. */
  private def none(found: Characterisation, objective: String): String =
    if (found.latencyInterrupted) s"Not found yet with $objective: the search was interrupted."
    else
      (found.lowest, found.notHeld) match {
        case (_, Some(rate)) =>
          s"No rate satisfies $objective for as long as it is held, not even ${Quantity.rate(rate)}."
        case (Some(step), _) if step.diagnosis.overall.isClient =>
          s"Not found with $objective: at ${step.label}, the lowest rate that was tried, the load tester was the limit."
        case (Some(step), _) =>
          s"No rate satisfies $objective, not even ${step.label}: there ${failure(step, found.objective)}."
        case _ =>
          s"Not searched for with $objective: with one user, ${cell(found.light, Metric.Errors)} of the requests " +
            s"failed, and ${Quantity.share(Objective.tolerable(found.objective))} are tolerated."
      }

  /** What of the objective a step failed. */
  private def failure(step: Measurement, objective: Vector[Condition]): String = {
    val missed = step.check(objective).filterNot(_.held)
    if (missed.nonEmpty)
      missed.map { c =>
        val metric = c.condition.metric
        s"${metric.name} ${if (metric == Metric.Errors) "were" else "was"} ${Quantity.of(metric, c.figure)}"
      }.mkString(", ")
    else "not all requests that became due were answered"
  }

  /** What was found within a step is no capacity if it was not held. */
  private def unheld(knee: Capacity, found: Characterisation): String =
    if (!knee.isHeld && found.latencyInterrupted)
      " That was for a short time only, as the search was interrupted: whether the server sustains it is not known."
    else if (knee.isHeld && knee.held.check(found.objective).forall(_.held)) ""
    else
      " That was for a short time only: while it was held, the load tester was the limit and the objective was not met, " +
        "so whether the server sustains it is not known."

  private def maximum(found: Characterisation, most: Throughput): Criterion = {
    val failed = most.held.figure(Metric.Errors).getOrElse(0.0)
    val bound  = Objective.tolerable(found.objective)
    val share  = most.held.figure(Metric.Rate).getOrElse(0.0) / most.rate.high
    criterion(
      "Maximum load",
      s"${people(most.users)}${if (most.users == 1) "" else " at once"}${if (most.isHeld) ", held," else ""} had " +
        s"${Quantity.share(math.min(1, share))} of the highest rate on average; " +
        s"${beyond(most, share)}. Errors there: ${Quantity.share(failed)}, ${if (failed <= bound) "tolerable"
          else "too many"}.",
      most.users,
      most.users,
      "users",
      most.verdict
    )
  }

  private def beyond(most: Throughput, share: Double): String = most.above match {
    case Above.NoMore        => most.fastest.filter(_ => share < About).fold(Waiting)(elsewhere(most, _))
    case Above.Failures(at)  => s"with ${at.label}, ${cell(at, Metric.Errors)} of the requests failed"
    case Above.Generator(at) =>
      s"more is not known, as the load tester was the limit with ${people(at.run.plan.users)}"
    case Above.Bound(users) => s"more than ${people(users)} were not to be tried"
    case Above.Interruption => "the search was interrupted"
  }

  /** The search found the users who reach about the highest rate; held, they did not. */
  private def elsewhere(most: Throughput, step: Measurement): String = {
    val plan   = step.run.plan
    val isMore = plan.model == "open" || plan.users > most.users
    s"the highest was that of the step '${step.label}', so " +
      (if (isMore) "the rate varies, or takes more users"
       else "the rate varies, and more users had no higher one")
  }

  private def tail(found: Characterisation): Criterion = {
    val at    = found.tail.map(t => s"${cell(t.measured, p99)} at ${Quantity.share(t.share)}")
    val worst = found.tail.map(t => t.measured.verdict(p99).at(t.measured.label)).reduce(_ and _)
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

  private def errors(found: Characterisation, over: Overload): Criterion = {
    val total  = over.measured.window.total // as for the rate, and the table of all steps
    val failed = Latencies.of(total.failed)
    val took   =
      if (failed.isEmpty) ""
      else if (failed.count == 1)
        s" The failure took ${Quantity.time(failed.max.toDouble)}${promptly(failed.max)}."
      else
        s" Failures took ${Quantity.time(failed.p50.toDouble)} in the median, ${Quantity.time(failed.p99.toDouble)} at p99" +
          s"${promptly(failed.p99)}."
    val what =
      if (total.requests == 0) "no request ended"
      else if (total.bad == 0) "none failed"
      else
        s"${Quantity.share(total.errorRate)} failed: ${Failures.describe(total, over.measured.run.reasons)}"
    val window = over.measured.window
    val isLess = found.throughput.exists(m => over.asked <= m.rate.high && !m.fastest.contains(over.measured))
    val about  =
      if (isLess) " That is not above the highest rate, because the search was limited."
      else if (window.dueRate > 0 && window.total.bad == 0 && window.goodRate() >= window.dueRate * 0.98)
        " So it was no overload: the server may be able to do more."
      else ""
    val after = recovered(over.recovery, found.interrupted)
    criterion(
      "Error handling",
      s"Offered ${Quantity.rate(over.asked)} over at most " +
        s"${Quantity.counted(over.measured.run.plan.users.toLong, "connection")}, it served " +
        s"${cell(over.measured, Metric.Rate)}, and $what.$took$about $after",
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
  private def recovered(after: Recovery, interrupted: Boolean): String = {
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
      case Some(millis)        => s"Service was normal again within ${time(millis)} of $since."
      case None if interrupted =>
        "Whether service became normal again is not known: the search was interrupted."
      case None =>
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

  private def promptly(nanos: Long): String = if (nanos < Prompt) " (promptly)" else " (not promptly)"

  private def people(users: Int): String = Quantity.counted(users.toLong, "user")

  private def number(users: Double): String =
    if (users >= 10) Quantity.count(users.round) else Quantity.rate(users).stripSuffix("/s")

  private def cell(measured: Measurement, metric: Metric): String =
    Quantity.of(metric, measured.figure(metric))

  private def millis(measured: Measurement, metric: Metric): Double =
    measured.figure(metric).fold(0.0)(_ / 1e6)

  private final val Waiting = "more users mainly wait longer"

  /** The share of the highest rate from which on users are said to reach it, as in the search. */
  private final val About = 0.95

  /** In nanoseconds: the time that a person would wait. */
  private final val Prompt = 1000000000L
}
