package needletail.simulation

/**
 * The one source of chance of a simulated world: the same seed gives the same numbers on every platform.
 * SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014).
 */
final class Dice(seed: Long) {
  private var state = seed

  def next(): Long = {
    state += 0x9e3779b97f4a7c15L
    var z = state
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL
    z ^ (z >>> 31)
  }

  /** 0 until `bound`. */
  def below(bound: Int): Int = ((next() >>> 1) % bound).toInt

  /** `from` to `to`, both included. */
  def between(from: Int, to: Int): Int = from + below(to - from + 1)

  def longBetween(from: Long, to: Long): Long = from + (next() >>> 1) % (to - from + 1)

  /** True in `percent` of 100 cases. */
  def chance(percent: Int): Boolean = below(100) < percent

  /** True in `permille` of 1,000 cases. */
  def rarely(permille: Int): Boolean = permille > 0 && below(1000) < permille

  def pick[A](options: Seq[A]): A = options(below(options.size))

  /** Small numbers mostly, large ones at times: 1 to `most`. */
  def size(most: Int): Int = {
    val bits = between(0, 31 - Integer.numberOfLeadingZeros(most))
    math.min(most, 1 + below(1 << bits))
  }

  /** Puts the first `count` of `items` into another order. */
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

  /** A source of its own, for what must not change when something else asks more often. */
  def split(): Dice = new Dice(next())
}
