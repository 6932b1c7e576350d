package needletail.load.engine.worker

import java.util.ArrayDeque

import needletail.io.EventLoop
import needletail.async.TimerNode
import needletail.load.engine.compiled.{CompiledKind, CompiledRequest, ExecutablePlan, Target}
import needletail.load.engine.count.WorkerCounts
import needletail.load.plan.{Load, Pause, UserShares}
import needletail.load.result.Outcome

/** A future user: its kind, and when it begins after the start. */
private[engine] final case class Beginning(kind: CompiledKind, afterNanos: Long)

/** Users who send a request, wait for the answer, pause and repeat; each has its own connections, as browsers have. */
private[engine] final class ClosedWorker(
    index: Int,
    loop: EventLoop,
    shared: RunContext,
    load: Load.Closed,
    beginnings: Vector[Beginning],
    tally: WorkerCounts,
    done: () => Unit
) extends Worker(index, loop, shared, tally, done) {
  private val endNanos = load.duration.fold(Long.MaxValue)(shared.startNanos + _.toNanos)
  private var left     = beginnings.size // users who are present or still to begin
  private var isEnding = false

  beginnings.foreach { b =>
    val user = new User(b.kind)
    user.walkers.foreach(waiting.add(_, shared.startNanos + b.afterNanos))
  }

  protected def pace(now: Long): Long = {
    if (!isEnding) {
      fireDue(math.min(now, endNanos - 1))
      if (now >= endNanos) end()
    }
    if (left == 0) {
      finished()
      Long.MaxValue
    } else if (isEnding) Long.MaxValue
    else if (waiting.isEmpty) endNanos
    else math.min(waiting.firstDue, endNanos)
  }

  /** The time is over: pausing users send no more, waiting ones get their answer. */
  private def end(): Unit = {
    tally.advance(endNanos) // until then they were present
    isEnding = true
    while (!waiting.isEmpty) waiting.takeDue(waiting.firstDue) match {
      case w: Walker => w.retire()
      case _         => ()
    }
  }

  protected def dropUnsent(now: Long): Unit = ()

  /** Several requests of one user are in flight only if they are pipelined: a walker for each. */
  private final class User(val kind: CompiledKind) {
    val walkers: Array[Walker] = Array.fill(plan.pipelining)(new Walker(this))
    val pause: Pause           = kind.plan.pause.getOrElse(load.pause)
    private val places         = new Array[UserConnection](shared.compiled.targets.size)
    private var present        = 0 // walkers who have begun and not ended
    private var active         = walkers.length
    private var quota          = load.requests.getOrElse(Int.MaxValue)

    def arrived(): Unit = {
      if (present == 0) tally.userCame()
      present += 1
    }

    /** Whether another request may be made. */
    def take(): Boolean = quota > 0 && {
      if (quota != Int.MaxValue) quota -= 1
      true
    }

    def isSpent: Boolean = quota == 0

    def slot(target: Target): UserConnection = {
      var s = places(target.index)
      if (s == null) {
        s = new UserConnection(target)
        places(target.index) = s
      }
      s
    }

    def retired(wasPresent: Boolean): Unit = {
      active -= 1
      if (wasPresent) present -= 1
      if (active == 0) {
        if (wasPresent) tally.userLeft()
        left -= 1
        // Not when all end: closing many connections at once would delay pending answers.
        if (!isEnding) places.foreach(s => if (s != null) s.close())
        if (left == 0) loop.endOfTurn(() => ClosedWorker.this.run()) // checks whether the run is over
      }
    }
  }

  private class Walker(user: User) extends TimerNode {
    private val exchange                 = new WalkerRequest(this)
    private var request: CompiledRequest =
      null // the current or next one; null at the beginning of a session
    private var values: Array[String] = null
    private var begun                 = false

    /** Sends the next request. */
    private[needletail] def fire(): Unit = {
      if (!begun) {
        begun = true
        user.arrived()
      }
      ask(due, paced = true)
    }

    def ask(due: Long, paced: Boolean): Unit =
      if (!user.take()) retire()
      else {
        if (request == null) {
          request = user.kind.first
          if (!user.kind.isPlain) values = user.kind.newSession(random)
        }
        exchange.set(request, values, due)
        tally.due(due)
        user.slot(request.target).submit(exchange, paced)
      }

    def over(now: Long, outcome: Outcome): Unit = {
      request = if (outcome eq Outcome.Good) request.next else null
      if (!plan.keepAlive && exchange.slot.isUsable) exchange.slot.close()
      if (isEnding || now >= endNanos || user.isSpent) retire()
      else {
        val length = lengthOf(user.pause)
        if (length > 0) fireAt(this, now + length)
        else if (outcome.phase eq needletail.load.result.Phase.Connecting)
          fireAt(this, now + ClosedWorker.AfterFailure)
        else ask(now, paced = false)
      }
    }

    def retire(): Unit = user.retired(begun)
  }

  private final class WalkerRequest(walker: Walker) extends InFlightRequest(ClosedWorker.this) {
    protected def over(now: Long, outcome: Outcome): Unit = walker.over(now, outcome)
    protected def again(): Unit                           = slot match {
      case s: UserConnection => s.submit(this, paced = false)
      case _                 => ()
    }
  }

  private class UserConnection(target: Target) extends LoadConnection(ClosedWorker.this, target) {
    private val queue = new ArrayDeque[InFlightRequest](2) // wait for the connection to be established

    /**
     * Sends a request.
     *
     * @param paced whether its time was set in advance, so that lateness is caused by this machine
     */
    def submit(exchange: InFlightRequest, paced: Boolean): Unit = {
      exchange.slot = this
      if (accepts(exchange)) {
        connection.send(exchange)
        if (paced) tally.late(exchange.sentNanos - exchange.dueNanos)
      } else {
        queue.add(exchange)
        if (!isOpening) open(connectNanos(exchange.deadline))
      }
    }

    protected def opened(): Unit = while (!queue.isEmpty && accepts(queue.peek)) connection.send(queue.poll())

    protected def openFailed(outcome: Outcome): Unit = {
      var waiting = queue.size // requests that are sent again at once wait for the next connection
      while (waiting > 0) {
        waiting -= 1
        queue.poll().fail(outcome)
      }
    }

    protected def lost(): Unit = if (!queue.isEmpty && !isOpening) open(connectNanos(queue.peek.deadline))
  }
}

private[engine] object ClosedWorker {

  /**
   * The wait of a user whose connection failed and who has no pauses: otherwise refused users would send requests as
   * fast as this machine can, which would dominate the results.
   */
  final val AfterFailure = 10L * 1000 * 1000

  /** When users of which kind begin: kinds mixed evenly, spread over the ramp. */
  def beginnings(compiled: ExecutablePlan, load: Load.Closed): Vector[Beginning] = {
    val counts = UserShares.of(compiled.plan.kinds, load)
    val users  = compiled.kinds.zip(counts).flatMap { case (kind, n) =>
      Vector.tabulate(n)(i => ((i + 0.5) / n, kind))
    }
    val sorted = users.sortBy { case (place, kind) => (place, kind.index) }
    sorted.zipWithIndex.map { case ((_, kind), j) =>
      Beginning(kind, (load.ramp.toNanos.toDouble * j / sorted.size).toLong)
    }
  }
}
