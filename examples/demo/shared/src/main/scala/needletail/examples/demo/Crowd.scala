package needletail.examples.demo

import java.util.Random

import scala.concurrent.Future
import scala.concurrent.duration._
import scala.util.{Failure, Success, Try}

import needletail.async.Async
import needletail.client.{Call, ClientResponse}
import needletail.io.EventLoop

/**
 * Customers of one kind on one loop. Each sends a request, waits for the answer, pauses for 500 to 1,500 ms, and
 * repeats: a slow store gets fewer requests from them, not more.
 */
private[demo] final class Crowd(loop: EventLoop, call: Call, seed: Long) {
  // used on the loop only
  private val random  = new Random(seed)
  private var wanted  = 0
  private var present = 0
  private var tally   = new Tally

  /**
   * Sets the number of customers, from any thread. New ones begin spread over the time of `ramp`, surplus ones leave
   * after their current request.
   */
  def want(customers: Int, ramp: FiniteDuration): Unit = loop.execute { () =>
    wanted = customers
    while (present < wanted) {
      present += 1
      pause(Duration.Zero, ramp).flatMap(_ => live()).onComplete(_ => present -= 1)
    }
  }

  /** The results since the last call; from any thread. */
  def take(): Future[Tally] = Async.run(loop) {
    val taken = tally
    tally = new Tally
    Async.value(taken)
  }

  private def live(): Async[Unit] =
    if (present > wanted) Async.unit
    else {
      val from = System.nanoTime()
      call.response.transform { answer =>
        record(answer, System.nanoTime() - from)
        pause(Crowd.ShortestPause, Crowd.LongestPause)
      }.flatMap(_ => live())
    }

  private def record(answer: Try[ClientResponse], nanos: Long): Unit = answer match {
    case Success(response) if response.status.code == 200 => tally.succeeded(nanos)
    case Success(response) => tally.failedWith(s"${response.status.code} ${response.text.trim}")
    case Failure(error)    => tally.failedWith(String.valueOf(error.getMessage))
  }

  private def pause(from: FiniteDuration, to: FiniteDuration): Async[Unit] =
    Async.sleep(from + ((to - from).toMicros * random.nextDouble()).toLong.micros)
}

private[demo] object Crowd {
  final val ShortestPause = 500.millis
  final val LongestPause  = 1500.millis
}
