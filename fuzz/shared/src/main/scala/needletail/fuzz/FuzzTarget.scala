package needletail.fuzz

/**
 * A reader of foreign bytes and what must hold of it, whatever the bytes are. An object: the fuzzer calls the static
 * method that the compiler gives it, and the corpus is replayed by `check` and `checkCost`.
 *
 * @param name as the directory of its corpus is called, and as `./test fuzz` takes it
 */
abstract class FuzzTarget(val name: String) {

  /** Throws where something does not hold. */
  def check(data: Array[Byte]): Unit

  /** Reads `data` once, as a whole: asked with very much of it, to see what that costs. */
  def read(data: Array[Byte]): Unit = { val _ = data }

  /**
   * Throws where the cost of reading grows faster than the input, which is repeated very often: eight times as much may
   * cost twenty-four times as much. Where it costs little anyhow, nothing is compared. On the JVM only.
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

  /** The least of five times of the processor in nanoseconds, or the first that is no more than `enough`. */
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

  /** What the fuzzer calls. Costs are looked at for a sixty-fourth of the inputs: they take much longer. */
  final def fuzzerTestOneInput(data: Array[Byte]): Unit = {
    check(data)
    if ((java.util.Arrays.hashCode(data) & 63) == 0) checkCost(data)
  }
}

object FuzzTarget {
  private final val Much        = 512 * 1024
  private final val LittleNanos = 100L * 1000 * 1000 // linear readers take less, square ones many times more
}
