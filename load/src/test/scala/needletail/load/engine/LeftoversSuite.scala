package needletail.load.engine

import java.lang.management.ManagementFactory

import scala.concurrent.duration._

import com.sun.management.UnixOperatingSystemMXBean

import needletail.testing.{Eventually, Suite}

/** Whatever a server does, a run leaves no descriptor open. */
class LeftoversSuite extends Suite {
  override def munitTimeout: Duration = 2.minutes

  test("nothing is left behind") {
    // In a process of its own: what other suites open in this one must not count.
    val (output, status) = Child.run(Child.command("needletail.load.engine.LeftoversMain"), seconds = 100)
    assertEquals(status, 0, output)
    val runs = output.linesIterator.map(_.split(": ")).collect { case Array(name, figures) =>
      name -> figures.split(' ').map(_.toLong)
    }.toVector
    assertEquals(runs.map(_._1), LeftoversMain.scripts.map(_._1), output)
    for ((name, Array(before, most, after)) <- runs) {
      assert(most > before, s"$name: no descriptor was seen to be open")
      assert(after <= before, s"$name: $before before, $after after")
    }
  }
}

object LeftoversMain extends Asking {
  private val head = "HTTP/1.1 200 OK\r\nContent-Length: 200\r\n"

  /** By what a server does: each is asked by four users, over and over, until all have had their answers or none. */
  val scripts: Vector[(String, (Caller, Int) => Unit)] = Vector(
    "answers"                     -> ((c, _) => c.answer()),
    "no answer"                   -> ((_, _) => ()),
    "half an answer"              -> ((c, _) => c.send(head + "\r\nok")),
    "half an answer, then an end" -> { (c, _) => c.send(head + "\r\nok"); c.close() },
    "an answer, then an end"      -> { (c, _) => c.answer(); c.close() },
    "a reset"                     -> ((c, _) => c.reset()),
    "no HTTP"                     -> ((c, _) => c.send("What?\r\n\r\n")),
    "now this, now that" -> ((c, n) => if (n % 3 == 0) c.reset() else if (n % 5 == 0) () else c.answer())
  )

  private def descriptors: Long = ManagementFactory.getOperatingSystemMXBean match {
    case os: UnixOperatingSystemMXBean => os.getOpenFileDescriptorCount
    case _                             => 0
  }

  /** How many were open before, at most meanwhile, and after each. */
  def main(args: Array[String]): Unit = {
    // All of it once before: a jar has a descriptor from when the first of its classes is loaded.
    for (isCounted <- List(false, true); (name, script) <- scripts) {
      var most   = 0L
      val server = new Misbehaving((c, n) => { most = math.max(most, descriptors); script(c, n) })
      val before = descriptors
      run(closed(server.url, users = 4, requests = 2).copy(timeout = 200.millis))
      var after = 0L // what is left open stays so
      Eventually.holds({ after = descriptors; after <= before }, within = 10.seconds)
      // not counted once more: the server may only now come to a connection that was given up before it was accepted
      if (isCounted) println(s"$name: $before $most $after")
      server.close()
    }
    sys.exit(0)
  }
}
