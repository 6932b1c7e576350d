package needletail.simulation

import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicLong

import scala.jdk.CollectionConverters._

/** Many worlds, on several threads, each world on one. */
object Seeds {

  /** How many worlds a run of the tests makes; natively fewer, as its tests are linked without optimisation. */
  val usual: Long = if (System.getProperty("java.vm.name") == "Scala Native") 2000 else 20000

  final case class Result(failed: Seq[Simulation.Outcome])

  def run(from: Long, count: Long, threads: Int): Result = {
    val next   = new AtomicLong(from)
    val failed = new ConcurrentLinkedQueue[Simulation.Outcome]
    val all    = (1 to threads).map { i =>
      val thread = new Thread(
        () => {
          var seed = next.getAndIncrement()
          while (seed < from + count) {
            val outcome = Simulation.run(seed)
            if (outcome.findings.nonEmpty) { failed.add(outcome); () }
            seed = next.getAndIncrement()
          }
        },
        s"worlds-$i"
      )
      thread.start()
      thread
    }
    all.foreach(_.join())
    Result(failed.asScala.toSeq.sortBy(_.seed))
  }
}
