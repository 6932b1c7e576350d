package needletail.server.operations

/**
 * How many responses had each status code. A route has few, so they are in a list, in the order in which they were first
 * added; usually the first is meant. Used on one thread; others get copies.
 */
private[server] final class StatusCounts private (
    private var codes: Array[Short],
    private var counts: Array[Long],
    private var size: Int
) {
  def this() = this(new Array[Short](2), new Array[Long](2), 0)

  /** Adds `n` responses with that status, 100 to 599. */
  def add(status: Int, n: Long): Unit = {
    val i = indexOf(status)
    if (i < size) counts(i) += n
    else {
      if (size == codes.length) {
        codes = java.util.Arrays.copyOf(codes, 2 * size)
        counts = java.util.Arrays.copyOf(counts, 2 * size)
      }
      codes(size) = status.toShort
      counts(size) = n
      size += 1
    }
  }

  private def indexOf(status: Int): Int = {
    var i = 0
    while (i < size && codes(i) != status) i += 1
    i
  }

  def add(other: StatusCounts): Unit = other.all.foreach { case (status, n) => add(status, n) }

  /** The number of responses with that status. */
  def of(status: Int): Long = {
    val i = indexOf(status)
    if (i < size) counts(i) else 0
  }

  /** Those of which there are any, by status. */
  def all: Seq[(Int, Long)] = (0 until size).map(i => codes(i).toInt -> counts(i)).sortBy(_._1)

  def copy(): StatusCounts = new StatusCounts(codes.clone(), counts.clone(), size)
}
