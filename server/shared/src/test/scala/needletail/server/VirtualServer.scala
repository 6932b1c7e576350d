package needletail.server

import java.util.Random

import scala.collection.mutable

import needletail.async.{Async, AsyncPromise}
import needletail.http.{Gate, Priority, Reply, Response}
import needletail.http.admission.RouteClass
import needletail.http.message.Status
import needletail.io.HandshakeTurns
import needletail.server.clock.Clock
import needletail.server.failure.HandlerFailures
import needletail.server.overload.{AdmissionController, Outcome}

/**
 * One loop with its limiter, in virtual time: requests become readable at their times, each turn handles those that
 * had by its beginning, as a loop with sockets does. Others take the processor when `others` says so.
 *
 * @param others of a moment at which the loop would run: how long others have the processor from then on
 * @param knows what the platform knows of time in which the loop does not run
 */
private[server] final class VirtualServer(
    config: OverloadConfig,
    others: VirtualServer.Others = VirtualServer.alone,
    knows: VirtualServer.Knows = VirtualServer.Knows.Nothing
) {
  import VirtualServer._

  var now: Long      = 1000 * Ms
  private var onCpu  = 0L
  private var waited = 0L
  private var delay  = 0L
  private var turnAt = now
  private var atEnd  = Vector.empty[Runnable]
  private var tickAt = now
  private val coming = mutable.PriorityQueue.empty[Arrival](firstFirst)
  private val timers = mutable.PriorityQueue.empty[Due](firstFirst)
  private var due    = Long.MaxValue
  private var number = 0L
  private val random = new Random(1)
  private val clock  = new Clock {
    def nowMillis: Long               = now / Ms
    def turnNanos: Long               = turnAt
    def nanos: Long                   = now
    override def dueNanos: Long       = due
    override def processorNanos: Long = onCpu
    override def waits: Long          = {
      waitsRead += 1
      if (knows eq Knows.Waits) waited else -1
    }
    override def delayNanos: Long       = if (knows eq Knows.Delay) delay else -1
    def atTurnEnd(task: Runnable): Unit = atEnd :+= task

    override def handshakeNanos: Long       = handshakes.spent
    override def handshakeNanosBefore: Long = handshakes.spentBefore
    override def handshakeNanosLatest: Long = handshakes.spentLatest
  }
  private lazy val handshakes: HandshakeTurns =
    new HandshakeTurns(clock.atTurnEnd(_), () => turnAt, () => now)
  val admission = new AdmissionController(
    clock,
    config.copy(grace = scala.concurrent.duration.Duration.Zero),
    1,
    new HandlerFailures(clock, new LoopCounts, Log.none)
  )

  val answers = mutable.ArrayBuffer.empty[Answer]

  /** How often the loop has asked how often it has waited. */
  var waitsRead = 0L

  def served: Seq[Answer]       = answers.toSeq.filter(_.refusedFor.isEmpty)
  def refused: Seq[Answer]      = answers.toSeq.filterNot(_.refusedFor.isEmpty)
  def refused(p: Priority): Int = refused.count(_.kind.route.priority eq p)
  def reasons: Map[String, Int] = refused.groupBy(_.refusedFor).map { case (why, all) => why -> all.size }
  def forget(): Unit            = answers.clear()
  def workedMillis: Long        = onCpu / Ms

  /** In milliseconds: as long as that or shorter took so many of those that were served. */
  def quantile(share: Double, which: Answer => Boolean = _ => true): Double = {
    val sorted = served.filter(which).map(_.took).sorted
    if (sorted.isEmpty) 0 else sorted((sorted.length * share).toInt.min(sorted.length - 1)) / 1e6
  }
  def p99: Double = quantile(0.99)

  def at(time: Long, kind: Kind, onAnswer: () => Unit = () => ()): Unit = {
    number += 1
    coming.enqueue(new Arrival(time, kind, number, onAnswer))
  }

  /** So many greetings are there, and answering each takes so long; as with a loop, some in each turn. */
  def greetings(count: Int, costMillis: Double, request: Kind = null): Unit =
    for (_ <- 1 to count) handshakes.add(new HandshakeTurns.Member {
      def compute(): Unit = {
        work((costMillis * Ms).toLong)
        if (request ne null) handshakes.aside(() => take(new Arrival(now, request, 0, () => ())))
      }
      private[needletail] def failed(cause: Throwable): Unit = throw cause
    })

  def schedule(time: Long)(run: => Unit): Unit = {
    number += 1
    timers.enqueue(new Due(time, () => run, number))
  }

  /** So many a second for so long, of those kinds in turn. */
  def offer(perSecond: Int, millis: Int, kinds: Kind*): this.type = {
    val gap = 1000 * Ms / perSecond
    (0 until (perSecond.toLong * millis / 1000).toInt).foreach(i =>
      at(now + i * gap, kinds(i % kinds.length))
    )
    run(millis)
  }

  /** So many a second on average, at random moments, for so long, of those kinds at random. */
  def offerAtRandom(perSecond: Int, millis: Int, kinds: Kind*): this.type = {
    var time = now
    val end  = now + millis * Ms
    while (time < end) {
      at(time, kinds(random.nextInt(kinds.length)))
      time += (-Math.log(1 - random.nextDouble()) * 1000 * Ms / perSecond).toLong
    }
    run(millis)
  }

  /** All at once. */
  def burst(count: Int, kind: Kind): this.type = {
    (0 until count).foreach(_ => at(now, kind))
    this
  }

  /** So many who ask again, so much later, when they are answered. */
  def closed(clients: Int, pauseMillis: Double, millis: Int, kind: Kind): this.type = {
    val end                   = now + millis * Ms
    def ask(time: Long): Unit = if (time < end) at(time, kind, () => ask(now + (pauseMillis * Ms).toLong))
    (0 until clients).foreach(i => ask(now + (i * pauseMillis * Ms / clients).toLong))
    run(millis)
  }

  def run(millis: Int): this.type = {
    val end = now + millis * Ms
    while (now < end) {
      if (atEnd.isEmpty) {
        val next = Math.min(if (coming.isEmpty) Long.MaxValue else coming.head.at, nextDue)
        if (next > now) {
          now = Math.min(end, next)
          waited += 1
        }
      }
      if (now < end) turn()
    }
    this
  }

  /** When the first timer is due, or the next tick. */
  private def nextDue: Long = {
    val tick = tickAt + 100 * Ms
    if (timers.isEmpty) tick else Math.min(timers.head.at, tick)
  }

  private def turn(): Unit = {
    due = nextDue
    awaitOthers()
    turnAt = now
    val ready = mutable.ArrayBuffer.empty[Arrival]
    while (coming.nonEmpty && coming.head.at <= turnAt) ready += coming.dequeue()
    work(5000)
    ready.foreach(take)
    while (timers.nonEmpty && timers.head.at <= turnAt) timers.dequeue().run()
    if (turnAt - tickAt >= 100 * Ms) {
      tickAt = turnAt
      admission.tick()
    }
    val tasks = atEnd
    atEnd = Vector.empty
    tasks.foreach(_.run())
  }

  private def awaitOthers(): Unit = {
    val before = now
    now = others.away(now)
    delay += now - before
  }

  /** So much of the processor, as far as others leave it. */
  private def work(nanos: Long): Unit = {
    var left = nanos
    while (left > 0) {
      awaitOthers()
      val piece = Math.min(left, others.until(now) - now)
      now += piece
      onCpu += piece
      left -= piece
    }
  }

  private def handle(kind: Kind): Reply = {
    work(kind.costNanos)
    if (kind.blocksNanos > 0) {
      now += kind.blocksNanos
      waited += 1
    }
    if (kind.service == null) Response.ok else new Reply.Later(kind.service.call(this))
  }

  private def take(arrival: Arrival): Unit = {
    val kind  = arrival.kind
    val route = kind.route
    admission.beginTurn()
    admission.beginRequest()
    work(ReadNanos)
    val gate = admission.enter(route)
    if (gate == null)
      handle(kind) match {
        case _: Response        => admission.answered(200); answered(arrival, "")
        case later: Reply.Later => await(arrival, later, measured = true)
      }
    else if (gate eq Gate.hold)
      await(arrival, admission.later(route, () => handle(kind)).asInstanceOf[Reply.Later], measured = false)
    else answered(arrival, why(gate))
    admission.endTurn()
  }

  private def await(arrival: Arrival, reply: Reply.Later, measured: Boolean): Unit = {
    val state = admission.route
    val began = now
    val own   = admission.begin(state, if (measured) state else null)
    reply.response.foreach { response =>
      val outcome = if (Outcome.isFailure(response)) Outcome.Failed else Outcome.Answered
      if (measured) admission.handled(state, own, began, outcome)
      admission.end(state, response.status.code, began, refused = false)
      answered(arrival, why(response))
    }
  }

  private def answered(arrival: Arrival, refusedFor: String): Unit = {
    answers += new Answer(arrival.kind, arrival.at, now - arrival.at, refusedFor)
    arrival.onAnswer()
  }

  private def why(response: Response): String =
    response.headers.get("Overload-Reason").getOrElse("")
}

private[server] object VirtualServer {
  final val Ms        = 1000L * 1000
  final val ReadNanos = 5000L

  /** A route, what a request of it costs the loop, and what it waits for besides. */
  final class Kind(
      val route: RouteClass,
      val costNanos: Long,
      val service: Service = null,
      val blocksNanos: Long = 0
  )

  def kind(costMillis: Double, priority: Priority = Priority.Normal): Kind =
    new Kind(new RouteClass("GET", "/work", priority), (costMillis * Ms).toLong)

  def asking(service: Service, priority: Priority = Priority.Normal): Kind =
    new Kind(new RouteClass("GET", "/wait", priority), 20000, service)

  /** So many workers, each taking so long for a call, and a queue without bound. */
  final class Service(workers: Int, var takesMillis: Double) {
    private val free   = mutable.PriorityQueue.fill(workers)(0L)(Ordering[Long].reverse)
    private val random = new Random(2)

    /** This share of the calls is answered so soon, without a worker, as from a cache. */
    var quickShare  = 0.0
    var quickMillis = 0.3

    /** This share of the calls fails so long after it began, without a worker. */
    var failing     = 0.0
    var failsMillis = 0.3

    def call(server: VirtualServer): Async[Response] = {
      val promise           = new AsyncPromise[Response]
      val draw              = random.nextDouble()
      val (done, isFailure) =
        if (draw < failing) (server.now + (failsMillis * Ms).toLong, true)
        else if (draw < failing + quickShare) (server.now + (quickMillis * Ms).toLong, false)
        else {
          val end = Math.max(server.now, free.dequeue()) + (takesMillis * Ms).toLong
          free.enqueue(end)
          (end, false)
        }
      server.schedule(done) {
        promise.succeed(if (isFailure) Response(Status.BadGateway) else Response.ok)
        ()
      }
      promise
    }
  }

  /** Something at a moment; of two at the same moment, that with the smaller number comes first. */
  sealed abstract class Timed(val at: Long, val number: Long)

  /** What comes first is the greatest, which a priority queue takes first; compares millions of times. */
  private def firstFirst[A <: Timed]: Ordering[A] = (a, b) => {
    val byTime = java.lang.Long.compare(b.at, a.at)
    if (byTime != 0) byTime else java.lang.Long.compare(b.number, a.number)
  }

  final class Arrival(at: Long, val kind: Kind, number: Long, val onAnswer: () => Unit)
      extends Timed(at, number)
  final class Answer(val kind: Kind, val at: Long, val took: Long, val refusedFor: String)
  private final class Due(at: Long, task: () => Unit, number: Long) extends Timed(at, number) {
    def run(): Unit = task()
  }

  /** What a platform knows: nothing, how often a thread has waited, or for how long it has wanted to run. */
  sealed abstract class Knows
  object Knows {
    case object Nothing extends Knows
    case object Waits   extends Knows
    case object Delay   extends Knows
    val all: List[Knows] = List(Nothing, Waits, Delay)
  }

  /** When other programs have the processor. */
  trait Others {

    /** When the loop runs again that would run at `now`: that, or later. */
    def away(now: Long): Long

    /** Until when it then has the processor. */
    def until(now: Long): Long
  }

  val alone: Others = new Others {
    def away(now: Long): Long  = now
    def until(now: Long): Long = Long.MaxValue
  }

  /** Of each `period` the first `takes` are theirs. */
  def taking(takesMillis: Double, periodMillis: Double): Others = new Others {
    private val takes         = (takesMillis * Ms).toLong
    private val period        = (periodMillis * Ms).toLong
    def away(now: Long): Long = if (now % period < takes) now - now % period + takes else now

    def until(now: Long): Long = now - now % period + period
  }
}
