package needletail.load.engine

import scala.concurrent.duration._

import needletail.load.plan.{Kind, Load, LoadPlan, RequestTemplate}
import needletail.load.result.Outcome
import needletail.testing.Suite

/**
 * A throughput that goes up and then down for no reason that the server knows: the client has no local ports left. Needs
 * a network of its own, which only an administrator of Linux can make; skipped where that is not so.
 */
class PortsSuite extends Suite {
  override def munitTimeout: Duration = 2.minutes // that of its child program, and more

  private val inOwnNetwork =
    "ip link set lo up && echo '40000 40199' > /proc/sys/net/ipv4/ip_local_port_range && " +
      "echo 0 > /proc/sys/net/ipv4/tcp_tw_reuse"

  private def own(script: String): Vector[String] =
    Vector("unshare", "--net", "sh", "-c", s"$inOwnNetwork && $script")

  private def isPossible: Boolean =
    try new ProcessBuilder(own("true"): _*).redirectErrorStream(true).start().waitFor() == 0
    catch { case _: java.io.IOException => false }

  test("connections that are not kept alive use up 200 ports, and it is said before and after") {
    assume(
      isPossible,
      "a network of its own (unshare --net) is not permitted here: port exhaustion is not tested"
    )
    val java = Child.command("needletail.load.engine.PortsMain").map(part => s"'$part'").mkString(" ")
    val (output, status) = Child.run(own(s"exec $java"))
    assertEquals(status, 0, output)
    val said = output.linesIterator.map(_.split("=", 2)).collect { case Array(k, v) => k -> v }.toMap
    assertEquals(
      said("warning"),
      "400 requests/s, each on a new connection, take up to 400 % of the local ports: if this machine closes " +
        "them before the server does, it can open 3 connections/s for long (ports 40000 to 40199, each held for 60 s after use)"
    )
    val good = said("good").toInt
    assert(good >= 150 && good <= 220, output)
    assertEquals(said("outcomes"), "good, no-free-port")
    assertEquals(good + said("no-free-port").toInt, 800)
    assert(said("time-wait").toInt >= 150, output)
    assertEquals(said("failed-latencies"), "0")
    // the warm-up needs a port for a server of its own, and there is none any more
    assert(said("again").toInt > 0, output)
  }
}

object PortsMain {
  def main(args: Array[String]): Unit = {
    // It keeps connections, so that it is the client who closes, and whose ports are held.
    val server = new Misbehaving((c, _) => c.answer())
    val kinds  = Vector(Kind("k", Vector(RequestTemplate("GET", server.url))))
    val load   = Load.Open(Vector(Load.Step(400, 400, 2.seconds)))
    val result = new Engine(
      seed = 1,
      warmUp = Duration.Zero
    ).run(LoadPlan("ports", kinds, load, keepAlive = false), _ => true)
    val total = result.total()
    println(s"warning=${result.machine.head.warnings.mkString}")
    println(s"good=${total.good}")
    println(s"no-free-port=${total.count(Outcome.NoFreePort)}")
    println(s"outcomes=${Outcome.all.filter(total.count(_) > 0).map(_.name).mkString(", ")}")
    println(s"time-wait=${result.intervals.map(_.self.timeWait).max}")
    println(s"failed-latencies=${total.failed.getTotalCount}")
    val again = new Engine(
      seed = 1,
      warmUp = 1.second
    ).run(LoadPlan("ports", kinds, load, keepAlive = false), _ => true)
    println(s"again=${again.total().count(Outcome.NoFreePort)}")
    server.close()
  }
}
