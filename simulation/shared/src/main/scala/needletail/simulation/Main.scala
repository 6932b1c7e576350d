package needletail.simulation

/**
 * Runs simulations: `--seeds N` of them from `--from S` on, of every seed or of every `--every E`-th; or the one of
 * `--seed S` with its trace. With `--first` it stops at the first seed that has a finding.
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
        val first = args.contains("--first")
        val many  = Seeds.run(from, count, Runtime.getRuntime.availableProcessors, step, first)
        many.failed.take(if (first) 1 else 20).foreach(o =>
          println(s"seed ${o.seed}: ${o.findings.mkString("; ")}")
        )
        if (first && many.failed.nonEmpty) println("no seed before it failed; later ones were not run")
        else println(s"${count - many.failed.size} passed, ${many.failed.size} failed")
        if (many.failed.nonEmpty) sys.exit(1)
    }
  }
}
