package needletail.load.analysis.search

import scala.concurrent.duration._

import needletail.load.analysis.verdict.{Condition, Measurement, Metric, TotalFailure}

/**
 * The ladder of the original benchmarks: more users in each row, a number of requests each, started evenly over a
 * ramp.
 */
object Ladder {

  final case class Row(users: Int, ramp: FiniteDuration)

  final val Requests = 50

  /** All 17 of them. */
  val rows: Vector[Row] =
    Vector(10, 25, 50, 75, 100, 150, 200, 250, 300, 350, 400, 450, 500, 750, 1000, 1500, 2000).map(row)

  /** The row for that many users, with the ramp of the original benchmarks. */
  def row(users: Int): Row = {
    val seconds =
      if (users <= 10) 0
      else if (users <= 25) 2
      else if (users <= 50) 3
      else if (users <= 100) 5
      else if (users <= 150) 7
      else 10
    Row(users, seconds.seconds)
  }

  /** A row and its measurement. */
  final case class Climbed(row: Row, measured: Measurement) {
    def ended: Long                  = measured.run.total().requests
    def planned(requests: Int): Long = row.users.toLong * requests
  }

  /**
   * The row that the user has interrupted, which says nothing of its load: the last, unless it ran to its end, or was
   * given up because the server failed.
   *
   * @param requests of each user
   * @param interrupted whether the user has interrupted the ladder
   */
  def cut(rows: Vector[Climbed], requests: Int, interrupted: Boolean): Option[Climbed] =
    rows.lastOption.filter(r =>
      interrupted && r.ended < r.planned(requests) && !TotalFailure.gaveUp(r.measured.run)
    )

  /**
   * The result of the ladder: two numbers, since the users whom a server answers quickly are fewer than those whom it
   * answers at all.
   *
   * @param latency the last row up to which each satisfied the objective
   * @param throughput the last row up to which each had a tolerable error rate
   */
  final case class Reading(latency: Option[Climbed], throughput: Option[Climbed])

  def read(rows: Vector[Climbed], objective: Vector[Condition]): Reading = {
    val errors = Objective.tolerable(objective)
    Reading(
      rows.takeWhile(r => r.measured.check(objective).forall(_.held)).lastOption,
      rows.takeWhile(r => r.measured.figure(Metric.Errors).exists(_ <= errors)).lastOption
    )
  }
}
