package needletail.load.analysis.compare

/**
 * The exact test of Mann and Whitney, with ties: whether the values of one sample are larger than those of another, or
 * the order may be chance. It assumes no distribution of the values.
 */
object RankTest {

  /** The two-sided probability that an order at least this uneven occurs by chance. */
  def probability(a: Vector[Double], b: Vector[Double]): Double =
    if (a.isEmpty || b.isEmpty) 1
    else {
      val ranks    = doubledRanks(a ++ b)
      val observed = ranks.take(a.size).sum
      val ways     = sums(ranks, a.size)
      val all      = ways.sum
      val below    = ways.take(observed + 1).sum / all
      val above    = ways.drop(observed).sum / all
      math.min(1, 2 * math.min(below, above))
    }

  /** Whether that many runs on each side are enough to detect a change. */
  def enough(runs: Int, other: Int, confidence: Double): Boolean =
    runs > 0 && other > 0 &&
      probability(
        Vector.tabulate(runs)(_.toDouble),
        Vector.tabulate(other)(runs + _.toDouble)
      ) <= 1 - confidence

  /** With how many runs on each side `enough` holds; `confidence` is less than 1. */
  def least(confidence: Double): Int = Iterator.from(1).find(n => enough(n, n, confidence)).get

  /** Twice the rank of each, so that the mean rank of equal ones is a whole number. */
  private def doubledRanks(values: Vector[Double]): Vector[Int] = {
    val sorted = values.sorted
    values.map { value =>
      val first = sorted.indexWhere(_ == value)
      val last  = sorted.lastIndexWhere(_ == value)
      first + last + 2
    }
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
