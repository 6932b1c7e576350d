package needletail.fuzz

/**
 * A parser of untrusted bytes and its properties, which must hold for any input. An object: the fuzzer calls its
 * static method, and the corpus is replayed by `check` and `checkCost`.
 *
 * @param name the name of its corpus's directory, and its name for `./test fuzz`
 */
abstract class FuzzTarget(val name: String) {

  /** Throws if a property does not hold. */
  def check(data: Array[Byte]): Unit

  /** Parses `data` once, as a whole; used with very long input, to measure the cost. */
  def read(data: Array[Byte]): Unit = { val _ = data }

  /**
   * Throws if the cost of parsing grows faster than the input, which is repeated very often: eight times as much input
   * may cost twenty-four times as much. If it costs little anyway, nothing is compared. On the JVM only.
   */
  final def checkCost(data: Array[Byte]): Unit = if (CpuTime.isKnown && data.length > 0) {
    val much = leastCost(data, FuzzTarget.Much, FuzzTarget.LittleNanos)
    if (much > FuzzTarget.LittleNanos) {
      val less = leastCost(data, FuzzTarget.Much / 8, 0)
      Check(
        much <= 24 * less,
        s"$name: ${FuzzTarget.Much} bytes take ${much / 1000000} ms of processor time, an eighth ${less / 1000000} ms"
      )
    }
  }

  /** The minimum of five measurements of processor time in nanoseconds, or the first that is at most `enough`. */
  private def leastCost(data: Array[Byte], length: Int, enough: Long): Long = {
    val input = Array.tabulate(length)(i => data(i % data.length))
    var tries = 0
    var least = Long.MaxValue
    while (tries < 5 && least > enough) {
      val before = CpuTime.nanos()
      read(input)
      least = Math.min(least, CpuTime.nanos() - before)
      tries += 1
    }
    least
  }

  /** Called by the fuzzer. Costs are checked for one in 64 inputs, as that takes much longer. */
  final def fuzzerTestOneInput(data: Array[Byte]): Unit = {
    check(data)
    if ((java.util.Arrays.hashCode(data) & 63) == 0) checkCost(data)
  }
}

object FuzzTarget {
  private final val Much        = 512 * 1024
  private final val LittleNanos =
    100L * 1000 * 1000 // linear parsers take less, quadratic ones many times more
}
