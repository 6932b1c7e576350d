package needletail.load.report.data

import java.nio.ByteBuffer
import java.util.Base64

import com.github.plokhotnyuk.jsoniter_scala.core._
import com.github.plokhotnyuk.jsoniter_scala.macros._
import org.HdrHistogram.Histogram

import needletail.load.result.{Figures, Lateness, Outcome, RunResult}

/** The results as JSON, without loss: reading returns what was written. Described in docs/load.md. */
private[report] object Json {

  /** Every field is written, so that readers need no default values. */
  private[report] implicit val figures: JsonValueCodec[Figures] = new JsonValueCodec[Figures] {
    private val plain: JsonValueCodec[PlainFigures] =
      JsonCodecMaker.make(CodecMakerConfig.withTransientEmpty(false).withTransientDefault(false))

    def nullValue: Figures = null // required by jsoniter

    def encodeValue(value: Figures, out: JsonWriter): Unit = plain.encodeValue(PlainFigures.of(value), out)

    def decodeValue(in: JsonReader, default: Figures): Figures = {
      val read = plain.decodeValue(in, plain.nullValue)
      try read.figures
      catch { case e: BadFigures => in.decodeError(e.getMessage) }
    }
  }

  private[report] implicit val lateness: JsonValueCodec[Lateness] = new JsonValueCodec[Lateness] {
    def nullValue: Lateness = null

    def encodeValue(value: Lateness, out: JsonWriter): Unit =
      out.writeVal(PlainFigures.encode(value.histogram))

    def decodeValue(in: JsonReader, default: Lateness): Lateness =
      try {
        val read = Figures.histogram()
        PlainFigures.decode(in.readString(""), read)
        Lateness.of(read)
      } catch { case e: BadFigures => in.decodeError(e.getMessage) }
  }

  implicit val run: JsonValueCodec[RunResult] =
    JsonCodecMaker.make(CodecMakerConfig.withTransientEmpty(false).withTransientDefault(false))

  val writing: WriterConfig = WriterConfig.withIndentionStep(2)
  val reading: ReaderConfig = ReaderConfig.withAppendHexDumpToParseException(false)
}

/** An unknown outcome, or a malformed histogram. */
private final class BadFigures(message: String) extends RuntimeException(message)

/**
 * `Figures` with names instead of indices: a file stays readable when outcomes are added.
 *
 * @param outcomes those that occurred, by name
 * @param statuses those that occurred, by number; 0 stands for numbers that are not a status
 * @param response histograms in HdrHistogram's compressed form, in Base64; empty for an empty one
 */
private final case class PlainFigures(
    outcomes: Map[String, Long],
    statuses: Map[String, Long],
    received: Long,
    response: String,
    service: String,
    failed: String
) {
  def figures: Figures = {
    val made = new Figures
    outcomes.foreach { case (name, count) =>
      val outcome = Outcome.named(name).getOrElse(throw new BadFigures(s"unknown outcome $name"))
      made.outcomes(outcome.index) = count
    }
    statuses.foreach { case (code, count) =>
      val index = code.toIntOption.getOrElse(throw new BadFigures(s"$code is not a status"))
      made.statuses(PlainFigures.slot(index)) = count
    }
    made.received = received
    PlainFigures.decode(response, made.response)
    PlainFigures.decode(service, made.service)
    PlainFigures.decode(failed, made.failed)
    made
  }
}

private object PlainFigures {
  private final val NoStatus = 500 // the slot of `Figures.statuses`

  def of(figures: Figures): PlainFigures = PlainFigures(
    Outcome.all.filter(figures.count(_) > 0).map(o => o.name -> figures.count(o)).toMap,
    figures.statuses.indices
      .filter(figures.statuses(_) > 0)
      .map(slot => (if (slot == NoStatus) "0" else (slot + 100).toString) -> figures.statuses(slot))
      .toMap,
    figures.received,
    encode(figures.response),
    encode(figures.service),
    encode(figures.failed)
  )

  def slot(code: Int): Int = if (code >= 100 && code < 600) code - 100 else NoStatus

  def encode(histogram: Histogram): String =
    if (histogram.getTotalCount == 0) ""
    else {
      val buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity)
      val length = histogram.encodeIntoCompressedByteBuffer(buffer)
      Base64.getEncoder.encodeToString(java.util.Arrays.copyOf(buffer.array, length))
    }

  /** Adds an encoded histogram. */
  def decode(text: String, into: Histogram): Unit =
    if (text.nonEmpty)
      try {
        val bytes = Base64.getDecoder.decode(text)
        into.add(Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(bytes), 0))
      } catch {
        case e: Exception => throw new BadFigures(s"no histogram: ${e.getMessage}")
      }
}
