import java.io.PrintWriter

import sbt._

import scala.concurrent.duration.Duration
import scala.concurrent.{blocking, Await, Future}

/** Runs of a program of tests, beside each other and beside other tasks of this build: they wait most of their time. */
object BackgroundTests {
  import scala.concurrent.ExecutionContext.Implicits.global

  private var running = Seq.empty[(Future[TestCounts], File)]

  /** Begins with these runs of the program. What each prints goes to a file in `folder` with its name. */
  def start(program: Result[File], runs: Seq[TestCounts.Run], folder: File, log: Logger): Unit =
    synchronized {
      IO.delete(folder)
      IO.createDirectory(folder)
      running = runs.map { run =>
        val file   = folder / s"${run.name.replace(' ', '-')}.log"
        val counts = Future(blocking {
          val out = new PrintWriter(file, "UTF-8")
          try TestCounts.of(program, run, line => { out.println(line); out.flush() }, log)
          finally out.close()
        })
        (counts, file)
      }
    }

  def isStarted: Boolean = synchronized(running.nonEmpty)

  /** The sum of the counts of what was started, once it is over; prints the output of each. */
  def counts(): TestCounts = synchronized {
    val all = running.map { case (counts, file) =>
      val count = Await.result(counts, Duration.Inf)
      IO.readLines(file).foreach(println(_))
      count
    }
    running = Nil
    all.reduce(_ + _)
  }
}
