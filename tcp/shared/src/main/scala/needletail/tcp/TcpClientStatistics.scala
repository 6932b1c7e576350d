package needletail.tcp

import java.util.concurrent.atomic.AtomicLongArray

/**
 * Totals and current figures of a client, summed over its loops.
 *
 * @param requests requests made, and messages sent
 * @param answered requests answered, and messages without an answer that were sent
 * @param failed requests that failed for any reason, except cancelled ones
 * @param timedOut failed requests with `TimedOut`
 * @param resent requests that were moved to another connection, because the first ended before any of their bytes was written
 * @param skipped answers that arrived after their request was abandoned
 * @param pushed messages of the server that answered nothing
 * @param opened connections established, and set up by the protocol
 * @param notOpened attempts to connect that failed
 * @param open connections now, including those being established
 * @param inFlight requests sent that are not answered yet, including abandoned ones
 * @param waiting requests waiting for a place on a connection
 */
final case class TcpClientStatistics(
    requests: Long,
    answered: Long,
    failed: Long,
    timedOut: Long,
    resent: Long,
    skipped: Long,
    pushed: Long,
    opened: Long,
    notOpened: Long,
    open: Int,
    inFlight: Int,
    waiting: Int
) {

  /** With the names of the figures, for logs. */
  override def toString: String = productElementNames.zip(productIterator)
    .map { case (name, figure) => s"$name = $figure" }.mkString("TcpClientStatistics(", ", ", ")")
}

/** The counters of one loop. Written by the loop, read by any thread. */
private[tcp] final class ClientCounts {
  private val cells = new AtomicLongArray(ClientCounts.Size)

  /** Adds `n` to the counter `what`, an index of the companion. */
  def add(what: Int, n: Int): Unit = cells.lazySet(what, cells.get(what) + n)
  def get(what: Int): Long         = cells.get(what)
}

private[tcp] object ClientCounts {
  final val Requests  = 0
  final val Answered  = 1
  final val Failed    = 2
  final val TimedOut  = 3
  final val Resent    = 4
  final val Skipped   = 5
  final val Pushed    = 6
  final val Opened    = 7
  final val NotOpened = 8
  final val Open      = 9
  final val InFlight  = 10
  final val Waiting   = 11
  final val Size      = 12

  def sum(all: Iterable[ClientCounts]): TcpClientStatistics = {
    def of(what: Int): Long = all.iterator.map(_.get(what)).sum
    TcpClientStatistics(
      of(Requests),
      of(Answered),
      of(Failed),
      of(TimedOut),
      of(Resent),
      of(Skipped),
      of(Pushed),
      of(Opened),
      of(NotOpened),
      of(Open).toInt,
      of(InFlight).toInt,
      of(Waiting).toInt
    )
  }
}
