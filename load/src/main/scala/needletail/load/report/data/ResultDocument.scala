package needletail.load.report.data

import java.nio.file.Path

import com.github.plokhotnyuk.jsoniter_scala.core._
import com.github.plokhotnyuk.jsoniter_scala.macros._

import needletail.load.analysis.verdict.{Bands, CheckedCondition, Latencies, Measurement, Metric, Verdict}
import needletail.load.file.InputFile
import needletail.load.result.{Figures, Outcome, RunResult}

/**
 * A result file. What `compare` and `merge` need is in each part's `run`, without loss; the rest is derived from that
 * for readers of the file.
 *
 * @param format always "needletail-load"
 * @param version of this format: incremented when a reader of the previous one could misread it
 * @param tool the program that wrote it
 * @param command "run", "characterise", "ladder" or "merge"
 * @param criteria of `characterise`, in the order of the criteria
 */
private[load] final case class ResultDocument(
    format: String,
    version: Int,
    tool: String,
    command: String,
    title: String,
    parts: Vector[ResultPart],
    assertions: Vector[AssertionText],
    criteria: Vector[Criterion]
)

/**
 * One measurement.
 *
 * @param label parts with the same label are repetitions
 */
private[load] final case class ResultPart(label: String, summary: Summary, run: RunResult)

/**
 * The metrics of a run. Those that a condition can name (`rate`, `errors`, latencies), `serviceMillis`, `failedMillis`,
 * `bands` and the verdicts are of the time after the ramp, as in tables and in assertions; numbers of requests are of the
 * whole run.
 *
 * @param requests of the whole run, as `good` and `bad`
 * @param seconds duration after the ramp
 * @param rate good responses per second
 * @param errors failed requests as a share of all, 0 to 1: not `bad` by `requests` if there was a ramp
 * @param latencyMillis of good responses from due to end, by name: p50 ... p99.99, max, mean, min,
 *   stddev
 * @param serviceMillis the same from sent to end
 * @param failedMillis of failed ones, from due to end
 * @param latenessMillis of the whole run: of requests with a scheduled time, from due until the generator handled them
 * @param outcomes of the whole run, by name
 * @param statuses of the whole run
 * @param verdicts by the metric's name
 * @param bands of good responses, if the plan has any
 * @param connectMillis of the whole run: opening connections, without TLS handshakes
 * @param tlsMillis of the whole run: TLS handshakes that were completed
 * @param handshakes how many these were, and how many of them resumed a session
 */
private[load] final case class Summary(
    requests: Long,
    good: Long,
    bad: Long,
    seconds: Double,
    rate: Double,
    errors: Double,
    latencyMillis: Map[String, Double],
    serviceMillis: Map[String, Double],
    failedMillis: Map[String, Double],
    latenessMillis: Map[String, Double],
    outcomes: Map[String, Long],
    statuses: Map[String, Long],
    verdict: VerdictText,
    verdicts: Map[String, VerdictText],
    kinds: Vector[KindSummary],
    bands: Vector[BandSummary] = Vector.empty,
    connectMillis: Map[String, Double] = Map.empty,
    tlsMillis: Map[String, Double] = Map.empty,
    handshakes: Long = 0,
    resumed: Long = 0
)

/**
 * The good responses that took longer than `fromMillis` and no longer than `toMillis`.
 *
 * @param toMillis 0 for the last band, which has no end
 */
private[load] final case class BandSummary(fromMillis: Double, toMillis: Double, count: Long)

/**
 * One kind of requests.
 *
 * @param requests of the whole run, as `good`; all else is of the time after the ramp
 */
private[load] final case class KindSummary(
    name: String,
    requests: Long,
    good: Long,
    rate: Double,
    errors: Double,
    latencyMillis: Map[String, Double],
    failedMillis: Map[String, Double]
)

private[load] final case class VerdictText(limit: String, causes: Vector[String])

private[load] final case class AssertionText(
    part: String,
    condition: String,
    passed: Boolean,
    reason: String
)

/**
 * A criterion of `characterise`.
 *
 * @param low with `high` the range that contains the value, in `unit`
 * @param details further figures that the text has
 */
private[load] final case class Criterion(
    name: String,
    text: String,
    low: Double,
    high: Double,
    unit: String,
    verdict: VerdictText,
    details: Vector[Detail] = Vector.empty
)

/**
 * A further figure of a criterion.
 *
 * @param low with `high` the range that contains the value, in `unit`
 * @param high None if the value is more than `low`, and how much more is not known
 */
private[load] final case class Detail(name: String, low: Double, high: Option[Double], unit: String)

private[load] object ResultDocument {
  final val Format  = "needletail-load"
  final val Version = 1

  def of(
      tool: String,
      command: String,
      title: String,
      measured: Vector[Measurement],
      checks: Vector[Vector[CheckedCondition]],
      criteria: Vector[Criterion] = Vector.empty
  ): ResultDocument = ResultDocument(
    Format,
    Version,
    tool,
    command,
    title,
    measured.map(m => ResultPart(m.label, summary(m), m.run)),
    measured.zip(checks).flatMap { case (m, its) => its.map(assertion(m.label, _)) },
    criteria
  )

  def assertion(label: String, check: CheckedCondition): AssertionText =
    AssertionText(label, check.condition.text, check.passed, check.reason)

  def verdict(verdict: Verdict): VerdictText = VerdictText(verdict.limit.name, verdict.causes)

  def summary(measured: Measurement): Summary = {
    val window = measured.window
    val whole  = measured.run.total()
    val opened = measured.run.openings
    val tls    = opened.tls.histogram
    Summary(
      whole.requests,
      whole.good,
      whole.bad,
      window.seconds,
      window.goodRate(),
      window.total.errorRate,
      millis(window.total.response),
      millis(window.total.service),
      millis(window.total.failed),
      millis(measured.run.lateness.histogram),
      Outcome.all.filter(whole.count(_) > 0).map(o => o.name -> whole.count(o)).toMap,
      PlainFigures.of(whole).statuses,
      verdict(measured.diagnosis.overall),
      Metric.usual.map(metric => metric.name -> verdict(measured.verdict(metric))).toMap,
      measured.run.kinds.indices.map(kind(measured, _)).toVector,
      Bands.of(measured).map(b => BandSummary(b.fromNanos / 1e6, b.toNanos.fold(0.0)(_ / 1e6), b.count)),
      millis(opened.connect.histogram),
      millis(tls),
      tls.getTotalCount,
      opened.resumed
    )
  }

  private def kind(measured: Measurement, index: Int): KindSummary = {
    val figures: Figures = measured.run.figures(index)
    KindSummary(
      measured.run.kinds(index),
      figures.requests,
      figures.good,
      measured.window.goodRate(Some(index)),
      measured.window.kinds(index).errorRate,
      millis(measured.window.kinds(index).response),
      millis(measured.window.kinds(index).failed)
    )
  }

  private def millis(histogram: org.HdrHistogram.Histogram): Map[String, Double] = {
    val l = Latencies.of(histogram)
    if (l.isEmpty) Map.empty
    else
      Map(
        "p50"    -> l.p50 / 1e6,
        "p75"    -> l.p75 / 1e6,
        "p90"    -> l.p90 / 1e6,
        "p95"    -> l.p95 / 1e6,
        "p99"    -> l.p99 / 1e6,
        "p99.9"  -> l.p999 / 1e6,
        "p99.99" -> l.p9999 / 1e6,
        "max"    -> l.max / 1e6,
        "mean"   -> l.mean / 1e6,
        "min"    -> l.min / 1e6,
        "stddev" -> l.deviation / 1e6
      )
  }

  import Json.run

  private implicit val codec: JsonValueCodec[ResultDocument] =
    JsonCodecMaker.make(CodecMakerConfig.withTransientEmpty(false).withTransientDefault(false))

  def toJson(document: ResultDocument): Array[Byte] = writeToArray(document, Json.writing)

  /** Parses a document. Left is the error. */
  def fromJson(bytes: Array[Byte]): Either[String, ResultDocument] =
    try {
      val head = readFromArray[Head](bytes, Json.reading)
      if (head.format != Format) Left("it is not a result of needletail-load")
      else if (head.version > Version)
        Left(s"its format is version ${head.version}, and this program reads up to version $Version")
      else Right(readFromArray[ResultDocument](bytes, Json.reading))
    } catch { case e: JsonReaderException => Left(s"it is not a result of needletail-load: ${e.getMessage}") }

  def read(path: Path): Either[String, ResultDocument] =
    InputFile.read(path) match {
      case Left(reason) => Left(s"cannot read $path: $reason")
      case Right(bytes) => fromJson(bytes).left.map(reason => s"$path: $reason")
    }

  private final case class Head(format: String, version: Int)

  private implicit val headCodec: JsonValueCodec[Head] = JsonCodecMaker.make
}
