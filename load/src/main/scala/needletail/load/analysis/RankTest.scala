package needletail.load.analysis

/**
 * Are the values of one sample larger than those of another, or may the order be chance? The exact test of Mann and
 * Whitney, with ties: it asks nothing of how the values are distributed.
 */
object RankTest {

  /** The probability of an order at least as uneven by chance, both ways. */
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

  /** The least number of runs on each side by which a change can be told at all. */
  def enough(runs: Int, other: Int, confidence: Double): Boolean =
    runs > 0 && other > 0 &&
      probability(
        Vector.tabulate(runs)(_.toDouble),
        Vector.tabulate(other)(runs + _.toDouble)
      ) <= 1 - confidence

  /** Twice the rank of each, so that the mean rank of equal ones is a whole number. */
  private def doubledRanks(values: Vector[Double]): Vector[Int] = {
    val sorted = values.sorted
    values.map { value =>
      val first = sorted.indexWhere(_ == value)
      val last  = sorted.lastIndexWhere(_ == value)
      first + last + 2
    }
  }

  /** In how many ways so many of these ranks have each sum. */
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
