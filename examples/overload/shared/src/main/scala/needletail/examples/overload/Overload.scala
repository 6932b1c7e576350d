package needletail.examples.overload

import scala.concurrent.duration._

import needletail.async.Async
import needletail.routing._

/** Work for overload tests: processor time, waiting for a service with limited concurrency, and hardly any work. */
final class Overload(workNanos: Long, service: Service) {
  private val spin = Spin.lasting(workNanos)

  val routes: Routes = Routes(
    (GET / "health" to "fine".ok).priority(Priority.Critical),
    GET / "quick" to Overload.done,
    GET / "cpu" to answer(spin.run()),
    (GET / "cpu" / "high" to answer(spin.run())).priority(Priority.High),
    (GET / "cpu" / "low" to answer(spin.run())).priority(Priority.Low),
    GET / "wait" to service.call().map(_ => Overload.done),
    (GET / "wait" / "high" to service.call().map(_ => Overload.done)).priority(Priority.High),
    (GET / "wait" / "few" to service.call().map(_ => Overload.done)).limit(inFlight = 4, queue = 4, 20.millis)
  )

  private def answer(result: Long): Response = if (result == 0) "never".ok else Overload.done
}

object Overload {
  private val done = "done".ok
}

/**
 * Simulates a service with a number of workers, a time for each call, and an unbounded queue: completion times are
 * computed. As in a real one, a call that was cancelled by its caller is still processed.
 */
final class Service(workers: Int, takes: FiniteDuration) {
  private val freeAt =
    Array.fill(workers)(System.nanoTime()) // in the order in which they become free, from `next` on
  private var next = 0

  /** Completes when a worker has processed this call; on any loop. */
  def call(): Async[Unit] = Async.sleep((begin() - System.nanoTime()).max(0L).nanos)

  private def begin(): Long = synchronized {
    val done = Math.max(System.nanoTime(), freeAt(next)) + takes.toNanos
    freeAt(next) = done
    next = (next + 1) % workers
    done
  }
}

/** A fixed amount of work for the processor: a number of steps. */
final class Spin private[overload] (private[overload] val rounds: Long) {
  def run(): Long = Spin.work(rounds)
}

object Spin {
  private val Unit = 10000L

  /** An amount of work that takes that long on this machine when it is undisturbed. */
  def lasting(nanos: Long): Spin = {
    var best = Long.MaxValue
    // until the code is compiled, and some rounds were not disturbed
    val end = System.nanoTime() + 300.millis.toNanos
    while (System.nanoTime() < end) {
      val began = System.nanoTime()
      if (work(Unit) != 0) best = Math.min(best, System.nanoTime() - began)
    }
    new Spin(Math.max(1L, nanos * Unit / best))
  }

  /** A chain of steps, each of which needs the previous one; never 0. */
  private def work(rounds: Long): Long = {
    var x = 88172645463325252L
    var i = 0L
    while (i < rounds) {
      x ^= x << 13
      x ^= x >>> 7
      x ^= x << 17
      i += 1
    }
    x
  }
}
