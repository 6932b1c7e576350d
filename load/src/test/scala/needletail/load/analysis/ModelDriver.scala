package needletail.load.analysis

import java.util.{PriorityQueue, SplittableRandom}

import scala.collection.mutable

import needletail.load.engine.{Engine, LoadRunner, PlanDescription}
import needletail.load.engine.count.IntervalBounds
import needletail.load.plan.{Load, LoadPlan, Pause}
import needletail.load.result._

/**
 * A server of which all is known, in virtual time.
 *
 * @param workers
 *   requests it works at at once; the others wait
 * @param serviceNanos
 *   that each takes
 * @param queue
 *   requests that may wait; the others are answered 503 at once
 * @param errors
 *   share that is answered 500
 * @param stall
 *   from and until when nothing is begun, in nanoseconds of a run
 * @param slowEvery
 *   every so manieth takes a second longer; 0 for none
 * @param refuses
 *   whether it accepts no connection
 */
final case class ModelServer(
    workers: Int = 10,
    serviceNanos: Long = 10000000,
    queue: Int = Int.MaxValue,
    errors: Double = 0,
    stall: (Long, Long) = (0, 0),
    slowEvery: Int = 0,
    refuses: Boolean = false
) {

  /** Answers in a second at most. */
  def capacity: Double = workers * 1e9 / serviceNanos
}

/**
 * Drives a model of a server, without waiting for anything: a run of a minute takes some milliseconds.
 *
 * @param self
 *   what the generator is to have seen of itself, from what a healthy one sees
 * @param ports
 *   connections not kept alive that it may open in a second, before there is no free port
 * @param sendsBacklog
 *   whether it sends what waits for a connection at the load's end; otherwise that counts as unsent
 */
final class ModelDriver(
    var server: ModelServer,
    self: SelfFigures => SelfFigures = identity,
    ports: Double = Double.PositiveInfinity,
    machine: Machine = ModelDriver.machine,
    seed: Long = 1,
    sendsBacklog: Boolean = false
) extends LoadRunner {
  private var clock  = 1700000000000L // of all runs, in milliseconds
  private val random = new SplittableRandom(seed)

  /** Plans that were run. */
  val runs: mutable.ArrayBuffer[LoadPlan] = mutable.ArrayBuffer.empty

  def run(plan: LoadPlan, watch: Interval => Boolean): RunResult = {
    runs += plan
    val result = new Simulation(plan, watch).result
    clock += result.intervals.lastOption.fold(0L)(i => i.startMillis + i.lengthMillis)
    result
  }

  private final class Simulation(plan: LoadPlan, watch: Interval => Boolean) {
    private val second = 1000000000L
    private val bounds = new IntervalBounds(second, Engine.changes(plan.load))

    /** What is to happen, in order of time. */
    private val events = new PriorityQueue[(Long, Long, () => Unit)](
      64,
      (a, b) => {
        val byTime = java.lang.Long.compare(a._1, b._1)
        if (byTime != 0) byTime else java.lang.Long.compare(a._2, b._2)
      }
    )
    private var serial  = 0L
    private var now     = 0L
    private var stopped = false
    private var loadEnd = Long.MaxValue
    private var served  = 0L
    private var busy    = 0
    private var users   = 0
    private var peak    = 0    // of users in the closed model, in the present interval
    private var backlog = 0L   // when nothing waited for a connection any more, after the load's end
    private var current = Vector.fill(plan.kinds.size)(new Figures)
    private var due     = 0L
    private var began   = 0L   // of the present interval
    private var starts  = 0    // users that are still to begin
    private var arrived = true // in the open model: nothing more becomes due
    private var opened  = 0L
    private val done    = Vector.newBuilder[Interval]
    private val waiting = mutable.Queue.empty[() => Unit]
    private val unsent  = mutable.Queue.empty[(Long, () => Unit)]

    private def at(time: Long)(action: => Unit): Unit = {
      serial += 1
      events.add((math.max(time, now), serial, () => action))
      ()
    }

    private def kind(): Int = {
      val weights = plan.kinds.map(_.weight)
      var left    = random.nextDouble() * weights.sum
      val found   = weights.indexWhere { w => left -= w; left < 0 }
      math.max(0, found)
    }

    /** One request, due at a time and sent now. */
    private def ask(kind: Int, due: Long)(ended: => Unit): Unit = {
      val sent = now
      if (!plan.keepAlive) opened += 1
      lazy val figures = current(kind)
      if (server.refuses) at(now + 10000000) {
        current(kind).failed(Outcome.Refused, due, now)
        ended
      }
      else if (!plan.keepAlive && opened > ports) {
        figures.failed(Outcome.NoFreePort, due, now)
        at(now + 1000000)(ended)
      } else if (busy >= server.workers && waiting.size >= server.queue) at(now + 100000) {
        current(kind).answered(Outcome.BadStatus, 503, due, sent, now, 0)
        ended
      }
      else {
        val limit                       = due + plan.timeout.toNanos
        var over                        = false
        def finish(body: => Unit): Unit = if (!over) {
          over = true
          body
          ended
        }
        at(limit)(finish(current(kind).failed(Outcome.TimedOut, due, now)))
        val work = () => {
          busy += 1
          served += 1
          val slow  = if (server.slowEvery > 0 && served % server.slowEvery == 0) second else 0L
          val began = if (now >= server.stall._1 && now < server.stall._2) server.stall._2 else now
          val bad   = random.nextDouble() < server.errors
          at(began + server.serviceNanos) {
            busy -= 1
            if (waiting.nonEmpty) waiting.dequeue().apply()
            at(now + slow)(finish {
              if (bad) current(kind).answered(Outcome.BadStatus, 500, due, sent, now, 10)
              else current(kind).answered(Outcome.Good, 200, due, sent, now, 100)
            })
          }
        }
        if (busy < server.workers) work() else waiting.enqueue(work)
      }
    }

    private def closed(load: Load.Closed): Unit = {
      loadEnd = load.duration.fold(Long.MaxValue)(_.toNanos)
      val own   = plan.kinds.zipWithIndex.flatMap { case (k, i) => Vector.fill(k.users.getOrElse(0))(i) }
      val kinds = if (own.nonEmpty) own else Vector.fill(load.users)(kind())
      starts = kinds.size
      kinds.zipWithIndex.foreach { case (kind, index) =>
        at(load.ramp.toNanos * index / kinds.size) {
          users += 1
          peak = math.max(peak, users)
          starts -= 1
          def turn(left: Int): Unit =
            if (left == 0 || stopped || now >= loadEnd) users -= 1
            else {
              due += 1
              ask(kind, now)(at(now + pause(load.pause))(turn(left - 1)))
            }
          turn(load.requests.getOrElse(Int.MaxValue))
        }
      }
    }

    private def pause(pause: Pause): Long = pause match {
      case Pause.Constant(time)       => time.toNanos
      case Pause.Uniform(least, most) => least.toNanos + (random.nextDouble() * (most - least).toNanos).toLong
      case Pause.Normal(mean, _)      => mean.toNanos
      case Pause.None                 => 0
    }

    private def open(load: Load.Open): Unit = {
      loadEnd = load.steps.map(_.duration.toNanos).sum
      arrived = false
      var connections                        = load.connections
      def send(dueAt: Long, kind: Int): Unit = {
        connections -= 1
        users += 1
        ask(kind, dueAt) {
          connections += 1
          users -= 1
          if (unsent.nonEmpty && (sendsBacklog || now < loadEnd)) {
            unsent.dequeue()._2.apply()
            if (unsent.isEmpty && now >= loadEnd) backlog = now
          }
        }
      }
      def arrive(step: Int, began: Long): Unit = if (step >= load.steps.size || stopped) arrived = true
      else {
        val s    = load.steps(step)
        val part = (now - began).toDouble / s.duration.toNanos
        val rate = s.from + (s.to - s.from) * part
        if (now >= began + s.duration.toNanos) arrive(step + 1, began + s.duration.toNanos)
        else {
          val gap = if (load.poisson) -math.log(1 - random.nextDouble()) else 1.0
          at(now + math.max(1, (gap * 1e9 / math.max(rate, math.max(s.from, s.to) / 20)).toLong)) {
            if (!stopped && now < loadEnd) {
              due += 1
              val dueAt = now
              val which = kind()
              if (connections > 0) send(dueAt, which)
              else unsent.enqueue(dueAt -> (() => send(dueAt, which)))
            }
            arrive(step, began)
          }
        }
      }
      arrive(0, 0)
    }

    /** Ends the seconds that are over at this time. */
    private def endSeconds(until: Long): Unit = while (until >= bounds.after(began) && !finished) {
      close(bounds.after(began))
    }

    private def finished: Boolean = starts == 0 && users == 0 && arrived

    private def close(end: Long): Unit = if (end > began) {
      val healthy = ModelDriver.self.copy(
        due = due,
        users = users,
        open = users,
        opened = opened,
        mostUsers = peak
      )
      val interval = Interval(began / 1000000, math.max(1, (end - began) / 1000000), current, self(healthy))
      done += interval
      began = end
      current = Vector.fill(plan.kinds.size)(new Figures)
      due = 0
      opened = 0
      if (peak > 0) peak = users
      if (!watch(interval) && !stopped) {
        stopped = true
        loadEnd = math.min(loadEnd, end)
      }
    }

    lazy val result: RunResult = {
      val (model, most, rate, ramp) = plan.load match {
        case load: Load.Closed =>
          closed(load)
          ("closed", math.max(load.users, plan.kinds.flatMap(_.users).sum), 0.0, load.ramp.toMillis)
        case load: Load.Open =>
          open(load)
          (
            "open",
            load.connections,
            load.steps.map(s => math.max(s.from, s.to)).max,
            PlanDescription.ramp(load)
          )
      }
      val planned = if (loadEnd == Long.MaxValue) 0 else loadEnd / 1000000
      while (!events.isEmpty && !finished) {
        val (time, _, action) = events.poll()
        endSeconds(time)
        now = time
        action()
      }
      // what was due and found no connection before the end
      unsent.foreach { case (dueAt, _) => current(0).failed(Outcome.Unsent, dueAt, now) }
      endSeconds(math.min(loadEnd, now))
      close(math.max(now, began + (if (current.exists(_.requests > 0)) 1000000 else 0)))
      RunResult(
        PlanSummary(
          plan.name,
          plan.kinds.flatMap(_.requests.map(_.url)).distinct,
          model,
          most,
          rate,
          ramp,
          planned,
          plan.timeout.toMillis,
          plan.keepAlive,
          plan.pipelining,
          Vector.empty
        ),
        Vector(machine),
        plan.kinds.map(_.name),
        clock,
        math.min(loadEnd, math.max(now, 1000000)) / 1000000,
        done.result(),
        backlogMillis = math.max(0, backlog - loadEnd) / 1000000
      )
    }
  }
}

object ModelDriver {

  /** Of a generator in good health. */
  def self: SelfFigures = SelfFigures(0, 0, 0, 0, 0, late(5, 20, 100), 0.1, 0.1, 0.2, 0, 0, 0)

  /** Of a thousand requests, in microseconds: 900 by the first, all but one of the others by the second. */
  def late(p50: Long, p99: Long, most: Long): Lateness = {
    val made = Figures.histogram()
    made.recordValueWithCount(p50 * 1000, 900)
    made.recordValueWithCount(p99 * 1000, 99)
    made.recordValue(most * 1000)
    Lateness.of(made)
  }

  val machine: Machine = Machine(
    host = "model",
    system = "Linux",
    runtime = "Java",
    tool = "needletail-load",
    cores = 4,
    firstPort = 32768,
    lastPort = 60999,
    timeWaitSeconds = 60,
    descriptors = 1024,
    backlog = 4096,
    sharedWithTarget = false,
    warnings = Vector.empty
  )
}
