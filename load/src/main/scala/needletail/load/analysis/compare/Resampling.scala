package needletail.load.analysis.compare

import java.util.SplittableRandom

import scala.jdk.CollectionConverters._

import needletail.load.analysis.verdict.{Metric, Window}
import needletail.load.result.{Interval, RunResult}

/**
 * Bootstrap: simulates other runs from the measured seconds. Runs are drawn with repetition, and within each some
 * consecutive seconds at a time, since successive seconds are correlated. The spread of their metrics shows how far a
 * single run may be off.
 */
private[analysis] final class Resampling(runs: Vector[RunResult]) {

  private final class Second(
      val values: Array[Int],
      val counts: Array[Long],
      val good: Long,
      val all: Long,
      val answered: Double,
      val millis: Long
  )

  /** Every recorded latency, sorted; seconds refer to them by index. */
  private val latencies: Array[Long] = {
    val all = for {
      run      <- runs
      interval <- new Window(run).offered
      kind     <- interval.kinds
      value    <- kind.response.recordedValues.asScala
    } yield value.getValueIteratedTo
    all.distinct.sorted.toArray
  }

  private val seconds: Vector[Array[Second]] =
    runs.map { run =>
      val window = new Window(run)
      // answers to what became due last come later, and belong to the rate as well
      val within = window.goodRateWithin
      val more   = if (within <= 0) 1 else window.goodRate() / within
      window.offered.filter(_.lengthMillis >= 500).map(second(_, more)).toArray
    }.filter(_.nonEmpty)

  private def second(interval: Interval, more: Double): Second = {
    val figures = interval.total
    val values  = figures.response.recordedValues.asScala.map(v =>
      (v.getValueIteratedTo, v.getCountAtValueIteratedTo)
    ).toArray
    new Second(
      values.map(v => java.util.Arrays.binarySearch(latencies, v._1)).map(i => if (i < 0) -i - 1 else i),
      values.map(_._2),
      figures.good,
      figures.requests,
      figures.good * more,
      interval.lengthMillis
    )
  }

  def isEmpty: Boolean = seconds.isEmpty

  /** The metrics of one simulated run. */
  def draw(metrics: Vector[Metric], random: SplittableRandom): Vector[Double] = {
    val counts    = new Array[Long](latencies.length)
    var good, all = 0L
    var answered  = 0.0
    var millis    = 0L
    for (_ <- seconds) {
      val run   = seconds(random.nextInt(seconds.size))
      val block = math.max(1, math.min(Resampling.Block, run.length / 4))
      var taken = 0
      while (taken < run.length) {
        val from = random.nextInt(run.length)
        var i    = 0
        while (i < block && taken < run.length) {
          val second = run((from + i) % run.length)
          var v      = 0
          while (v < second.values.length) {
            counts(second.values(v)) += second.counts(v)
            v += 1
          }
          good += second.good
          all += second.all
          answered += second.answered
          millis += second.millis
          i += 1
          taken += 1
        }
      }
    }
    metrics.map {
      case Metric.Rate                => if (millis == 0) 0 else answered * 1000 / millis
      case Metric.Errors              => if (all == 0) 0 else (all - good).toDouble / all
      case Metric.Percentile(percent) => at(counts, good, percent)
      case Metric.Max                 => at(counts, good, 100)
      case Metric.Min                 => at(counts, good, 0)
      case Metric.Mean                => if (good == 0) 0 else mean(counts, good)
      case Metric.Deviation           =>
        if (good == 0) 0
        else {
          val middle = mean(counts, good)
          var sum    = 0.0
          for (i <- counts.indices) sum += counts(i) * math.pow(latencies(i) - middle, 2)
          math.sqrt(sum / good)
        }
    }
  }

  private def mean(counts: Array[Long], good: Long): Double = {
    var sum = 0.0
    for (i <- counts.indices) sum += counts(i).toDouble * latencies(i)
    sum / good
  }

  private def at(counts: Array[Long], total: Long, percent: Double): Double = {
    val wanted = math.max(1L, math.ceil(total * percent / 100 - 1e-9).toLong)
    var sum    = 0L
    var i      = 0
    while (i < counts.length && { sum += counts(i); sum < wanted }) i += 1
    if (i < latencies.length) latencies(i).toDouble else 0
  }
}

private[analysis] object Resampling {

  /** Consecutive seconds that are drawn together. */
  final val Block = 4
}
