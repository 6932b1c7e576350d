package needletail.routing.internal.table

import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger}

import scala.concurrent.duration.FiniteDuration

import needletail.async.{Async, AsyncPromise, Loop, Setting, Survivable, Timer, WaitingLine}
import needletail.http.{Gate, Refusal, Reply, Request, Response}
import needletail.http.admission.RouteClass

/**
 * Limits how many requests of one kind are in flight at once, so that a kind that has become slow takes no room from
 * the others.
 *
 * One bulkhead serves all loops: a limit of fifty is fifty in all, however the connections are distributed. So it is
 * shared between threads, by two counters, and by a [[needletail.async.WaitingLine]] where some wait; routes without a
 * bulkhead use none of it.
 */
private[routing] final class Bulkhead(inFlight: Int, queue: Int, queueTime: FiniteDuration) {
  private def check(): Unit = {
    val is = Setting("Routes.limit")
    is.positive("inFlight", inFlight)
    is.notNegative("queue", queue)
    is.notNegative("queueTime", queueTime)
  }
  check()

  private val free    = new AtomicInteger(inFlight)
  private val waiting = new AtomicInteger // those in `line` that were neither admitted nor have left
  private val line    = new WaitingLine[Bulkhead.Waiter]

  /** Places taken now, for tests. */
  private[routing] def taken: Int  = inFlight - free.get
  private[routing] def queued: Int = waiting.get

  private[routing] def tryEnter(): Boolean = {
    var n = free.get
    while (n > 0 && !free.compareAndSet(n, n - 1)) n = free.get
    n > 0
  }

  /** A place in the queue, on the calling loop; null if it is full. */
  private[routing] def tryWait(): Bulkhead.Waiter = {
    var n = waiting.get
    while (n < queue && !waiting.compareAndSet(n, n + 1)) n = waiting.get
    if (n >= queue) null
    else {
      val waiter = new Bulkhead.Waiter(this, Loop.current)
      line.add(waiter)
      // a place may have become free before the waiter was visible
      if (tryEnter()) leave()
      waiter.begin(queueTime)
      waiter
    }
  }

  /** Returns a place, or passes it on to the one that has waited longest. */
  private[routing] def leave(): Unit = {
    var next = line.poll()
    while (next != null && !next.claim()) next = line.poll()
    if (next != null) {
      waiting.decrementAndGet()
      next.letIn()
    } else {
      free.incrementAndGet()
      // another may have begun to wait before the place was visible
      if (!line.isEmpty && tryEnter()) leave()
    }
  }

  /** A waiter has stopped waiting. It got no place, because it claimed itself first. */
  private[routing] def gone(waiter: Bulkhead.Waiter): Unit = {
    waiting.decrementAndGet()
    line.remove(waiter)
  }
}

private[routing] object Bulkhead {

  /**
   * Runs `body` when all bulkheads have admitted it; otherwise returns the refusal.
   *
   * @param gate what the request has asked at first; null if nothing else limits it
   */
  def pass(
      bulkheads: List[Bulkhead],
      request: Request,
      gate: Gate,
      route: RouteClass,
      body: () => Reply
  ): Reply =
    new Passage(request, gate, route, body).pass(bulkheads)

  /** A request on its way through the bulkheads of its route. */
  private final class Passage(request: Request, gate: Gate, route: RouteClass, body: () => Reply) {
    private var hasWaited = request.gate ne gate // for the gate

    def pass(bulkheads: List[Bulkhead]): Reply = bulkheads match {
      case Nil           => body()
      case first :: more =>
        if (first.tryEnter()) run(first, () => pass(more))
        else {
          val waiter = first.tryWait()
          if (waiter == null) refuse(Refusal.Bulkhead)
          else {
            if (request.gate != null) request.gate.waits()
            waiter.turn.onCancel(() => leave())
            new Reply.Later(waiter.turn.flatMap { letIn =>
              hasWaited = true
              if (letIn) async(run(first, () => goOn(more)))
              else {
                leave()
                Async.value(refuse(Refusal.QueueTime))
              }
            })
          }
        }
    }

    private def goOn(more: List[Bulkhead]): Reply = {
      if (request.gate != null) request.gate.goesOn()
      pass(more)
    }

    /** It has waited in vain: what its handler does from now on is not done by this route. */
    private def leave(): Unit = if (request.gate != null) request.gate.leaves(route)

    /** If it has waited, nothing else notes that it was refused, and a wrapper may make another response of it. */
    private def refuse(reason: Int): Response = {
      if (hasWaited) request.shared.wasRefused = true
      if (gate == null) Refusal.response(reason) else gate.refused(route, reason)
    }
  }

  /** Runs with a place taken, and returns it when there is a response or a failure, or when nothing waits any more. */
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

  /** A waiter, on its loop: `turn` becomes true when it is admitted, false when its time is over. */
  final class Waiter(bulkhead: Bulkhead, loop: Loop) extends WaitingLine.Waiter[Waiter] {
    val turn: AsyncPromise[Boolean] = new AsyncPromise[Boolean]
    private var timer: Timer        = null
    private val gaveBack            = new AtomicBoolean

    def begin(limit: FiniteDuration): Unit = {
      timer = loop.schedule(limit.toNanos, () => giveUp())
      turn.onCancel { () =>
        timer.cancel()
        // admitted but not notified yet: the place goes to the next one
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
          turn.succeed(true) // false if it was cancelled: then the hook has returned the place
          ()
        }
      catch { case Survivable(_) => giveBack() } // its loop has ended

    private def giveBack(): Unit = if (gaveBack.compareAndSet(false, true)) bulkhead.leave()
  }
}
