package needletail.load.command.options

import java.nio.file.{InvalidPathException, Path, Paths}

import scala.concurrent.duration._

import needletail.load.analysis.verdict.Condition
import needletail.load.file.OutputFiles
import needletail.load.plan.{Pause, Trust}

/** The options about the form of requests, not their number. */
final case class RequestOptions(
    method: Option[String] = None,
    headers: Vector[(String, String)] = Vector.empty,
    body: Option[String] = None,
    timeout: Option[FiniteDuration] = None,
    connectTimeout: Option[FiniteDuration] = None,
    keepAlive: Boolean = true,
    pipelining: Int = 1,
    loops: Int = 0,
    sources: Vector[String] = Vector.empty,
    goodStatuses: Option[Set[Int]] = None,
    trust: Option[Trust] = None,
    certificate: Option[String] = None,
    key: Option[String] = None,
    resumesTls: Option[Boolean] = None,
    bands: Vector[FiniteDuration] = Vector.empty
)

/** All options of the command line; each command uses some of them. */
final case class Options(
    target: String = "",
    server: Option[String] = None,
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
    asking: RequestOptions = RequestOptions(),
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

  /** Files that are read: one side of a comparison may be several, separated by commas. */
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
