package needletail.load.engine

import scala.concurrent.duration._

import needletail.http.{Handler, Response}
import needletail.io.Address
import needletail.load.plan.{Kind, Load, LoadPlan, RequestTemplate}
import needletail.load.result.{Interval, RunResult}
import needletail.server.{Log, OverloadConfig, RunningServer, ServerConfig, ServerFixture}
import needletail.testing.Suite

/** A server of ours and plans to load it with, for one test. */
trait Serving extends Asking { self: Suite =>
  val ok: Handler = _ => Response.ok("Hello, World!")

  def serverConfig: ServerConfig = ServerConfig(
    address = Address.Tcp("127.0.0.1", 0),
    loops = 1,
    log = Log.none,
    overload = OverloadConfig.off
  )

  def serving[A](handler: Handler, config: ServerConfig = serverConfig)(body: RunningServer => A): A =
    ServerFixture.serving(handler, config)(body)

  /** Outcomes that came, by name. */
  def outcomes(result: RunResult): Map[String, Long] = {
    val total = result.total()
    needletail.load.result.Outcome.all.map(o => o.name -> total.count(o)).filter(_._2 > 0).toMap
  }

  /**
   * Makes an attempt again, for a minute, if a [[bound]] did not hold in it; whatever else fails is not excused. A
   * suite that uses it has `munitTimeout` above that.
   */
  protected def undisturbed(body: => Unit): Unit = {
    val end             = System.nanoTime() + 1.minute.toNanos
    def attempt(): Unit =
      try body
      catch {
        case missed: MissedBound => if (System.nanoTime() - end > 0) fail(missed.getMessage) else attempt()
      }
    attempt()
  }

  /**
   * What holds where the machine has the time for it, so that another program can spoil it. All that holds at any
   * speed, as the number of answers, is asserted.
   */
  protected def bound(holds: Boolean, seen: => Any): Unit =
    if (!holds) throw new MissedBound(s"a bound was missed in each attempt of a minute, at last by $seen")
}

final class MissedBound(message: String) extends Exception(message)

/** Plans and their results; far from every timeout, unless a test is about them. */
trait Asking {
  def get(url: String): RequestTemplate = RequestTemplate("GET", url)

  def kind(url: String, name: String = "one"): Kind = Kind(name, Vector(get(url)))

  def closed(url: String, users: Int, requests: Int): LoadPlan =
    LoadPlan(
      "test",
      Vector(kind(url)),
      Load.Closed(users, Some(requests), None),
      timeout = 20.seconds,
      connectTimeout = 20.seconds,
      loops = 1
    )

  def open(url: String, rate: Double, duration: FiniteDuration): LoadPlan =
    LoadPlan(
      "test",
      Vector(kind(url)),
      Load.Open(Vector(Load.Step(rate, rate, duration))),
      timeout = 20.seconds,
      connectTimeout = 20.seconds,
      loops = 1
    )

  def run(plan: LoadPlan, watch: Interval => Boolean = _ => true): RunResult =
    new Engine(seed = 1, warmUp = Duration.Zero).run(plan, watch)
}
