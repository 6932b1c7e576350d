package needletail.testing

import java.util.Random
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.{Await, Future, TimeoutException}
import scala.concurrent.duration._
import scala.util.{Failure, Success, Try}

/** For suites that play with every setting at its smallest value, in random combinations. */
trait TinyLimits { this: Suite =>
  import TinyLimits._

  /** Plays the seeds from 1 to `usual`, or to what the environment variable NEEDLETAIL_SEEDS says. */
  def playSeeds(usual: Int)(play: Long => Unit): Unit = {
    val count = Option(System.getenv("NEEDLETAIL_SEEDS")).fold(usual)(_.toInt)
    for (seed <- 1 to count) play(seed.toLong)
  }

  /** A test that plays those seeds, and fails also if so few succeeded that the settings cannot have been tested. */
  def randomCombinations(usual: Int, outcomes: Outcomes)(play: Long => Unit)(implicit at: Location): Unit =
    test("random combinations") {
      playSeeds(usual)(play)
      outcomes.checkCounts()
    }

  /** Runs each of these on a thread of its own, and fails if one of them throws or finds anything wrong. */
  def atOnce(visitors: Seq[() => Seq[String]], clue: => String)(implicit at: Location): Unit = {
    val wrong   = new ConcurrentLinkedQueue[String]
    val threads = visitors.map { visitor =>
      new Thread(() =>
        try visitor().foreach(wrong.add)
        catch { case e: Throwable => wrong.add(s"$e"); () }
      )
    }
    threads.foreach(_.start())
    threads.foreach(_.join())
    assert(wrong.isEmpty, s"$wrong; $clue")
  }

  /** The same for `count` visitors, each with random numbers of its own. */
  def atOnce(count: Int, random: Random, clue: => String)(visit: Random => Seq[String])(
      implicit at: Location
  ): Unit = atOnce(
    List.fill(count) {
      val own = new Random(random.nextLong())
      () => visit(own)
    },
    clue
  )

  /** Counts what was tried and what succeeded. It may also fail with what `isExpected` says. */
  final class Outcomes(isExpected: Throwable => Boolean) {
    private val tried, succeeded = new AtomicInteger

    /** Awaits the end of one. Returns what is wrong with it: `check` says that of its result, or null. */
    def of[A](name: String, what: Future[A])(check: A => String): Option[String] = {
      tried.incrementAndGet()
      Try(Await.result(what, Limit)) match {
        case Success(result) =>
          val problem = check(result)
          if (problem == null) succeeded.incrementAndGet()
          Option(problem).map(problem => s"$name $problem")
        case Failure(e) if isExpected(e)  => None
        case Failure(_: TimeoutException) => Some(s"$name did not end")
        case Failure(other)               => Some(s"$name failed with $other")
      }
    }

    /** The same for one whose result does not matter. */
    def ofAny(name: String, what: Future[Any]): Option[String] = of(name, what)(_ => null)

    /** Fails if so few succeeded that the settings cannot have been tested. */
    def checkCounts()(implicit at: Location): Unit =
      assert(succeeded.get > tried.get / 10, s"only ${succeeded.get} of ${tried.get} succeeded")
  }
}

object TinyLimits {
  private final val Limit = 20.seconds

  /** Random values of settings. */
  final class Values(random: Random) {
    def one[A](values: A*): A = values(random.nextInt(values.size))

    /** Mostly the usual one: with all limits tiny at once, nothing would get far. */
    def often[A](usual: A, others: A*): A = if (random.nextInt(3) > 0) usual else one(others: _*)

    def time(usual: FiniteDuration): FiniteDuration = often(usual, 1.nano, 1.milli, 20.millis)
  }
}
