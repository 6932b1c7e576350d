package needletail.load.command

import java.nio.file.{InvalidPathException, Path, Paths}

import scala.concurrent.duration._

import needletail.load.analysis.Condition
import needletail.load.plan.{Pause, Trust}
import needletail.load.report.OutputFiles

/** How requests are made, whatever their number. */
final case class Asking(
    method: String = "GET",
    headers: Vector[(String, String)] = Vector.empty,
    body: Option[String] = None,
    timeout: Option[FiniteDuration] = None,
    connectTimeout: Option[FiniteDuration] = None,
    keepAlive: Boolean = true,
    pipelining: Int = 1,
    loops: Int = 0,
    sources: Vector[String] = Vector.empty,
    goodStatuses: Option[Set[Int]] = None,
    trust: Option[Trust] = None
)

/** What the command line says; each command uses its part. */
final case class Options(
    target: String = "",
    users: Option[Int] = None,
    requests: Option[Int] = None,
    rate: Option[Double] = None,
    duration: Option[FiniteDuration] = None,
    ramp: Option[FiniteDuration] = None,
    pause: Pause = Pause.None,
    poisson: Boolean = false,
    connections: Option[Int] = None,
    warmUp: FiniteDuration = Duration.Zero,
    repeat: Int = 1,
    asking: Asking = Asking(),
    outputs: OutputFiles = OutputFiles(),
    assertions: Vector[Condition] = Vector.empty,
    // characterise
    objective: Vector[Condition] = Options.Objective,
    step: FiniteDuration = 5.seconds,
    hold: FiniteDuration = 20.seconds,
    mostUsers: Int = 4096,
    mostRate: Double = 1000000,
    // ladder
    rows: Vector[Int] = Vector.empty,
    // compare, merge
    files: Vector[Path] = Vector.empty,
    tolerance: Double = 0.03,
    confidence: Double = 0.99
) {

  /** Files that may be read: one side of a comparison may be several, with commas between them. */
  def inputs: Vector[Path] = {
    val several = files.flatMap(_.toString.split(',')).filter(_.nonEmpty)
    (several ++ Option(target).filter(t => t.nonEmpty && !t.contains("://"))).flatMap(text =>
      try Some(Paths.get(text))
      catch { case _: InvalidPathException => None }
    )
  }
}

object Options {
  val Objective: Vector[Condition] =
    Condition.parseAll("p99 < 100 ms, errors < 0.1 %").getOrElse(Vector.empty)
}
