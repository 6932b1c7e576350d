package needletail.load.report.data

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, PrintStream}
import java.nio.file.Path

import org.HdrHistogram.{EncodableHistogram, Histogram, HistogramLogReader, HistogramLogWriter}

import needletail.load.analysis.verdict.Measurement
import needletail.load.file.InputFile
import needletail.load.result.Figures

/**
 * Logs for HdrHistogram's own tools: an interval for each second with all good responses, without a tag, as these tools
 * read that by default; with several kinds, one for each, tagged with its name. Latencies from due to end, in
 * nanoseconds. Failed requests are tagged with the kind and `!failed`.
 */
private[load] object HistogramLog {
  private final val Failed        = "!failed"
  private final val NanosInMillis = 1e6 // the unit of each interval's maximum in the log

  def write(measured: Vector[Measurement], tool: String): Array[Byte] = {
    val bytes  = new ByteArrayOutputStream
    val writer = new HistogramLogWriter(new PrintStream(bytes, false, "UTF-8"))
    val start  = measured.headOption.fold(0L)(_.run.startedMillis)
    writer.outputComment(s"[Written by $tool; latencies of good responses in nanoseconds]")
    writer.outputLogFormatVersion()
    writer.outputStartTime(start)
    writer.setBaseTime(start)
    writer.outputBaseTime(start)
    writer.outputLegend()
    for {
      run      <- measured
      interval <- run.run.intervals
    } {
      val from                                                 = run.run.startedMillis + interval.startMillis
      def out(histogram: Histogram, tag: Option[String]): Unit =
        put(writer, histogram, tag, start, from, from + interval.lengthMillis)
      out(interval.total.response, None)
      run.run.kinds.zip(interval.kinds).foreach { case (kind, figures) =>
        if (run.run.kinds.size > 1) out(figures.response, Some(tag(kind)))
        if (figures.failed.getTotalCount > 0) out(figures.failed, Some(tag(kind) + Failed))
      }
    }
    bytes.toByteArray
  }

  /** Times in milliseconds since 1970; the log counts from `base` on. */
  private def put(
      writer: HistogramLogWriter,
      histogram: Histogram,
      tag: Option[String],
      base: Long,
      from: Long,
      until: Long
  ): Unit = {
    val tagged = histogram.copy()
    tagged.setTag(tag.orNull)
    writer.outputIntervalHistogram((from - base) / 1000.0, (until - base) / 1000.0, tagged, NanosInMillis)
  }

  /** Commas end a tag, and spaces end the field. */
  private def tag(kind: String): String = {
    val safe = kind.map(c => if (c <= ' ' || c == ',' || c == '!' || c == '#') '_' else c)
    if (safe.isEmpty) "_" else safe
  }

  /** The histogram of a tag in an interval; without a tag it has all good responses. */
  final case class Entry(tag: Option[String], startMillis: Long, endMillis: Long, histogram: Histogram)

  /** The entries in the order of the file. Left is the error. */
  def read(path: Path): Either[String, Vector[Entry]] =
    InputFile.read(path) match {
      case Left(reason) => Left(s"cannot read $path: $reason")
      case Right(bytes) => parse(bytes).left.map(reason => s"$path: $reason")
    }

  def parse(bytes: Array[Byte]): Either[String, Vector[Entry]] =
    try {
      val reader = new HistogramLogReader(new ByteArrayInputStream(bytes))
      val found  = Iterator
        .continually(if (reader.hasNext) reader.nextIntervalHistogram() else null) // null at the end
        .takeWhile(_ != null)
        .collect { case histogram: Histogram => entry(histogram) }
        .toVector
      if (found.isEmpty) Left("it contains no histogram") else Right(found)
    } catch { case e: RuntimeException => Left(s"it is not an HdrHistogram log: ${e.getMessage}") }

  private def entry(histogram: Histogram): Entry = {
    val start = (histogram: EncodableHistogram).getStartTimeStamp
    Entry(Option(histogram.getTag), start, histogram.getEndTimeStamp, histogram)
  }

  /** The sums of each tag, in order of the tags, after the sum without a tag. */
  def sums(entries: Vector[Entry]): Vector[(Option[String], Histogram)] =
    entries.groupBy(_.tag).toVector.sortBy(_._1).map { case (tag, its) =>
      val sum = Figures.histogram()
      its.foreach(e => sum.add(e.histogram))
      tag -> sum
    }

  /** Merges several logs: the intervals of all, in order of time. */
  def merge(logs: Vector[Vector[Entry]], tool: String): Array[Byte] = {
    val bytes  = new ByteArrayOutputStream
    val writer = new HistogramLogWriter(new PrintStream(bytes, false, "UTF-8"))
    val all    = logs.flatten.sortBy(_.startMillis)
    val start  = all.headOption.fold(0L)(_.startMillis)
    writer.outputComment(s"[Merged by $tool of ${logs.size} logs; latencies in nanoseconds]")
    writer.outputLogFormatVersion()
    writer.outputStartTime(start)
    writer.setBaseTime(start)
    writer.outputBaseTime(start)
    writer.outputLegend()
    all.foreach(e => put(writer, e.histogram, e.tag, start, e.startMillis, e.endMillis))
    bytes.toByteArray
  }
}
