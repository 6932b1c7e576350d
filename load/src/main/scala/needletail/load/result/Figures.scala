package needletail.load.result

import java.nio.ByteBuffer

import org.HdrHistogram.Histogram

/**
 * Measurements of one kind of request in a period of time: counts by outcome and status, and latencies in nanoseconds.
 * Mutable, for one thread; `add` merges measurements of several generators or periods without loss.
 *
 * All histograms have the same parameters (`Figures.histogram`): a resolution of one microsecond, 3 significant
 * digits, up to an hour.
 */
final class Figures {

  /** Requests by `Outcome.index`. */
  val outcomes: Array[Long] = new Array[Long](Outcome.all.length)

  /** Complete answers by status, 100 to 599 at `status - 100`, anything else at 500. */
  val statuses: Array[Long] = new Array[Long](501)

  // Null if they are compressed.
  private var times: Array[Histogram]    = Array.fill(Figures.Kinds)(Figures.histogram())
  private var folded: Array[Array[Byte]] = null

  /** Good answers, from the moment the request was due to the end of the answer. */
  def response: Histogram = histogram(0)

  /** Good answers, from the moment the request was handed to a connection to the end of the answer. */
  def service: Histogram = histogram(1)

  /** Requests that failed because of what the server did or did not do, from due to the end. */
  def failed: Histogram = histogram(2)

  /** Bytes of content of complete answers. */
  var received: Long = 0

  def count(outcome: Outcome): Long = outcomes(outcome.index)

  /** All requests that ended. */
  def requests: Long = outcomes.sum

  def good: Long = outcomes(Outcome.Good.index)

  def bad: Long = requests - good

  /** Failed requests as a share of all, 0 to 1; 0 if there are none. */
  def errorRate: Double = if (requests == 0) 0 else bad.toDouble / requests

  /** Complete answers with this status. */
  def status(code: Int): Long = statuses(Figures.slot(code))

  /** Records a complete answer. Times by the loop's clock. */
  def answered(outcome: Outcome, code: Int, due: Long, sent: Long, ended: Long, contentLength: Long): Unit = {
    unfold()
    statuses(Figures.slot(code)) += 1
    received += contentLength
    outcomes(outcome.index) += 1
    if (outcome eq Outcome.Good) {
      Figures.record(response, ended - due)
      Figures.record(service, ended - sent)
    } else Figures.record(failed, ended - due)
  }

  /** Records a request without a complete answer. */
  def failed(outcome: Outcome, due: Long, ended: Long): Unit = {
    unfold()
    outcomes(outcome.index) += 1
    if (!outcome.ours) Figures.record(failed, ended - due)
  }

  /**
   * Compresses the histograms to a tenth of the memory, for the past intervals of a long run: they are decompressed
   * whenever one is read. Recording decompresses it.
   */
  def fold(): Unit = if (folded == null) {
    folded = times.map(Figures.encode)
    times = null
  }

  private def unfold(): Unit = if (folded != null) {
    times = folded.map(Figures.decode)
    folded = null
  }

  private def histogram(i: Int): Histogram = if (folded == null) times(i) else Figures.decode(folded(i))

  def add(other: Figures): Unit = {
    unfold()
    Figures.addTo(outcomes, other.outcomes)
    Figures.addTo(statuses, other.statuses)
    response.add(other.response)
    service.add(other.service)
    failed.add(other.failed)
    received += other.received
  }

  /** Clears everything, for reuse. */
  def reset(): Unit = {
    unfold()
    java.util.Arrays.fill(outcomes, 0)
    java.util.Arrays.fill(statuses, 0)
    response.reset()
    service.reset()
    failed.reset()
    received = 0
  }
}

object Figures {

  /** The longest latency that is distinguished from longer ones: an hour, in nanoseconds. */
  final val LongestNanos = 3600L * 1000 * 1000 * 1000

  /** Nanoseconds from 1 us to an hour with 3 significant digits; it starts small and grows as needed. */
  def histogram(): Histogram = {
    val made = new Histogram(1000, 2000000, 3)
    made.setAutoResize(true)
    made
  }

  def sum(parts: Iterable[Figures]): Figures = {
    val total = new Figures
    parts.foreach(total.add)
    total
  }

  private final val Kinds = 3

  /** An empty one has no bytes. */
  private[result] def encode(histogram: Histogram): Array[Byte] =
    if (histogram.getTotalCount == 0) Array.empty
    else {
      val buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity)
      val length = histogram.encodeIntoByteBuffer(buffer)
      java.util.Arrays.copyOf(buffer.array, length)
    }

  private[result] def decode(bytes: Array[Byte]): Histogram =
    if (bytes.isEmpty) histogram()
    else {
      val made = Histogram.decodeFromByteBuffer(ByteBuffer.wrap(bytes), 0)
      made.setAutoResize(true)
      made
    }

  private def record(into: Histogram, nanos: Long): Unit =
    into.recordValue(math.max(0, math.min(nanos, LongestNanos)))

  private def slot(code: Int): Int = if (code >= 100 && code < 600) code - 100 else 500

  private def addTo(into: Array[Long], from: Array[Long]): Unit = {
    var i = 0
    while (i < into.length) {
      into(i) += from(i)
      i += 1
    }
  }
}
