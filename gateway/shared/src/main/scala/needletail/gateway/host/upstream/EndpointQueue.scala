package needletail.gateway.host.upstream

import java.util.concurrent.atomic.AtomicLong

import needletail.async.{Async, AsyncPromise, Loop, Survivable, Timer}

/**
 * The requests of all loops that wait for a place at a server, in the order in which they began to: a host admits as many
 * as all of its servers together accept, so that some wait while one of these is away. Where any wait, a place that
 * becomes free is the oldest one's, and a newcomer stands behind them.
 *
 * @param isReady whether a request may be sent to a server
 * @param triesDown whether a server that could not be reached a moment ago is tried, as it may have been started since
 */
private[host] final class EndpointQueue(
    endpoints: Seq[Endpoint],
    isReady: Endpoint => Boolean,
    triesDown: Boolean
) {
  private val tickets        = new AtomicLong
  private val line           = new java.util.TreeMap[Long, Waiter] // by ticket; used with this object's lock
  @volatile private var size = 0                                   // of `line`

  /** For `enter`: the later, the greater. From any thread. */
  def ticket(): Long = tickets.incrementAndGet()

  /** Whether nobody waits. From any thread. */
  def isEmpty: Boolean = size == 0

  /** Whether no server can be asked now, but one could when it has answered others. From any thread. */
  def isBusy: Boolean = {
    val free = endpoints.filter(e => isReady(e) && !e.isFull)
    isAnyBusy && (if (triesDown) free.isEmpty else free.forall(_.isDown))
  }

  private def isAnyBusy: Boolean = endpoints.exists(e => isReady(e) && e.isFull && !e.isDown)

  /**
   * Takes a place when there is one and nobody with a smaller ticket waits: at the server with the fewest requests. Null
   * if no server is left that is worth waiting for. Fails with `Busy` after `nanos`. Cancelling it leaves the queue. To be
   * called on a loop.
   */
  def enter(ticket: Long, nanos: Long): Async[Endpoint] = {
    val waiter = new Waiter(ticket, Loop.current, Loop.nanoTime() + math.max(nanos, EndpointQueue.LeastNanos))
    waiter.begin()
    synchronized {
      line.put(ticket, waiter)
      size = line.size
    }
    passOn(evenDown = false) // a place may have become free before the waiter was visible
    waiter.turn
  }

  /** Returns a place. From any thread. */
  def leave(place: Endpoint): Unit = {
    place.inFlight.decrementAndGet()
    if (!isEmpty) passOn(evenDown = false)
  }

  /** Passes all free places on. */
  private def passOn(evenDown: Boolean): Unit = {
    var more = true
    while (more) {
      var place: Endpoint = null
      val next            = synchronized {
        if (!line.isEmpty) place = takePlace(evenDown)
        if (place == null) null else removed(line.firstKey)
      }
      more = next != null
      if (more && !next.letIn(place)) { place.inFlight.decrementAndGet(); () }
    }
  }

  private def takePlace(evenDown: Boolean): Endpoint =
    EndpointQueue
      .inOrder(endpoints.filter(e => isReady(e) && !e.isFull && (evenDown || !e.isDown)))
      .find(_.tryEnter())
      .orNull

  /** Takes one from the line; null if it is not there. With the lock. */
  private def removed(ticket: Long): Waiter = {
    val waiter = line.remove(ticket)
    size = line.size
    waiter
  }

  /** Whether that one was in the line, which it has left now. */
  private def withdraw(ticket: Long): Boolean = synchronized(removed(ticket)) != null

  private def isWaiting(ticket: Long): Boolean = synchronized(line.containsKey(ticket))

  /** A waiter, on its loop. */
  private final class Waiter(ticket: Long, loop: Loop, until: Long) {
    val turn: AsyncPromise[Endpoint] = new AsyncPromise[Endpoint]
    private var timer: Timer         = null

    def begin(): Unit = {
      lookLater()
      turn.onCancel { () =>
        timer.cancel()
        withdraw(ticket) // otherwise it was let in, and `letIn` returns the place
        ()
      }
    }

    private def lookLater(): Unit =
      timer = loop.schedule(math.min(EndpointQueue.LookNanos, until - Loop.nanoTime()), () => look())

    /** Nobody tells when a server is back. */
    private def look(): Unit =
      if (until - Loop.nanoTime() <= 0) {
        if (withdraw(ticket)) { turn.fail(EndpointQueue.Busy); () }
      } else {
        passOn(evenDown = triesDown)
        if (!isAnyBusy && withdraw(ticket)) { turn.succeed(null); () }
        else if (isWaiting(ticket)) lookLater()
      }

    /** False if its loop has ended. */
    def letIn(place: Endpoint): Boolean =
      try {
        loop.execute { () =>
          timer.cancel()
          if (!turn.succeed(place)) leave(place) // cancelled before it was told
        }
        true
      } catch { case Survivable(_) => false }
  }
}

private[host] object EndpointQueue {

  /**
   * Those that can be reached first, and of these the ones with the fewest requests. What they are ordered by is read once
   * of each, as other loops change it: a sort whose comparisons contradict each other throws.
   */
  def inOrder(endpoints: Seq[Endpoint]): List[Endpoint] =
    endpoints.map(e => (e, e.isDown, e.inFlight.get)).sortBy { case (_, isDown, count) => (isDown, count) }
      .map(_._1).toList

  /** All servers that can be reached have as many requests as they accept. */
  object Busy extends RuntimeException("all servers are busy", null, false, false)

  /** How often a waiter looks for servers that are back. */
  private final val LookNanos = 20L * 1000 * 1000

  /** A place that another loop is just returning is waited for even where nobody may wait. */
  private final val LeastNanos = 1000L * 1000
}
