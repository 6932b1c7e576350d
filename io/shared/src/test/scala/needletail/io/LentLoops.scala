package needletail.io

import java.util.Random

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.async.Async
import needletail.testing.{Location, Suite}

/** Event loops that a test lends to what it tests. */
trait LentLoops { this: Suite =>

  /** Half of the time some to lend, null otherwise: then what is tested has its own. */
  def sometimesLent(random: Random, count: Int): EventLoops =
    if (random.nextBoolean()) new EventLoops(count, "lent", daemon = true) else null

  /** Ends lent loops, null for none, which must hold nothing any more. */
  def endLent(lent: EventLoops, clue: => String)(implicit at: Location): Unit = if (lent != null) {
    for (i <- 0 until lent.size)
      eventually(
        Await.result(Async.run(lent(i))(Async.value(lent(i).memory.held)), 20.seconds) == 0,
        s"memory is held; $clue"
      )
    lent.stop()
    Await.result(lent.stopped, 20.seconds)
  }
}
