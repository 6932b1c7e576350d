package needletail.simulation

import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicLong

import scala.jdk.CollectionConverters._

/** Many simulations, on several threads, each on one. */
object Seeds {

  /** How many simulations a run of the tests makes; fewer on Native, whose tests are linked without optimisation. */
  val usual: Long = if (System.getProperty("java.vm.name") == "Scala Native") 2000 else 20000

  final case class Result(failed: Seq[Simulation.Outcome])

  /** Real time that no simulation needs, even on a busy machine: one that does loops endlessly within a turn. */
  private final val Patience = 120L * 1000 * 1000 * 1000

  /** Runs simulations one after the other. */
  private final class Worker(
      index: Int,
      next: AtomicLong,
      end: Long,
      step: Long,
      stopsAtFirst: Boolean,
      failed: ConcurrentLinkedQueue[Simulation.Outcome]
  ) extends Thread(s"worlds-$index") {
    @volatile var seed  = 0L
    @volatile var begun = System.nanoTime()
    setDaemon(true)

    override def run(): Unit = {
      take()
      while (seed < end) {
        begun = System.nanoTime()
        val outcome = Simulation.run(seed)
        if (outcome.findings.nonEmpty) { failed.add(outcome); () }
        take()
      }
    }

    private def take(): Unit = seed = if (stopsAtFirst && !failed.isEmpty) end else next.getAndAdd(step)
  }

  /**
   * Runs `count` simulations, of every `step`-th seed. Returns early if one does not end, which is a finding; and with
   * `stopsAtFirst` if one has a finding, when all with lower seeds have been run.
   */
  def run(from: Long, count: Long, threads: Int, step: Long = 1, stopsAtFirst: Boolean = false): Result = {
    val next   = new AtomicLong(from)
    val failed = new ConcurrentLinkedQueue[Simulation.Outcome]
    val all    = (1 to threads).map(new Worker(_, next, from + count * step, step, stopsAtFirst, failed))
    all.foreach(_.start())
    var isStuck = false
    while (!isStuck && all.exists(_.isAlive))
      all.foreach { worker =>
        worker.join(500)
        if (worker.isAlive && System.nanoTime() - worker.begun > Patience) {
          isStuck = true
          failed.add(Simulation.Outcome(
            worker.seed,
            Seq("does not come to its end: a turn has none"),
            "",
            ""
          ))
        }
      }
    Result(failed.asScala.toSeq.sortBy(_.seed))
  }
}
