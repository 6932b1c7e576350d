package needletail.simulation.world

/**
 * The only source of random numbers of a simulation: the same seed results in the same numbers on every platform.
 * SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014).
 */
final class SeededRandom(seed: Long) {
  private var state = seed

  def next(): Long = {
    state += 0x9e3779b97f4a7c15L
    var z = state
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL
    z ^ (z >>> 31)
  }

  /** From 0 to `bound`, exclusive. */
  def below(bound: Int): Int = ((next() >>> 1) % bound).toInt

  /** From `from` to `to`, inclusive. */
  def between(from: Int, to: Int): Int = from + below(to - from + 1)

  def longBetween(from: Long, to: Long): Long = from + (next() >>> 1) % (to - from + 1)

  /** True in `percent` of 100 calls. */
  def percent(percent: Int): Boolean = below(100) < percent

  /** True in `permille` of 1,000 calls. */
  def perMille(permille: Int): Boolean = permille > 0 && below(1000) < permille

  def pick[A](options: Seq[A]): A = options(below(options.size))

  /** Mostly small numbers, sometimes large ones: 1 to `most`. */
  def skewed(most: Int): Int = {
    val bits = between(0, 31 - Integer.numberOfLeadingZeros(most))
    math.min(most, 1 + below(1 << bits))
  }

  /** Shuffles the first `count` of `items`. */
  def shuffle[A <: AnyRef](items: Array[A], count: Int): Unit = {
    var i = count - 1
    while (i > 0) {
      val j    = below(i + 1)
      val item = items(i)
      items(i) = items(j)
      items(j) = item
      i -= 1
    }
  }

  /** An independent source, for decisions that must not change when others use more random numbers. */
  def split(): SeededRandom = new SeededRandom(next())
}
