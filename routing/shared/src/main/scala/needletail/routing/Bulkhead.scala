package needletail.routing

import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger}

import scala.concurrent.duration.FiniteDuration

import needletail.async.{Async, Loop, Promise, Survivable, Timer}
import needletail.http.{Gate, Refusal, Reply, Response, RouteClass}

/**
 * A bound on how much of one kind may be under way at once, so that a kind that is in trouble takes no room from
 * the others.
 *
 * It is one for all loops: whoever declares fifty gets fifty, however the connections lie. So it is shared between
 * threads, by two counters and a queue without locks; routes without a bulkhead touch none of it.
 */
private[routing] final class Bulkhead(inFlight: Int, queue: Int, queueTime: FiniteDuration) {
  require(inFlight > 0, "a bulkhead must let one request in at least")
  require(queue >= 0, "the length of a bulkhead's queue must not be negative")

  private val free    = new AtomicInteger(inFlight)
  private val waiting = new AtomicInteger // those in `line` that were neither let in nor have left
  private val line    = new ConcurrentLinkedQueue[Bulkhead.Waiter]

  /** Places taken now, for tests. */
  private[routing] def taken: Int  = inFlight - free.get
  private[routing] def queued: Int = waiting.get

  private[routing] def tryEnter(): Boolean = {
    var n = free.get
    while (n > 0 && !free.compareAndSet(n, n - 1)) n = free.get
    n > 0
  }

  /** A place in the queue, on the loop that calls; null where none is left. */
  private[routing] def tryWait(): Bulkhead.Waiter = {
    var n = waiting.get
    while (n < queue && !waiting.compareAndSet(n, n + 1)) n = waiting.get
    if (n >= queue) null
    else {
      val waiter = new Bulkhead.Waiter(this, Loop.current)
      line.add(waiter)
      // a place may have become free before the waiter could be seen
      if (tryEnter()) leave()
      waiter.begin(queueTime)
      waiter
    }
  }

  /** Gives a place back, or on to whoever has waited longest. */
  private[routing] def leave(): Unit = {
    var next = line.poll()
    while (next != null && !next.claim()) next = line.poll()
    if (next != null) {
      waiting.decrementAndGet()
      next.letIn()
    } else {
      free.incrementAndGet()
      // somebody may have begun to wait before that was seen
      if (!line.isEmpty && tryEnter()) leave()
    }
  }

  /** A waiter has lost interest; it is its own that no place was given to it. */
  private[routing] def gone(waiter: Bulkhead.Waiter): Unit = {
    waiting.decrementAndGet()
    line.remove(waiter) // linear in the queue, which is bounded; else those who left would fill it
    ()
  }
}

private[routing] object Bulkhead {

  /** Runs `body` when each of the bulkheads has let it in, and answers for those that do not. */
  def pass(bulkheads: List[Bulkhead], gate: Gate, route: RouteClass, body: () => Reply): Reply =
    bulkheads match {
      case Nil           => body()
      case first :: more =>
        if (first.tryEnter()) run(first, () => pass(more, gate, route, body))
        else {
          val waiter = first.tryWait()
          if (waiter == null) refuse(gate, route, Refusal.Bulkhead)
          else
            new Reply.Later(waiter.turn.flatMap { letIn =>
              if (letIn) async(run(first, () => pass(more, gate, route, body)))
              else Async.value(refuse(gate, route, Refusal.QueueTime))
            })
        }
    }

  /** With a place taken: gives it back when there is a response, a failure, or nobody waits any more. */
  private def run(bulkhead: Bulkhead, body: () => Reply): Reply = {
    val reply =
      try body()
      catch { case e: Throwable => bulkhead.leave(); throw e }
    reply match {
      case later: Reply.Later => new Reply.Later(later.response.andFinally(bulkhead.leave()))
      case response           =>
        bulkhead.leave()
        response
    }
  }

  private def async(reply: Reply): Async[Response] = reply match {
    case response: Response => Async.value(response)
    case later: Reply.Later => later.response
  }

  private def refuse(gate: Gate, route: RouteClass, reason: Int): Response =
    if (gate == null) Refusal.response(reason) else gate.refused(route, reason)

  /**
   * One who waits, on its loop: `turn` becomes true when it is let in, false when its time is over. Whoever
   * claims it first, the one who lets it in (on any thread) or the one that gives up (on its loop), decides.
   */
  final class Waiter(bulkhead: Bulkhead, loop: Loop) extends AtomicBoolean(false) {
    val turn: Promise[Boolean] = new Promise[Boolean]
    private var timer: Timer   = null
    private val gaveBack       = new AtomicBoolean

    def claim(): Boolean = compareAndSet(false, true)

    def begin(limit: FiniteDuration): Unit = {
      timer = loop.schedule(limit.toNanos, () => giveUp())
      turn.onCancel { () =>
        timer.cancel()
        // let in already, and the news is still on its way: the place goes to the next one
        if (claim()) bulkhead.gone(this) else giveBack()
      }
    }

    private def giveUp(): Unit = if (claim()) {
      bulkhead.gone(this)
      turn.succeed(false)
      ()
    }

    def letIn(): Unit =
      try
        loop.execute { () =>
          if (timer != null) timer.cancel()
          turn.succeed(true) // false where it was cancelled: then the hook has given the place back
          ()
        }
      catch { case Survivable(_) => giveBack() } // its loop has ended

    private def giveBack(): Unit = if (gaveBack.compareAndSet(false, true)) bulkhead.leave()
  }
}
