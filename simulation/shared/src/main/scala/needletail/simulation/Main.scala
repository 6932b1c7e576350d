package needletail.simulation

/**
 * Runs simulations: `--seeds N` of them from `--from S` on, of every seed or of every `--every E`-th; or the one of
 * `--seed S` with its trace.
 */
object Main {
  def main(args: Array[String]): Unit = {
    def option(name: String): Option[Long] = {
      val i = args.indexOf(name)
      if (i >= 0 && i + 1 < args.length) args(i + 1).toLongOption else None
    }
    option("--seed") match {
      case Some(seed) =>
        val outcome = Simulation.run(seed, traced = true)
        println(outcome.trace)
        outcome.findings.foreach(println)
        println(s"seed $seed: ${outcome.findings.size} findings, digest ${outcome.digest}")
        if (outcome.findings.nonEmpty) sys.exit(1)
      case None =>
        val from  = option("--from").getOrElse(1L)
        val count = option("--seeds").getOrElse(20000L)
        val step  = option("--every").getOrElse(1L)
        val many  = Seeds.run(from, count, Runtime.getRuntime.availableProcessors, step)
        many.failed.take(20).foreach(o => println(s"seed ${o.seed}: ${o.findings.mkString("; ")}"))
        println(s"${count - many.failed.size} passed, ${many.failed.size} failed")
        if (many.failed.nonEmpty) sys.exit(1)
    }
  }
}
