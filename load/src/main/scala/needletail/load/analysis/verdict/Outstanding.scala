package needletail.load.analysis.verdict

/**
 * Requests that had become due and had not ended, over the time of a window.
 *
 * Answers come later than their requests become due. So of what becomes due in a time, some is answered after it: by
 * Little's law as many requests as become due within one latency, however fast the server is. That is no queue. A queue
 * is what makes them more and more, also after the first ones have been answered.
 */
private[verdict] final class Outstanding(window: Window) {
  import Outstanding._

  /** When the window began, and at the end of each of its intervals. */
  private val counts: Vector[Long] = {
    val before = window.run.intervals.takeWhile(_.startMillis < window.fromMillis)
    val first  = before.iterator.map(i => i.self.due - i.total.requests).sum
    window.offered.scanLeft(first)((sum, i) => sum + i.self.due - i.total.requests)
  }

  def atStart: Long = math.max(0, counts.head)
  def atEnd: Long   = math.max(0, counts.last)

  /** Whether no queue grew that is worth mentioning: all that became due is or will be answered. */
  def keepsUp: Boolean = window.dueRate > 0 && (isLevel || isSteady)

  /**
   * From when most requests of the window's beginning had been answered, no more became due than ended, but for some
   * hundredths and for what is chance. That says nothing where less became due then than before: the queue of a load that
   * has fallen gets shorter.
   */
  private def isLevel: Boolean = {
    val from     = settled
    val last     = window.offered.drop(from)
    val due      = last.iterator.map(_.self.due).sum
    val expected = window.dueRate * last.iterator.map(_.lengthMillis).sum / 1000.0
    val chance   = 1 + math.sqrt(math.max(0, counts(from)).toDouble)
    counts.last - counts(from) <= math.max(due * Growth, chance) &&
    due >= expected * (1 - Fallen) - 3 * math.sqrt(expected)
  }

  /**
   * The same of what takes as long as the window or longer: nearly all answers took the same time, in a queue that grows
   * each takes longer than the one before.
   */
  private def isSteady: Boolean = {
    val latencies              = window.total.response
    def seconds(share: Double) = latencies.getValueAtPercentile(share) / 1e9
    isComplete && latencies.getTotalCount > 0 && seconds(99) - seconds(1) <= window.seconds * Growth
  }

  /** Whether every request has ended; those in flight when a run is stopped have not. */
  private def isComplete: Boolean =
    window.run.intervals.iterator.map(i => i.self.due - i.total.requests).sum <= 0

  private def latencyMillis: Double = window.total.response.getValueAtPercentile(99) / 1e6

  /**
   * In how many intervals most requests of the window's beginning were answered; none where that hardly matters, or where
   * there are too few intervals.
   */
  private def settled: Int = {
    val ends = window.offered.map(i => (i.startMillis + i.lengthMillis - window.fromMillis).toDouble)
    if (latencyMillis <= window.seconds * 1000 * Negligible) 0
    else {
      val latest = ends.lastIndexWhere(_ <= window.seconds * 1000 * Latest) + 1
      val first  = ends.indexWhere(_ >= latencyMillis) + 1
      if (first == 0) latest else math.min(first, latest)
    }
  }
}

private[verdict] object Outstanding {

  /** The share of the requests that became due by which a server may be behind. */
  private final val Growth = 0.02

  /** By which share less becomes due than in the whole window where the load has fallen. */
  private final val Fallen = 0.1

  /** A latency of no more than this share of the window changes nothing. */
  private final val Negligible = 0.01

  /** The share of the window after which there must be enough left to see a queue grow. */
  private final val Latest = 0.6
}
