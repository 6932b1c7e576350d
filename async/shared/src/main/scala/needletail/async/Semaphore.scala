package needletail.async

import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.duration.FiniteDuration

/**
 * A semaphore for all loops together, with a bounded queue. Threads share it by counters, and by a
 * [[WaitingLine]] where some wait. Entering when there is room allocates nothing and takes no lock.
 *
 * @param atFirst   places, 0 or more; `grow` changes their number
 * @param queue     how many may wait for a place, 0 or more
 * @param queueTime how long each of them waits at most
 */
private[needletail] final class Semaphore(atFirst: Int, queue: Int, queueTime: FiniteDuration) {
  import Semaphore._

  private val size   = new AtomicInteger(atFirst)
  private val free   = new AtomicInteger(atFirst) // negative if places that are taken were removed
  private val queued = new AtomicInteger          // those in `line` that were neither admitted nor have left
  private val line   = new WaitingLine[Waiter]

  /** Places, those taken, and those waiting; not read atomically. From any thread. */
  def places: Int  = size.get
  def inUse: Int   = size.get - free.get
  def waiting: Int = queued.get

  /** Whether another would be refused. From any thread. */
  def isFull: Boolean = free.get <= 0 && queued.get >= queue

  /** Takes a place if one is free now; `leave` returns it. From any thread. */
  def tryEnter(): Boolean = {
    var n = free.get
    while (n > 0 && !free.compareAndSet(n, n - 1)) n = free.get
    n > 0
  }

  /**
   * Returns `Entered`, with a place taken, at once or when one is free; or `Full` or `TooLate`. Cancelling it leaves
   * the queue. To be called on a loop.
   */
  def enter(): Async[Int] =
    if (tryEnter()) entered
    else if (!tryQueue()) full
    else {
      val waiter = new Waiter(this, Loop.current)
      waiter.begin(queueTime)
      line.add(waiter)
      letWaitersIn() // a place may have become free before the waiter was visible
      waiter.turn
    }

  private def tryQueue(): Boolean = {
    var n = queued.get
    while (n < queue && !queued.compareAndSet(n, n + 1)) n = queued.get
    n < queue
  }

  /** Returns a place, or passes it on to the one that has waited longest. From any thread. */
  def leave(): Unit =
    if (!withdraw()) {
      var next = line.poll()
      while (next != null && !admits(next)) next = line.poll()
      if (next == null) {
        free.incrementAndGet()
        letWaitersIn() // another may have begun to wait before the place was visible
      }
    }

  /** Passes a place on to a waiter. False if that has left, or its loop has ended. */
  private def admits(waiter: Waiter): Boolean = waiter.claim() && {
    queued.decrementAndGet()
    waiter.letIn()
  }

  /** If more places are taken than there are, removes the one that is being returned. */
  private def withdraw(): Boolean = {
    var n = free.get
    while (n < 0 && !free.compareAndSet(n, n + 1)) n = free.get
    n < 0
  }

  private def letWaitersIn(): Unit = while (!line.isEmpty && tryEnter()) leave()

  /** Adds places, or removes them if `by` is negative: one that is taken is removed by its `leave`. From any thread. */
  def grow(by: Int): Unit = {
    size.addAndGet(by)
    free.addAndGet(by)
    letWaitersIn()
  }

  /** A waiter stops waiting. It has been claimed, so it got no place. */
  private def gone(waiter: Waiter): Unit = {
    queued.decrementAndGet()
    line.remove(waiter)
  }
}

private[needletail] object Semaphore {
  final val Entered = 0
  final val Full    = 1 // the queue is full
  final val TooLate = 2 // it has waited for too long

  private val entered = Async.value(Entered)
  private val full    = Async.value(Full)

  /** A waiter, on its loop. */
  private final class Waiter(semaphore: Semaphore, loop: Loop) extends WaitingLine.Waiter[Waiter] {
    val turn: AsyncPromise[Int] = new AsyncPromise[Int]
    private var timer: Timer    = null

    def begin(limit: FiniteDuration): Unit = {
      timer = loop.schedule(
        limit.toNanos,
        () =>
          if (claim()) {
            semaphore.gone(this)
            turn.succeed(TooLate)
            ()
          }
      )
      turn.onCancel { () =>
        timer.cancel()
        if (claim()) semaphore.gone(this) // otherwise it was admitted, and `letIn` returns the place
      }
    }

    /** False if its loop has ended. */
    def letIn(): Boolean =
      try {
        loop.execute { () =>
          timer.cancel()
          if (!turn.succeed(Entered)) semaphore.leave() // cancelled before it was told
        }
        true
      } catch { case Survivable(_) => false }
  }
}
