package needletail.load.engine

import java.util.concurrent.LinkedBlockingQueue

import scala.concurrent.duration._

import needletail.http.Handler
import needletail.io.EventLoops
import needletail.load.engine.compiled.{ExecutablePlan, NameResolver}
import needletail.load.engine.count.{Collector, IntervalBounds, IntervalCounts, WorkerCounts}
import needletail.load.engine.worker.{RunContext, Waker}
import needletail.load.plan.LoadPlan
import needletail.load.result.{Figures, Interval, Lateness, RunResult, SelfFigures}
import needletail.server.{Server, ServerConfig}
import needletail.simulation.world.{FaultRates, World}

/**
 * Loads a server of ours by one loop as the [[Engine]] does, in a simulation: in virtual time, so that other programs on
 * the machine change nothing. Between the two something takes up to some milliseconds each way.
 */
private[engine] final class VirtualEngine(handler: Handler, config: ServerConfig) {
  import VirtualEngine._

  private val world = new World(seed = 1)
  world.faults = FaultRates.none
  private val server = Server(handler, config.copy(blockedLoop = Duration.Zero)).startOn(world.platform)

  def url: String = server.url

  /** The intervals of a run, and how long it took. */
  def run(plan: LoadPlan): Result = {
    val compiled =
      ExecutablePlan.of(plan, new NameResolver).fold(why => throw new AssertionError(why), identity)
    val loops = new EventLoops(1, "load", platform = world.platform)
    val start = world.now + LeadNanos
    val waker = new Waker {
      def at(i: Int, due: Long, next: Long): Unit =
        for (time <- Seq(due, next) if time < Long.MaxValue) world.at(time)(loops(i).wake())
    }
    val slices  = new LinkedBlockingQueue[IntervalCounts]
    val bounds  = new IntervalBounds(WorkerCounts.Second, Engine.changes(plan.load))
    val context = new RunContext(compiled, Vector.empty, 1, start, waker, seed = 1)
    var isOver  = false
    val worker  = Engine.workers(context, Vector(loops(0)), slices, bounds)(() => isOver = true).head
    loops(0).execute(() => worker.begin())
    def tellOfEnd(second: Long): Unit = world.at(second) {
      if (!isOver) {
        loops(0).execute(() => worker.tally.advance(second))
        tellOfEnd(start + bounds.after(second - start))
      }
    }
    tellOfEnd(start + bounds.after(0))
    if (!world.run(1.hour.toNanos)(isOver)) throw new AssertionError("the run has no end")
    val end = world.now
    loops(0).execute { () =>
      worker.stop(end)
      worker.tally.finish(end)
      loops.stop()
    }
    server.close()
    world.pass(1.minute.toNanos)
    val collector = new Collector(compiled.kinds.size, 1, start, bounds, slices, _ => (), () => true, self)
    collector.finish(end, _ => true)
    if (world.findings.nonEmpty) throw new AssertionError(world.findings.mkString("; "))
    val length = Engine.duration(plan.load).fold(end - start)(_.toNanos)
    val run    = RunResult(
      PlanDescription.of(compiled),
      Vector.empty,
      plan.kinds.map(_.name),
      0,
      length / 1000000,
      collector.intervals
    )
    Result(run, (end - start).nanos)
  }

  /** What a run measures of itself, except for what it learns from the system. */
  private def self(sum: IntervalCounts) = SelfFigures(
    due = sum.due,
    users = sum.users,
    open = sum.open,
    opened = sum.opened,
    resent = sum.resent,
    lateness = Lateness.of(sum.lateness),
    cpu = 0,
    busiestLoop = 0,
    machineCpu = -1,
    pauseMillis = 0,
    timeWait = 0,
    listenOverflows = 0
  )
}

private[engine] object VirtualEngine {
  private final val LeadNanos = 20L * 1000 * 1000

  final case class Result(run: RunResult, took: FiniteDuration) {
    def intervals: Vector[Interval] = run.intervals

    def total: Figures = Figures.sum(intervals.flatMap(_.kinds))
  }
}
