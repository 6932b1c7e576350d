package needletail.load.engine

import java.util.concurrent.atomic.AtomicLong

import scala.concurrent.duration._

import needletail.async.{Async, Loop}
import needletail.http.{Handler, Reply, Response, Status}

/**
 * Servers whose figures are known beforehand, so that what was measured can be compared. Each is a handler for one
 * loop. Delays are kept to a millisecond, which is what a loop's timers are rounded up to.
 */
object KnownServer {
  private val ok = Response.ok("ok")

  private def now: Long = Loop.nanoTime()

  private def after(delay: FiniteDuration): Reply =
    if (delay <= Duration.Zero) ok else Async.sleep(delay).map(_ => ok)

  /** Each answer takes as long. */
  def delayed(delay: FiniteDuration): Handler = _ => after(delay)

  /** Each `every`-th answer takes as long, the others come at once. */
  def sometimesLate(every: Int, delay: FiniteDuration): Handler = {
    val count = new AtomicLong
    _ => if (count.incrementAndGet() % every == 0) after(delay) else ok
  }

  /** Between these times after the first request nothing is answered; then all that waited is. */
  def stalling(from: FiniteDuration, length: FiniteDuration): Handler = {
    val start = new AtomicLong
    _ => {
      val present = now
      start.compareAndSet(0, present)
      val at = (present - start.get).nanos
      after(if (at >= from && at < from + length) from + length - at else Duration.Zero)
    }
  }

  /** Answers so many in a second one after the other; more than `queue` waiting are refused with 503 at once. */
  def limited(perSecond: Double, queue: Int): Handler = {
    val each   = (1e9 / perSecond).toLong
    var freeAt = Long.MinValue // one loop only
    _ => {
      val now = this.now
      if (freeAt > now + queue * each) Response(Status.ServiceUnavailable)
      else {
        freeAt = math.max(now, freeAt) + each
        after((freeAt - now).nanos)
      }
    }
  }

  /** Each `every`-th answer is a 500. */
  def failing(every: Int): Handler = {
    val count = new AtomicLong
    _ => if (count.incrementAndGet() % every == 0) Response(Status.InternalServerError) else ok
  }
}
