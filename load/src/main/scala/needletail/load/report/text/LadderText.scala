package needletail.load.report.text

import needletail.load.analysis.search.{Ladder, Objective}
import needletail.load.analysis.verdict.{Condition, Limit, Metric, Quantity, TotalFailure}

/** The ladder in the form of the original benchmarks: good and failed requests apart. */
private[load] object LadderText {

  def table(rows: Vector[Ladder.Climbed]): TextTable = TextTable(
    columns :+ "verdict",
    rows.map(row => figures(row) :+ row.measured.diagnosis.overallName)
  )

  /** The names of `figures`. */
  val columns: Vector[String] = Vector("users", "at once", "requests", "p50", "p99", "errors", "max", "rate")

  def figures(row: Ladder.Climbed): Vector[String] = {
    def cell(metric: Metric) = Quantity.of(metric, row.measured.figure(metric))
    Vector(
      Quantity.count(row.row.users.toLong),
      Quantity.count(row.measured.run.mostUsers.toLong),
      Quantity.count(row.measured.run.total().requests),
      cell(Metric.Percentile(50)),
      cell(Metric.Percentile(99)),
      cell(Metric.Errors),
      cell(Metric.Max),
      cell(Metric.Rate)
    )
  }

  private def asked(rows: Vector[Ladder.Climbed]): Option[String] = {
    val its = rows.filter(_.measured.verdict(Metric.Rate).limit == Limit.Load).map(_.row.users)
    if (its.isEmpty) None
    else
      Some(
        s"The ladder offered no higher rate, because of its ramp, at ${people(its)}: the server may be able " +
          "to do more."
      )
  }

  /** Rows that are in doubt for the same reason are told together, with the range of each figure in it. */
  private def doubts(rows: Vector[Ladder.Climbed]): Vector[String] = {
    val all = rows.flatMap(r => r.measured.diagnosis.overall.causes.map(r.row.users -> _))
    FigureRanges.of(all).map { case (users, cause) =>
      s"In doubt at ${people(users.distinct)}: $cause."
    }
  }

  /**
   * The result of the rows, and why some are not reliable.
   *
   * A row that was given up, since nothing could connect to the server any more, is used: the server failed under
   * that load. Only a row that the user interrupted is not.
   *
   * @param requests of each user; a row with fewer did not run to its end
   * @param interrupted whether the user has interrupted the ladder
   * @param next users of the next row; None if all were run
   */
  def reading(
      all: Vector[Ladder.Climbed],
      objective: Vector[Condition],
      requests: Int,
      interrupted: Boolean,
      next: Option[Int]
  ): Vector[String] = {
    val incomplete = all.filter(r => r.ended < r.planned(requests))
    val cut        = Ladder.cut(all, requests, interrupted)
    val told       = cut.map { r =>
      s"Interrupted at ${people(Vector(r.row.users))}, after ${Quantity.count(r.ended)} of " +
        s"${Quantity.count(r.planned(requests))} requests: that row is not used."
    }
    val before = next.map(users => s"Interrupted before the row of ${people(Vector(users))}.")
    val rows   = all.filterNot(cut.contains(_))
    told.orElse(before).toVector ++ givenUp(incomplete.filterNot(cut.contains(_))) ++
      (if (rows.isEmpty) Vector.empty else reading(rows, objective))
  }

  /** One line for all rows that were given up for the same reason. */
  private def givenUp(rows: Vector[Ladder.Climbed]): Vector[String] = {
    val reasons = rows.map(r => r -> TotalFailure.reason(r.measured.run))
    reasons.map(_._2).distinct.map { reason =>
      val users = reasons.collect { case (r, `reason`) => r.row.users }
      s"Given up at ${people(users)}, before all requests had been sent${reason.fold("")(": " + _)}."
    }
  }

  /** What a row offered, and what of it was there at once: far less than all users if they are served quickly. */
  private def load(row: Ladder.Climbed): String = {
    val (users, seconds) = (row.row.users, row.row.ramp.toSeconds)
    val came             =
      if (users == 1) "alone"
      else if (seconds == 0) "who came together"
      else s"who came at ${Quantity.rate(users.toDouble / seconds)}"
    val rate =
      row.measured.figure(Metric.Rate).fold("an unknown number of")(Quantity.rate(_).stripSuffix("/s"))
    s"${people(Vector(users))}, $came: at most ${Quantity.count(row.measured.run.mostUsers.toLong)} at once, " +
      s"$rate good responses/s"
  }

  private def reading(rows: Vector[Ladder.Climbed], objective: Vector[Condition]): Vector[String] = {
    val read   = Ladder.read(rows, objective)
    val wanted = objective.map(_.text).mkString(", ")
    val top    = rows.lastOption
    def users(of: Option[Ladder.Climbed], what: String, none: String): String = of match {
      case None      => none
      case Some(row) =>
        s"$what: ${load(row)}." + (if (top.contains(row)) " The ladder ends there: it may be more." else "")
    }
    val errors = Quantity.share(Objective.tolerable(objective))
    Vector(
      users(
        read.latency,
        s"Capacity for latency ($wanted)",
        s"Not even the first row satisfies $wanted: its ${missed(rows.head, objective)}."
      ),
      users(
        read.throughput,
        s"Capacity for throughput (errors up to $errors)",
        s"Even in the first row, ${Quantity.of(Metric.Errors, rows.head.measured.figure(Metric.Errors))} of the requests failed."
      )
    ) ++ asked(rows) ++ doubts(rows) ++ rows.flatMap(r =>
      RunRows.overflows(r.measured).map(s"At ${people(Vector(r.row.users))}: " + _)
    )
  }

  private def missed(row: Ladder.Climbed, objective: Vector[Condition]): String =
    row.measured.check(objective).filterNot(_.held).map(c =>
      s"${c.condition.metric.name} ${if (c.condition.metric == Metric.Errors) "are" else "is"} " +
        Quantity.of(c.condition.metric, c.figure)
    ).mkString(", and its ")

  /** `10, 1,500 users`, or `1 user`. */
  private def people(users: Vector[Int]): String =
    users.map(n => Quantity.count(n.toLong)).mkString(", ") + (if (users == Vector(1)) " user" else " users")
}
