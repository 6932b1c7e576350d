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
   * Throws where reading takes more than a time that is linear in the input, which is repeated very often. On the JVM
   * only.
   */
  final def checkCost(data: Array[Byte]): Unit = if (CpuTime.isKnown && data.length > 0) {
    val much  = Array.tabulate(FuzzTarget.Much)(i => data(i % data.length))
    var tries = 0
    var least = Long.MaxValue
    while (tries < 5 && least > FuzzTarget.MostNanos) {
      val before = CpuTime.nanos()
      read(much)
      least = Math.min(least, CpuTime.nanos() - before)
      tries += 1
    }
    Check(
      least <= FuzzTarget.MostNanos,
      s"$name: ${FuzzTarget.Much} bytes take ${least / 1000000} ms of processor time"
    )
  }

  /** What the fuzzer calls. Costs are looked at for a sixty-fourth of the inputs: they take much longer. */
  final def fuzzerTestOneInput(data: Array[Byte]): Unit = {
    check(data)
    if ((java.util.Arrays.hashCode(data) & 63) == 0) checkCost(data)
  }
}

object FuzzTarget {
  private final val Much      = 512 * 1024
  private final val MostNanos =
    400L * 1000 * 1000 // linear readers take a twentieth, square ones many times more
}
