import java.io.PrintWriter

import sbt._

import scala.concurrent.duration.Duration
import scala.concurrent.{blocking, Await, Future}

/** Tests of one program that run beside other tasks of this build: they wait most of their time. */
object BackgroundTests {
  import scala.concurrent.ExecutionContext.Implicits.global

  private var running = Option.empty[(Future[TestCounts], File)]

  /** Begins with these runs of the program. What they print goes to `file`. */
  def start(program: Result[File], runs: Seq[TestCounts.Run], file: File, log: Logger): Unit = synchronized {
    IO.createDirectory(file.getParentFile)
    val counts = Future(blocking {
      val out = new PrintWriter(file, "UTF-8")
      try TestCounts.of(program, runs, line => { out.println(line); out.flush() }, log)
      finally out.close()
    })
    running = Some((counts, file))
  }

  /** The counts of what was started, once it is over; prints its output. None if nothing was. */
  def started: Option[TestCounts] = synchronized {
    val counts = running.map { case (counts, file) =>
      val sum = Await.result(counts, Duration.Inf)
      IO.readLines(file).foreach(println(_))
      sum
    }
    running = None
    counts
  }
}
