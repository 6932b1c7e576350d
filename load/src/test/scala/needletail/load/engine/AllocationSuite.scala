package needletail.load.engine

import java.lang.management.ManagementFactory

import scala.concurrent.Await
import scala.concurrent.duration._

import com.sun.management.ThreadMXBean

import needletail.http.Response
import needletail.io.Address
import needletail.load.plan.{Kind, Load, LoadPlan, Pause, RequestTemplate}
import needletail.load.result.Interval
import needletail.server.{Log, OverloadConfig, Server, ServerConfig}
import needletail.testing.Suite

/** What requests that are always the same cost in garbage, counted by the JVM itself: no clock, so no noise. */
class AllocationSuite extends Suite {
  override def munitTimeout: Duration = 2.minutes // that of its child program, and more

  // In a JVM of its own each, whose compiler has seen no other use of the JDK's selectors.
  for (load <- AllocationMain.loads.keys.toVector.sorted)
    test(s"$load: no garbage for a request") {
      assertEquals(Child.run(Child.command("needletail.load.engine.AllocationMain", load)), ("none", 0))
    }
}

object AllocationMain {
  private val threads = ManagementFactory.getThreadMXBean.asInstanceOf[ThreadMXBean]

  /** What handing over a second's figures costs, spread over some thousand requests. */
  private final val Bound = 8.0

  private def users(count: Int, pause: Pause, pipelining: Int = 1): String => LoadPlan = url =>
    LoadPlan(
      "x",
      kinds(url),
      Load.Closed(count, None, Some(80.seconds), pause = pause),
      pipelining = pipelining
    )

  private def arrivals(poisson: Boolean): String => LoadPlan = url =>
    LoadPlan("x", kinds(url), Load.Open(Vector(Load.Step(4000, 4000, 80.seconds)), poisson, connections = 50))

  private def kinds(url: String) = Vector(Kind("k", Vector(RequestTemplate("GET", url))))

  val loads: Map[String, String => LoadPlan] = Map(
    "users without a pause" -> users(16, Pause.None),
    "pipelining"            -> users(4, Pause.None, pipelining = 8),
    "users with a pause"    -> users(100, Pause.Normal(2.millis, 1.millis)),
    "constant arrivals"     -> arrivals(poisson = false),
    "arrivals by chance"    -> arrivals(poisson = true)
  )

  /** Bytes that the loops have allocated so far. */
  private def allocated: Long = threads.getAllThreadIds
    .filter(id => Option(threads.getThreadInfo(id)).exists(_.getThreadName.matches("needletail-load-\\d+")))
    .map(threads.getThreadAllocatedBytes)
    .sum

  def main(args: Array[String]): Unit = {
    val config = ServerConfig(
      address = Address.Tcp("127.0.0.1", 0),
      loops = 1,
      log = Log.none,
      overload = OverloadConfig.off
    )
    val server = Server((_: needletail.http.Request) => Response.ok("ok"), config).start()
    var before = 0L
    var least  = Double.MaxValue // for each request, in the second in which it was least

    def watch(interval: Interval): Boolean = {
      val now = allocated
      if (before > 0 && interval.total.good > 0)
        least = math.min(least, (now - before).toDouble / interval.total.good)
      before = now
      least > Bound
    }
    new Engine(
      seed = 1,
      warmUp = Duration.Zero
    ).run(loads(args.mkString(" "))(server.url).copy(loops = 1), watch)
    println(if (least <= Bound) "none" else s"$least bytes for each request")
    Await.ready(server.close(), 20.seconds)
    ()
  }
}
