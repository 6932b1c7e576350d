package needletail.load.report

import java.io.IOException
import java.nio.file.{Files, Path}

import com.github.plokhotnyuk.jsoniter_scala.core._
import com.github.plokhotnyuk.jsoniter_scala.macros._

import needletail.load.analysis._
import needletail.load.result.{Figures, Outcome, RunResult}

/**
 * A result file. What `compare` and `merge` need is in each part's `run`, without loss; the rest is made from that
 * for whoever reads the file without this program.
 *
 * @param format
 *   always "needletail-load"
 * @param version
 *   of this format: it grows when a reader of the former one could misread it
 * @param tool
 *   that wrote it
 * @param command
 *   "run", "characterise", "ladder" or "merge"
 * @param criteria
 *   of `characterise`, in the order of the criteria
 */
private[load] final case class Document(
    format: String,
    version: Int,
    tool: String,
    command: String,
    title: String,
    parts: Vector[Part],
    assertions: Vector[AssertionText],
    criteria: Vector[Criterion]
)

/**
 * One measurement.
 *
 * @param label
 *   parts of one label are repetitions of the same
 */
private[load] final case class Part(label: String, summary: Summary, run: RunResult)

/**
 * @param seconds
 *   that the figures are of: after the ramp
 * @param rate
 *   good answers in a second
 * @param errors
 *   bad ones as a share of all, 0 to 1
 * @param latencyMillis
 *   of good answers from due to end, by name: p50 ... p99.99, max, mean
 * @param serviceMillis
 *   the same from sent to end
 * @param failedMillis
 *   of bad ones, from due to end
 * @param latenessMillis
 *   of what the generator sent by the clock, from due until it was taken up
 * @param outcomes
 *   of the whole run, by name
 * @param statuses
 *   of the whole run
 * @param verdicts
 *   by the figure's name
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
    kinds: Vector[KindSummary]
)

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
 * @param low
 *   with `high` the range it lies in, in `unit`
 */
private[load] final case class Criterion(
    name: String,
    text: String,
    low: Double,
    high: Double,
    unit: String,
    verdict: VerdictText
)

private[load] object Document {
  final val Format  = "needletail-load"
  final val Version = 1

  def of(
      tool: String,
      command: String,
      title: String,
      measured: Vector[Measurement],
      checks: Vector[Vector[Checked]],
      criteria: Vector[Criterion] = Vector.empty
  ): Document = Document(
    Format,
    Version,
    tool,
    command,
    title,
    measured.map(m => Part(m.label, summary(m), m.run)),
    measured.zip(checks).flatMap { case (m, its) => its.map(assertion(m.label, _)) },
    criteria
  )

  def assertion(label: String, check: Checked): AssertionText =
    AssertionText(label, check.condition.text, check.passed, check.reason)

  def verdict(verdict: Verdict): VerdictText = VerdictText(verdict.limit.name, verdict.causes)

  def summary(measured: Measurement): Summary = {
    val window = measured.window
    val whole  = measured.run.total()
    Summary(
      whole.requests,
      whole.good,
      whole.bad,
      window.seconds,
      window.goodRate(),
      whole.errorRate,
      millis(window.total.response),
      millis(window.total.service),
      millis(window.total.failed),
      millis(measured.run.lateness.histogram),
      Outcome.all.filter(whole.count(_) > 0).map(o => o.name -> whole.count(o)).toMap,
      PlainFigures.of(whole).statuses,
      verdict(measured.diagnosis.overall),
      Metric.usual.map(metric => metric.name -> verdict(measured.verdict(metric))).toMap,
      measured.run.kinds.indices.map(kind(measured, _)).toVector
    )
  }

  private def kind(measured: Measurement, index: Int): KindSummary = {
    val figures: Figures = measured.run.figures(index)
    KindSummary(
      measured.run.kinds(index),
      figures.requests,
      figures.good,
      measured.window.goodRate(Some(index)),
      figures.errorRate,
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
        "mean"   -> l.mean / 1e6
      )
  }

  import Json.run

  private implicit val codec: JsonValueCodec[Document] =
    JsonCodecMaker.make(CodecMakerConfig.withTransientEmpty(false).withTransientDefault(false))

  def toJson(document: Document): Array[Byte] = writeToArray(document, Json.writing)

  /** The document, or in words why it is none. */
  def fromJson(bytes: Array[Byte]): Either[String, Document] =
    try {
      val head = readFromArray[Head](bytes, Json.reading)
      if (head.format != Format) Left("it is no result of needletail-load")
      else if (head.version > Version)
        Left(s"its format is version ${head.version}, and this program reads up to version $Version")
      else Right(readFromArray[Document](bytes, Json.reading))
    } catch { case e: JsonReaderException => Left(s"it is no result of needletail-load: ${e.getMessage}") }

  def read(path: Path): Either[String, Document] =
    try fromJson(Files.readAllBytes(path)).left.map(reason => s"$path: $reason")
    catch { case e: IOException => Left(s"cannot read $path: ${OutputFiles.reason(e)}") }

  private final case class Head(format: String, version: Int)

  private implicit val headCodec: JsonValueCodec[Head] = JsonCodecMaker.make
}
