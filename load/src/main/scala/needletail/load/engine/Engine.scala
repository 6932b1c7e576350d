package needletail.load.engine

import java.net.InetAddress
import java.util.concurrent.atomic.{AtomicInteger, AtomicLong}
import java.util.concurrent.{CountDownLatch, LinkedBlockingQueue}

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.io.EventLoops
import needletail.load.engine.compiled.{ExecutablePlan, NameResolver}
import needletail.load.engine.count.{Collector, IntervalBounds, IntervalCounts, WorkerCounts}
import needletail.load.engine.machine.{MachineProbe, ProcFiles, SelfProbe, TargetProbe}
import needletail.load.engine.worker.{ClosedWorker, OpenWorker, RunContext, Schedule, WakeUpThread, Worker}
import needletail.load.plan.{Load, LoadPlan}
import needletail.load.result.{Interval, Lateness, Openings, RunResult}

/**
 * Generates load with event loops of its own, one for each core, on the client's connections. `run` blocks its caller,
 * on whose thread results are collected. Several runs one after the other are fine; concurrent runs disturb each
 * other.
 *
 * A run ends when each user has made its requests, or when its time is over: then no request is started, and those in
 * flight are waited for, up to their timeout. If `watch` returns false, requests in flight are dropped and not
 * counted, and those that were due and could not be sent count as `Unsent`.
 *
 * A request that crossed with the server's closing of an idle connection is sent once more on a new one; its latency
 * counts from when it was due, and `SelfFigures.resent` counts these requests.
 *
 * @param seed of the random numbers: the same seed results in the same arrivals, pauses and choices
 * @param warmUp how long at most the first run in a process first warms up the virtual machine, with a server of its
 *   own, so that the slow start does not affect results; zero for no warm-up
 * @param isOver whether to end the warm-up early, because the user has interrupted it
 * @param rehearsal called with the intervals of the warm-up, which are shorter than a second: does what `watch` will
 *   do in a run, without output
 * @param names the addresses of servers, shared by all runs
 */
final class Engine(
    seed: Long = System.nanoTime(),
    warmUp: FiniteDuration = Engine.WarmUpTime,
    isOver: () => Boolean = () => false,
    rehearsal: Interval => Unit = _ => (),
    names: NameResolver = new NameResolver
) extends LoadRunner {

  /**
   * Runs a plan.
   *
   * @throws java.lang.IllegalArgumentException for a plan that cannot be run; check it by `PlanCheck.mistake`
   */
  def run(plan: LoadPlan, watch: Interval => Boolean): RunResult =
    ExecutablePlan.of(plan, names) match {
      case Left(mistake)   => throw new IllegalArgumentException(mistake)
      case Right(compiled) =>
        if (warmUp > Duration.Zero)
          WarmUp.once(warmUp, isOver, compiled.targets.exists(_.peer ne null))(p =>
            ExecutablePlan.of(p, names).foreach(run(_, rehearse, WarmUp.IntervalNanos))
          )
        run(compiled, watch, WorkerCounts.Second)
    }

  private def rehearse(interval: Interval): Boolean = {
    rehearsal(interval)
    !isOver()
  }

  private def run(compiled: ExecutablePlan, watch: Interval => Boolean, second: Long): RunResult = {
    val plan    = compiled.plan
    val bare    = MachineProbe.of(compiled.targets)
    val machine = bare.copy(warnings = Preflight.check(plan, bare))
    val target  =
      new TargetProbe(if (bare.sharedWithTarget) MachineProbe.ports(compiled.targets) else Set.empty)
    val sources = plan.sources.map(InetAddress.getByName)
    val count   = Engine.loops(plan)
    val loops   = new EventLoops(count, "needletail-load", daemon = true)
    val all     = Vector.tabulate(count)(loops(_))
    val waker   = new WakeUpThread(all)
    val slices  = new LinkedBlockingQueue[IntervalCounts]
    val busy    = new AtomicInteger(count)
    val loadEnd = new AtomicLong(0)
    val bounds  = new IntervalBounds(second, Engine.changes(plan.load))
    val threads = Array.fill(count)(-1L)
    try {
      val ready = new CountDownLatch(count)
      all.foreach { loop =>
        loop.execute { () =>
          threads(loop.index) = ProcFiles.thisThread
          ready.countDown()
        }
      }
      ready.await()
      val start   = System.nanoTime() + Engine.LeadNanos
      val started = System.currentTimeMillis() + Engine.LeadNanos / 1000000
      val context = new RunContext(compiled, sources, count, start, waker, seed)
      val workers = Engine.workers(context, all, slices, bounds) { () =>
        if (busy.decrementAndGet() == 0) loadEnd.set(System.nanoTime())
      }
      workers.foreach(w => w.loop.execute(() => w.begin()))
      val probe     = new SelfProbe(threads.toVector, target)
      val collector = new Collector(
        compiled.kinds.size,
        count,
        start,
        bounds,
        slices,
        at => workers.foreach(w => w.loop.execute(() => w.tally.advance(at))),
        () => all.forall(_.isAlive),
        sum =>
          probe.sample(
            sum.due,
            sum.users,
            sum.mostUsers,
            sum.open,
            sum.opened,
            sum.resent,
            sum.searched / 1000000,
            Lateness.of(sum.lateness),
            Openings(Lateness.of(sum.connect), Lateness.of(sum.tls), sum.resumed)
          )
      )
      val untilEnd = collector.collect(busy.get == 0, watch)
      val end      = System.nanoTime()
      workers.foreach { w =>
        w.loop.execute { () =>
          w.stop(end)
          w.tally.finish(end)
        }
      }
      collector.finish(end, interval => untilEnd && watch(interval))
      val planned = Engine.duration(plan.load).fold(Long.MaxValue)(_.toNanos)
      val offered = math.min(planned, (if (loadEnd.get == 0) end else loadEnd.get) - start)
      RunResult(
        PlanDescription.of(compiled),
        Vector(machine),
        plan.kinds.map(_.name),
        started,
        math.max(1, offered / 1000000),
        collector.intervals,
        context.reasons.all,
        math.max(0, (context.backlogEnd - start - offered) / 1000000)
      )
    } finally {
      waker.close()
      loops.stop()
      Await.ready(loops.stopped, Engine.StopTime)
      ()
    }
  }
}

object Engine {

  val WarmUpTime: FiniteDuration = 5.seconds

  /** From the creation of loops to the first request, so that all loops begin at the same time. */
  private final val LeadNanos = 20L * 1000 * 1000

  private val StopTime = 10.seconds

  /** How long a plan offers load; None if that depends on the answers. */
  def duration(load: Load): Option[FiniteDuration] = load match {
    case closed: Load.Closed => closed.duration
    case open: Load.Open     => Some(open.steps.map(_.duration).foldLeft(Duration.Zero)(_ + _))
  }

  /**
   * When the ramp and the load end, in nanoseconds since the start, to be an end of intervals. If the answers decide how
   * long the load lasts, the ramp is a part of it.
   */
  private[load] def changes(load: Load): Seq[Long] = {
    val ramp = load match {
      case closed: Load.Closed => closed.ramp.toNanos
      case open: Load.Open     => PlanDescription.ramp(open) * 1000000
    }
    duration(load).fold(Seq.empty[Long])(end => Seq(ramp, end.toNanos))
  }

  /** The number of loops: at most one for each connection. */
  private def loops(plan: LoadPlan): Int = {
    val wanted = if (plan.loops > 0) plan.loops else Runtime.getRuntime.availableProcessors
    plan.load match {
      case open: Load.Open => math.min(wanted, open.connections)
      case _               => wanted
    }
  }

  /** What makes the requests of a run, on its loops; `done` is called once by each. */
  private[engine] def workers(
      run: RunContext,
      loops: Vector[needletail.io.EventLoop],
      slices: LinkedBlockingQueue[IntervalCounts],
      bounds: IntervalBounds
  )(done: () => Unit): Vector[Worker] = {
    val everyone = new AtomicInteger
    def tally    = new WorkerCounts(run.compiled.kinds.size, run.startNanos, slices, bounds, everyone)
    run.compiled.plan.load match {
      case closed: Load.Closed =>
        val users = ClosedWorker.beginnings(run.compiled, closed).zipWithIndex.groupBy(_._2 % run.loops)
        loops.map { loop =>
          val own = users.getOrElse(loop.index, Vector.empty).map(_._1)
          new ClosedWorker(loop.index, loop, run, closed, own, tally, done)
        }
      case open: Load.Open =>
        val schedule = new Schedule(open.steps)
        loops.map(loop => new OpenWorker(loop.index, loop, run, open, schedule, tally, done))
    }
  }
}
