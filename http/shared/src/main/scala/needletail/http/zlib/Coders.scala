package needletail.http.zlib

/** Counts compressors and decompressors, each of which holds memory of zlib, by thread: for tests that look for leaks. */
private[needletail] object Coders {
  private final class Count { var value = 0 }

  private val counts = new ThreadLocal[Count] {
    override def initialValue(): Count = new Count
  }

  /**
   * How many the calling thread has made and not ended, including those that [[Deflaters]] and [[Inflaters]] keep for
   * it. It means nothing if coders are made and ended on different threads.
   */
  def alive: Int = counts.get.value

  def made(): Unit = counts.get.value += 1

  /** To be called once for each that was made. */
  def ended(): Unit = counts.get.value -= 1
}
