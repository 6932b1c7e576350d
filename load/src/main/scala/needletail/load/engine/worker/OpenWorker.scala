package needletail.load.engine.worker

import java.util.ArrayDeque

import needletail.io.EventLoop
import needletail.async.TimerNode
import needletail.load.engine.compiled.{CompiledKind, CompiledRequest, Target}
import needletail.load.engine.count.WorkerCounts
import needletail.load.plan.{Load, Pause}
import needletail.load.result.Outcome

/**
 * Arrivals at scheduled times, independent of the server. A request takes a free connection. If there is none it waits,
 * in the order of due times, and another connection is opened if allowed: see `OpenWorker.MostHandshakes`.
 */
private[engine] final class OpenWorker(
    index: Int,
    loop: EventLoop,
    shared: RunContext,
    load: Load.Open,
    schedule: Schedule,
    tally: WorkerCounts,
    done: () => Unit
) extends Worker(index, loop, shared, tally, done) {
  private val arrivals = new Arrivals(schedule, load.poisson, index, shared.loops, random.split())
  private val endNanos = shared.startNanos + schedule.length
  private val choice   = new KindChoice(shared.compiled.kinds, load.poisson)
  private val limit    = OpenWorker.share(load.connections, shared.loops, index)
  private val pools    = shared.compiled.targets.map { t =>
    new ConnectionPool(t, math.max(1, OpenWorker.share(limit, shared.compiled.targets.size, t.index)))
  }.toArray
  private var isEnding = false

  protected def pace(now: Long): Long = {
    var due = dueOf(arrivals.next)
    while (due <= now) {
      arrive(due)
      arrivals.advance()
      due = dueOf(arrivals.next)
    }
    fireDue(now)
    if (now >= endNanos && !isEnding) end()
    var next = if (isEnding) Long.MaxValue else math.min(due, endNanos)
    if (!waiting.isEmpty) next = math.min(next, waiting.firstDue)
    var isIdle = isEnding
    var i      = 0
    while (i < pools.length) {
      next = math.min(next, pools(i).expire(now))
      pools(i).grow()
      isIdle = isIdle && pools(i).isIdle
      i += 1
    }
    if (isIdle) finished()
    next
  }

  override protected def paceAfterNext: Long = if (isEnding) Long.MaxValue else dueOf(arrivals.afterNext)

  private def dueOf(afterStart: Long): Long =
    if (afterStart == Long.MaxValue) Long.MaxValue else shared.startNanos + afterStart

  private def arrive(due: Long): Unit = {
    val kind = choice.next(random)
    submit(kind.first, if (kind.isPlain) null else kind.newSession(random), due, paced = true)
  }

  /**
   * Sends a request.
   *
   * @param paced whether its time was set in advance, so that lateness is caused by this machine
   */
  private def submit(request: CompiledRequest, session: Array[String], due: Long, paced: Boolean): Unit = {
    tally.due(due)
    pools(request.target.index).submit(request, session, due, paced)
  }

  /** The load ends: sessions end where they are. */
  private def end(): Unit = {
    isEnding = true
    while (!waiting.isEmpty) waiting.takeDue(waiting.firstDue)
  }

  protected def dropUnsent(now: Long): Unit = pools.foreach(_.dropAll(now))

  /** Continues a session after an answer. */
  private def goOn(exchange: InFlightRequest, now: Long): Unit = {
    val next = exchange.current.next
    if (next != null && !isEnding && now < endNanos) {
      val session = exchange.session
      val length  = lengthOf(shared.compiled.kinds(next.kind).plan.pause.getOrElse(Pause.None))
      if (length <= 0) submit(next, session, now, paced = false)
      else fireAt(new Later(next, session), now + length)
    }
  }

  private final class Later(request: CompiledRequest, session: Array[String]) extends TimerNode {
    private[needletail] def fire(): Unit = submit(request, session, due, paced = true)
  }

  /** The connections to one server. */
  private final class ConnectionPool(val target: Target, limit: Int) {
    private val free =
      new ArrayDeque[PooledConnection] // with room for a request; the one used last is on top
    private val queue       = new ArrivalQueue
    private var links       = 0 // open or being opened
    private var opening     = 0
    private val mostOpening =
      if (target.peer != null && plan.keepAlive) OpenWorker.MostHandshakes else Int.MaxValue
    private var underWay     = 0
    private var isInGrow     = false
    private var typicalNanos = 0L // from a request's being sent to the end of its answer

    def isIdle: Boolean = queue.isEmpty && underWay == 0

    def submit(request: CompiledRequest, session: Array[String], due: Long, paced: Boolean): Unit = {
      val link = if (queue.isEmpty) takeFree() else null
      if (link != null) {
        val exchange = link.send(request, session, due)
        if (paced) tally.late(exchange.sentNanos - due)
      } else {
        if (paced) tally.late(loop.clockNanos - due)
        queue.add(request, session, due)
        grow()
      }
    }

    private def takeFree(): PooledConnection = {
      var found: PooledConnection = null
      while (found == null && !free.isEmpty) {
        val link = free.peekLast
        if (link.hasRoom) found = link
        else {
          free.pollLast()
          link.isFree = false
        }
      }
      found
    }

    /** Opens connections for waiting requests. Not reentrant, as opening may fail at once. */
    def grow(): Unit = if (!isInGrow && !isStopped) {
      isInGrow = true
      while (links < limit && opening < queue.size && opening < mostOpening) {
        links += 1
        opening += 1
        new PooledConnection(this).open(connectNanos(queue.due + timeoutNanos))
      }
      isInGrow = false
    }

    /**
     * Fails requests that have waited too long. Those that waited for connections in use count as unsent if answers come
     * quickly: more connections would have carried them. Returns when the next one will have waited too long.
     */
    def expire(now: Long): Long = {
      while (!queue.isEmpty && queue.due + timeoutNanos <= now) {
        if (links - opening >= limit && answersQuickly) unsent(now)
        else {
          tally.failed(queue.request.kind, Outcome.TimedOut, queue.due, now)
          leave(now)
        }
      }
      if (queue.isEmpty) Long.MaxValue else queue.due + timeoutNanos
    }

    def dropAll(now: Long): Unit = while (!queue.isEmpty) unsent(now)

    private def unsent(now: Long): Unit = {
      tally.failed(queue.request.kind, Outcome.Unsent, queue.due, now)
      leave(now)
    }

    /** The first waits no more. */
    private def leave(now: Long): Unit = {
      queue.drop()
      if (isEnding && queue.isEmpty) shared.backlogOver(now)
    }

    /**
     * Whether the next request has waited for a connection for so long that its answer would come too late, though
     * answers take a quarter of the timeout at most. It would only keep a connection from those that can be answered,
     * and close it in the end, so that none would be.
     */
    private def isTooLate(now: Long): Boolean =
      answersQuickly && queue.due + timeoutNanos - now < 2 * typicalNanos

    private def answersQuickly: Boolean = typicalNanos > 0 && typicalNanos <= timeoutNanos / 4

    /** A good answer came; how long answers take is a moving average. */
    def answeredIn(nanos: Long): Unit =
      typicalNanos = if (typicalNanos == 0) nanos else typicalNanos + (nanos - typicalNanos) / 8

    def began(): Unit = {
      underWay += 1
      tally.users += 1
    }

    def ended(): Unit = {
      underWay -= 1
      tally.users -= 1
      if (isEnding) lookAgain()
    }

    /** A connection has room: for waiting requests, otherwise for later ones. */
    def hasRoom(link: PooledConnection): Unit = {
      while (!queue.isEmpty && link.hasRoom) {
        val now = loop.clockNanos
        if (isTooLate(now)) unsent(now)
        else {
          link.send(queue.request, queue.session, queue.due)
          leave(now)
        }
      }
      if (link.hasRoom && !link.isFree) {
        link.isFree = true
        free.addLast(link)
      }
    }

    def opened(link: PooledConnection): Unit = {
      opening -= 1
      hasRoom(link)
    }

    def openFailed(outcome: Outcome): Unit = {
      opening -= 1
      links -= 1
      if (!queue.isEmpty) {
        val now = loop.clockNanos
        tally.failed(queue.request.kind, outcome, queue.due, now)
        leave(now)
        if (isEnding) lookAgain()
      }
      grow()
    }

    /** Another one is opened in the next turn, not in this: the closed one returns its descriptor in between. */
    def lost(): Unit = {
      links -= 1
      if (!queue.isEmpty) lookAgain()
    }
  }

  /** Checks at the end of this turn whether there is work left, and whether the run is over. */
  private def lookAgain(): Unit = loop.endOfTurn(this)

  private final class PooledConnection(pool: ConnectionPool)
      extends LoadConnection(OpenWorker.this, pool.target) {
    private val idle = new ArrayDeque[PooledRequest](2) // to be reused
    var isFree       = false                            // whether it is among its pool's free ones

    def hasRoom: Boolean = isUsable && connection.underWay < plan.pipelining

    def send(request: CompiledRequest, session: Array[String], due: Long): InFlightRequest = {
      var exchange = idle.pollLast()
      if (exchange == null) exchange = new PooledRequest(this, pool)
      exchange.set(request, session, due)
      exchange.slot = this
      pool.began()
      connection.send(exchange)
      exchange
    }

    def back(exchange: PooledRequest): Unit = {
      idle.addLast(exchange)
      if (isUsable)
        if (plan.keepAlive) pool.hasRoom(this) else close()
    }

    protected def opened(): Unit                     = pool.opened(this)
    protected def openFailed(outcome: Outcome): Unit = pool.openFailed(outcome)
    protected def lost(): Unit                       = pool.lost()
  }

  private final class PooledRequest(link: PooledConnection, pool: ConnectionPool)
      extends InFlightRequest(OpenWorker.this) {
    protected def over(now: Long, outcome: Outcome): Unit = {
      pool.ended()
      if (outcome eq Outcome.Good) {
        pool.answeredIn(now - sentNanos)
        link.shareSession()
        goOn(this, now)
      }
      link.back(this)
    }

    /** Waits again, with its original due time: it is not another arrival. */
    protected def again(): Unit = {
      pool.ended()
      pool.submit(current, session, dueNanos, paced = false)
      link.back(this)
    }
  }
}

private[engine] object OpenWorker {

  /**
   * TLS handshakes that a loop has under way at a time with one server. Their computations, a millisecond or more each,
   * are made on the loop: hundreds at once would keep it, and the server, from requests, which then wait as well and have
   * still more connections opened. So few are over within some hundredths of a second, and connections that are open take
   * the waiting requests meanwhile. Where each request has a connection of its own, handshakes are the load.
   */
  final val MostHandshakes = 16

  /** The share of part `index` of `whole` divided into `parts`. */
  def share(whole: Int, parts: Int, index: Int): Int = whole / parts + (if (index < whole % parts) 1 else 0)
}

/** Which kind comes next: at random if arrivals are random, otherwise so that the shares are exact at any time. */
private[engine] final class KindChoice(kinds: Vector[CompiledKind], byChance: Boolean) {
  private val all     = kinds.toArray
  private val weights = all.map(_.plan.weight)
  private val total   = weights.sum
  private val credit  = new Array[Double](all.length)

  def next(random: java.util.SplittableRandom): CompiledKind =
    if (all.length == 1) all(0) else all(if (byChance) drawn(random.nextDouble() * total) else turn())

  private def drawn(place: Double): Int = {
    var rest = place
    var i    = 0
    while (i < all.length - 1 && rest >= weights(i)) {
      rest -= weights(i)
      i += 1
    }
    i
  }

  /** Smooth weighted round-robin: each gains its weight, the one with the most pays the sum. */
  private def turn(): Int = {
    var best = 0
    var i    = 0
    while (i < all.length) {
      credit(i) += weights(i)
      if (credit(i) > credit(best)) best = i
      i += 1
    }
    credit(best) -= total
    best
  }
}
