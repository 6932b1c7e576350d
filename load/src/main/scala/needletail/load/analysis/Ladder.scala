package needletail.load.analysis

import scala.concurrent.duration._

/** The documents' ladder: more users row by row, a number of requests each, begun evenly over a ramp. */
object Ladder {

  final case class Row(users: Int, ramp: FiniteDuration)

  final val Requests = 50

  /** All 17 of them. */
  val rows: Vector[Row] =
    Vector(10, 25, 50, 75, 100, 150, 200, 250, 300, 350, 400, 450, 500, 750, 1000, 1500, 2000).map(row)

  /** With the ramp that the documents give so many users. */
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

  /** A row as it was measured. */
  final case class Climbed(row: Row, measured: Measurement)

  /**
   * How the ladder is read: two numbers, since the users whom a server answers quickly are fewer than those whom it
   * answers at all.
   *
   * @param latency
   *   the last row up to which each satisfied the objective
   * @param throughput
   *   the last row up to which each kept to the tolerable error rate
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
