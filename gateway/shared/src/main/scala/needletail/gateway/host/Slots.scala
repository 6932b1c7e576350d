package needletail.gateway.host

import scala.concurrent.duration.FiniteDuration

import needletail.async.{Async, Loop, Promise, Survivable, Timer}

/**
 * A bound on how many of something there are, for all loops together, with a bounded queue. (A route's bulkhead would
 * not do: that ends with the response's head, and a process lives longer.)
 */
private[host] final class Slots(atFirst: Int, queue: Int, queueTime: FiniteDuration) {
  private var most  = atFirst
  private var taken = 0
  private val line  = new java.util.ArrayDeque[Slots.Waiter]

  /** Places, those taken, and those who wait. From any thread. */
  def places: Int  = synchronized(most)
  def inUse: Int   = synchronized(taken)
  def waiting: Int = synchronized(line.size)

  /** Would one more be refused? */
  def isFull: Boolean = synchronized(taken >= most && line.size >= queue)

  /**
   * `Entered`, with a place taken, at once or when one is free; `Full` or `TooLate` where there is none in time. To be
   * called on a loop.
   */
  def enter(): Async[Int] = synchronized {
    if (taken < most) {
      taken += 1
      Slots.entered
    } else if (line.size >= queue) Slots.full
    else {
      val waiter = new Slots.Waiter(this, Loop.current)
      line.add(waiter)
      waiter.begin(queueTime)
      waiter.turn
    }
  }

  /** Gives a place back, or on to whoever has waited longest. From any thread. */
  def leave(): Unit = {
    val next = synchronized {
      val first = if (taken > most) null else line.poll()
      if (first == null) taken -= 1
      first
    }
    if (next != null) next.letIn()
  }

  /** So many places more, or fewer; who has one keeps it. From any thread. */
  def grow(by: Int): Unit = {
    synchronized(most += by)
    var next = nextIn()
    while (next != null) {
      next.letIn()
      next = nextIn()
    }
  }

  private def nextIn(): Slots.Waiter = synchronized {
    val first = if (taken < most) line.poll() else null
    if (first != null) taken += 1
    first
  }

  private def remove(waiter: Slots.Waiter): Boolean = synchronized(line.remove(waiter))
}

private[host] object Slots {
  final val Entered = 0
  final val Full    = 1 // as many wait as may
  final val TooLate = 2 // it has waited for too long

  private val entered = Async.value(Entered)
  private val full    = Async.value(Full)

  /** Who takes it out of the line decides for it. */
  private final class Waiter(slots: Slots, loop: Loop) {
    val turn: Promise[Int]   = new Promise[Int]
    private var timer: Timer = null

    def begin(limit: FiniteDuration): Unit = {
      timer = loop.schedule(limit.toNanos, () => if (slots.remove(this)) { turn.succeed(TooLate); () })
      turn.onCancel { () =>
        timer.cancel()
        slots.remove(this)
        ()
      }
    }

    def letIn(): Unit =
      try
        loop.execute { () =>
          timer.cancel()
          if (!turn.succeed(Entered)) slots.leave() // cancelled while the news was on its way
        }
      catch { case Survivable(_) => slots.leave() } // its loop has ended
  }
}
