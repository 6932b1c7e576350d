package needletail.load.engine

import java.util.ArrayDeque

import needletail.io.{EventLoop, TimerNode}
import needletail.load.plan.{Load, Pause}
import needletail.load.result.Outcome

/** A user to be: of that kind, beginning so long after the start. */
private[engine] final case class Beginning(kind: CompiledKind, afterNanos: Long)

/** Users who ask, wait for the answer, pause and ask again; each has connections of its own, as browsers have. */
private[engine] final class ClosedWorker(
    index: Int,
    loop: EventLoop,
    shared: RunContext,
    load: Load.Closed,
    beginnings: Vector[Beginning],
    tally: Tally,
    done: () => Unit
) extends Worker(index, loop, shared, tally, done) {
  private val endNanos = load.duration.fold(Long.MaxValue)(shared.startNanos + _.toNanos)
  private var left     = beginnings.size // users who are there or to come
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

  /** The time is over: whoever pauses asks no more, whoever waits for an answer gets it. */
  private def end(): Unit = {
    isEnding = true
    while (!waiting.isEmpty) waiting.takeDue(waiting.firstDue) match {
      case w: Walker => w.retire()
      case _         => ()
    }
  }

  protected def dropUnsent(now: Long): Unit = ()

  /** Several requests are under way for one user only where they are pipelined: a walker for each. */
  private final class User(val kind: CompiledKind) {
    val walkers: Array[Walker] = Array.fill(plan.pipelining)(new Walker(this))
    val pause: Pause           = kind.plan.pause.getOrElse(load.pause)
    private val places         = new Array[UserSeat](shared.compiled.targets.size)
    private var present        = 0 // walkers who have begun and not retired
    private var active         = walkers.length
    private var quota          = load.requests.getOrElse(Int.MaxValue)

    def arrived(): Unit = {
      if (present == 0) tally.users += 1
      present += 1
    }

    /** May one more request be made? */
    def take(): Boolean = quota > 0 && {
      if (quota != Int.MaxValue) quota -= 1
      true
    }

    def isSpent: Boolean = quota == 0

    def seat(target: Target): UserSeat = {
      var s = places(target.index)
      if (s == null) {
        s = new UserSeat(target)
        places(target.index) = s
      }
      s
    }

    def retired(wasPresent: Boolean): Unit = {
      active -= 1
      if (wasPresent) present -= 1
      if (active == 0) {
        if (wasPresent) tally.users -= 1
        left -= 1
        places.foreach(s => if (s != null) s.close())
        if (left == 0) loop.endOfTurn(() => ClosedWorker.this.run()) // looks whether that was all
      }
    }
  }

  private class Walker(user: User) extends TimerNode {
    private val shot                     = new WalkerShot(this)
    private var request: CompiledRequest =
      null // the one under way or next; null at the beginning of a session
    private var values: Array[String] = null
    private var begun                 = false

    /** It is time to ask. */
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
        shot.set(request, values, due)
        tally.due(1)
        user.seat(request.target).submit(shot, paced)
      }

    def over(now: Long, outcome: Outcome): Unit = {
      request = if (outcome eq Outcome.Good) request.next else null
      if (!plan.keepAlive && shot.seat.isUsable) shot.seat.close()
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

  private final class WalkerShot(walker: Walker) extends Shot(ClosedWorker.this) {
    protected def over(now: Long, outcome: Outcome): Unit = walker.over(now, outcome)
    protected def again(): Unit                           = seat match {
      case s: UserSeat => s.submit(this, paced = false)
      case _           => ()
    }
  }

  private class UserSeat(target: Target) extends Seat(ClosedWorker.this, target) {
    private val queue = new ArrayDeque[Shot](2) // they wait for the connection to stand

    /** @param paced was the request's time set beforehand, so that being late is this machine's doing? */
    def submit(shot: Shot, paced: Boolean): Unit = {
      shot.seat = this
      if (accepts(shot)) {
        connection.send(shot)
        if (paced) tally.late(shot.sentNanos - shot.dueNanos)
      } else {
        queue.add(shot)
        if (!isOpening) open(connectNanos(shot.deadline))
      }
    }

    protected def opened(): Unit = while (!queue.isEmpty && accepts(queue.peek)) connection.send(queue.poll())

    protected def openFailed(outcome: Outcome): Unit = {
      var waiting = queue.size // those who ask again at once wait for the next connection
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
   * A user whose connection failed and who makes no pauses waits so long: else users who are refused would ask as fast
   * as this machine can, and the figures would be of nothing else.
   */
  final val AfterFailure = 10L * 1000 * 1000

  /** Who begins when: kinds mixed evenly, spread over the ramp. */
  def beginnings(compiled: Compiled, load: Load.Closed): Vector[Beginning] = {
    val counts = usersOf(compiled, load)
    val users  = compiled.kinds.zip(counts).flatMap { case (kind, n) =>
      Vector.tabulate(n)(i => ((i + 0.5) / n, kind))
    }
    val sorted = users.sortBy { case (place, kind) => (place, kind.index) }
    sorted.zipWithIndex.map { case ((_, kind), j) =>
      Beginning(kind, (load.ramp.toNanos.toDouble * j / sorted.size).toLong)
    }
  }

  /** Those of kinds that name their own; the rest of all by weight, to the largest remainders. */
  def usersOf(compiled: Compiled, load: Load.Closed): Vector[Int] = {
    val plans  = compiled.kinds.map(_.plan)
    val shared = math.max(0, load.users - plans.flatMap(_.users).sum)
    val total  = plans.filter(_.users.isEmpty).map(_.weight).sum
    val exact  = plans.map(k => k.users.fold(if (total > 0) shared * k.weight / total else 0.0)(_.toDouble))
    val floors = exact.map(_.toInt)
    val rest   =
      if (total > 0) shared - plans.zip(floors).collect { case (k, n) if k.users.isEmpty => n }.sum else 0
    val more = exact.indices.filter(plans(_).users.isEmpty).sortBy(i => floors(i) - exact(i)).take(rest).toSet
    floors.indices.toVector.map(i => floors(i) + (if (more(i)) 1 else 0))
  }
}
