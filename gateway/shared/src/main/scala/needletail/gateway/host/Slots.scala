package needletail.gateway.host

import scala.concurrent.duration.FiniteDuration
import scala.util.control.NonFatal

import needletail.async.{Async, Loop, Promise, Timer}

/**
 * A bound on how many of something there are, for all loops together, with a bounded queue. (A route's bulkhead would
 * not do: that ends with the response's head, and a process lives longer.)
 */
private[host] final class Slots(atFirst: Int, queue: Int, queueTime: FiniteDuration) {
  private var most  = atFirst
  private var taken = 0
  private val line  = new java.util.ArrayDeque[Slots.Waiter]

  /** Places taken, and those who wait. From any thread. */
  def inUse: Int   = synchronized(taken)
  def waiting: Int = synchronized(line.size)

  /** Would one more be refused? */
  def isFull: Boolean = synchronized(taken >= most && line.size >= queue)

  /** True with a place taken, at once or when one is free; false where there is none in time. To be called on a loop. */
  def enter(): Async[Boolean] = synchronized {
    if (taken < most) {
      taken += 1
      Slots.yes
    } else if (line.size >= queue) Slots.no
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
  private val yes = Async.value(true)
  private val no  = Async.value(false)

  /** Who takes it out of the line decides for it. */
  private final class Waiter(slots: Slots, loop: Loop) {
    val turn: Promise[Boolean] = new Promise[Boolean]
    private var timer: Timer   = null

    def begin(limit: FiniteDuration): Unit = {
      timer = loop.schedule(limit.toNanos, () => if (slots.remove(this)) { turn.succeed(false); () })
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
          if (!turn.succeed(true)) slots.leave() // cancelled while the news was on its way
        }
      catch { case NonFatal(_) => slots.leave() } // its loop has ended
  }
}
