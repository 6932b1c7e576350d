package needletail.load.engine

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Paths}

import scala.concurrent.duration._

import needletail.load.engine.machine.ProcFiles
import needletail.load.plan.{Kind, Load, LoadPlan, Pause, RequestTemplate}
import needletail.testing.Suite

/** Connections cost little: a tenth of a megabyte each would be ten times too much. */
class ManyUsersSuite extends Suite {
  override def munitTimeout: Duration = 2.minutes // that of its child program, and more

  private val enough = 2 * ManyUsersMain.Users + 500

  test("thousands of users, each with a connection, and the server of them all, in little memory") {
    assume(
      ProcFiles.system.descriptors >= enough,
      s"$enough descriptors are not permitted here (ulimit -n): thousands of users are not tested"
    )
    val (output, status) = Child.run(Child.command("needletail.load.engine.ManyUsersMain"))
    assertEquals(status, 0, output)
    val figures = output.split(' ').toVector.map(_.toInt)
    assertEquals(figures(0), 2 * ManyUsersMain.Users)
    assertEquals(figures(1), ManyUsersMain.Users, "connections at once")
    assert(figures(2) < 400, s"${figures(2)} MB")
  }
}

object ManyUsersMain {
  final val Users = 4000

  /** Good answers, connections open at the same time, and the most memory the process had, in megabytes. */
  def main(args: Array[String]): Unit = {
    // On a busy machine the first users would be done before the last ones come: nobody is answered until all are here.
    val early  = Vector.newBuilder[Caller] // on the server's loop
    val server = new Misbehaving((c, n) =>
      if (n < Users) early += c
      else {
        if (n == Users) early.result().foreach(_.answer())
        c.answer()
      }
    )
    val pause  = Pause.Constant(2.seconds)
    val load   = Load.Closed(Users, Some(2), None, ramp = 1.second, pause = pause)
    val kinds  = Vector(Kind("k", Vector(RequestTemplate("GET", server.url))))
    val result = new Engine(seed = 1, warmUp = Duration.Zero).run(
      LoadPlan("many", kinds, load, timeout = 60.seconds, connectTimeout = 60.seconds),
      _ => true
    )
    val status = new String(Files.readAllBytes(Paths.get("/proc/self/status")), UTF_8)
    val most   = status.linesIterator.find(_.startsWith("VmHWM:")).fold("0")(_.filter(_.isDigit))
    println(s"${result.total().good} ${result.intervals.map(_.self.open).max} ${most.toInt / 1024}")
    server.close()
  }
}
