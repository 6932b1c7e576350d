package needletail.load.analysis.compare

/**
 * The test of Mann and Whitney, with ties: whether the values of one sample are larger than those of another, or the
 * order may be chance. It assumes no distribution of the values.
 *
 * The probability is exact for up to about 30 values on each side. For more, the distribution of the rank sum is taken for
 * normal, as Mann and Whitney showed it to be in the limit (On a test of whether one of two random variables is
 * stochastically larger than the other, Annals of Mathematical Statistics 18, 1947, 50-60), with the variance of tied
 * ranks and a correction for continuity (E. L. Lehmann, Nonparametrics: Statistical Methods Based on Ranks, 1975, sections
 * 1.2 and 1.4).
 */
object RankTest {

  /** The two-sided probability that an order at least this uneven occurs by chance. */
  def probability(a: Vector[Double], b: Vector[Double]): Double =
    if (a.isEmpty || b.isEmpty) 1
    else if (isFew(a.size, b.size)) exact(a, b)
    else normal(a, b)

  /** Whether that many runs on each side are enough to detect a change. */
  def enough(runs: Int, other: Int, confidence: Double): Boolean =
    runs > 0 && other > 0 &&
      probability(
        Vector.tabulate(runs)(_.toDouble),
        Vector.tabulate(other)(runs + _.toDouble)
      ) <= 1 - confidence

  /** With how many runs on each side `enough` holds; `confidence` is less than 1. */
  def least(confidence: Double): Int = Iterator.from(1).find(n => enough(n, n, confidence)).get

  /** Whether the sums can be counted within milliseconds: one for each value, size of the sample, and sum of ranks. */
  private def isFew(a: Int, b: Int): Boolean = {
    val all = a.toDouble + b
    all * all * all * math.min(a, b) <= 8e6
  }

  private[compare] def exact(a: Vector[Double], b: Vector[Double]): Double =
    if (a.size > b.size) exact(b, a)
    else {
      val ranks    = doubledRanks(a ++ b)
      val observed = ranks.take(a.size).sum
      val ways     = sums(ranks, a.size)
      val all      = ways.sum
      val below    = ways.take(observed + 1).sum / all
      val above    = ways.drop(observed).sum / all
      math.min(1, 2 * math.min(below, above))
    }

  private[compare] def normal(a: Vector[Double], b: Vector[Double]): Double = {
    val (m, n)   = (a.size.toDouble, b.size.toDouble)
    val all      = m + n
    val values   = a ++ b
    val sum      = doubledRanks(values).iterator.take(a.size).map(_ / 2.0).sum
    val ties     = values.groupBy(identity).valuesIterator.map(_.size.toDouble).map(t => t * t * t - t).sum
    val variance = m * n / 12 * (all + 1 - ties / (all * (all - 1)))
    val distance = math.abs(sum - m * (all + 1) / 2) - 0.5
    if (variance <= 0 || distance <= 0) 1 else outside(distance / math.sqrt(variance))
  }

  /**
   * The probability that a normal value is further from the mean than that many standard deviations: erfc(z / sqrt 2), by
   * its series, or by its continued fraction where that is small (Abramowitz and Stegun 7.1.6 and 7.1.14).
   */
  private def outside(z: Double): Double = {
    val x = z / math.sqrt(2)
    if (x < 2) {
      val terms = Iterator.iterate((x, 0)) { case (term, k) => (term * 2 * x * x / (2 * k + 3), k + 1) }
      1 - 2 / math.sqrt(math.Pi) * math.exp(-x * x) * terms.map(_._1).take(60).sum
    } else {
      val fraction = (60 to 1 by -1).foldLeft(x)((rest, k) => x + k / 2.0 / rest)
      math.exp(-x * x) / math.sqrt(math.Pi) / fraction
    }
  }

  /** Twice the rank of each, so that the mean rank of equal ones is a whole number. */
  private def doubledRanks(values: Vector[Double]): Vector[Int] = {
    val sorted = values.sorted
    val first  = scala.collection.mutable.HashMap.empty[Double, Int]
    val last   = scala.collection.mutable.HashMap.empty[Double, Int]
    sorted.iterator.zipWithIndex.foreach { case (value, index) =>
      first.getOrElseUpdate(value, index)
      last(value) = index
    }
    values.map(value => first(value) + last(value) + 2)
  }

  /** In how many ways `size` of these ranks have each sum. */
  private def sums(ranks: Vector[Int], size: Int): Array[Double] = {
    val ways = Array.fill(size + 1)(new Array[Double](ranks.sum + 1))
    ways(0)(0) = 1
    ranks.foreach { rank =>
      for (n <- size to 1 by -1; sum <- ways(n).length - 1 to rank by -1)
        ways(n)(sum) += ways(n - 1)(sum - rank)
    }
    ways(size)
  }
}
