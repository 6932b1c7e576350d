package needletail.load.engine.machine

import java.nio.file.{Files, Path}

import needletail.load.result.{Lateness, Openings, SelfFigures}
import needletail.testing.{Suite, TemporaryDirectories}

/** What the generator is told of itself, by clocks that advance by a tick at a time. */
class SelfProbeSuite extends Suite with TemporaryDirectories {

  /** A generator with one loop, its machine with two processors, and a server, process 7, that listens at port 8080. */
  private final class Clocks(root: Path) {
    private var nanos, used, ran, busy = 0L
    private var all                    = 1000L
    private var served                 = 0L
    private def tick(n: Long): Long    = n / 10000000

    private def write(name: String, text: String): Unit = {
      Files.createDirectories(root.resolve(name).getParent)
      Files.write(root.resolve(name), text.getBytes("UTF-8"))
      ()
    }

    private def writeAll(): Unit = {
      write("stat", s"cpu ${busy + served} 0 0 ${all - busy - served} 0 0 0 0\n")
      write("self/task/1/schedstat", s"$ran 0 1\n")
      write("7/stat", s"7 (server) S 1 7 7 0 -1 4194304 100 0 0 0 $served 0 0 0 20 0 8 0 1 1 1\n")
    }

    write(
      "net/tcp",
      "header\n 0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 555 1 0 100\n"
    )
    Files.createDirectories(root.resolve("7/fd"))
    Files.createSymbolicLink(root.resolve("7/fd/3"), java.nio.file.Paths.get("socket:[555]"))
    writeAll()

    private val proc = new ProcFiles(root)
    val probe        =
      new SelfProbe(Vector(1L), new TargetProbe(Set(8080), proc, _ => 0), proc, () => nanos, () => used)

    /** Lets time pass: the generator uses that share of a processor, and so does the server. */
    def pass(millis: Long, own: Double = 0.5, server: Double = 0.5): Unit = {
      nanos += millis * 1000000
      ran += (millis * 1000000 * own).toLong
      used = tick(ran) * 10000000 // the system tells it in ticks
      busy = tick(ran)
      all = 1000 + 2 * tick(nanos)
      served += tick((millis * 1000000 * server).toLong)
      writeAll()
    }

    /** The clock of processor time advances, as it does once in 10 ms. */
    def tickNow(): Unit = {
      used += 10000000
      busy += 1
      all += 2
      writeAll()
    }

    def sample(): SelfFigures = probe.sample(0, 0, 0, 0, 0, 0, 0, Lateness.none, Openings.none)
  }

  private def near(figure: Double, truth: Double): Unit =
    assert(math.abs(figure - truth) < 0.02, s"$figure, not $truth")

  /** Its shares of a processor, one loop having done all, and those of the machine and of the server. */
  private def nearly(found: SelfFigures, cpu: Double, machine: Double, target: Double): Unit = {
    near(found.cpu, cpu)
    near(found.busiestLoop, cpu)
    near(found.machineCpu, machine)
    near(found.targetCpu, target)
  }

  test("shares of a second, of a processor and of the machine") {
    val clocks = new Clocks(temporaryDirectory())
    clocks.pass(1000)
    nearly(clocks.sample(), cpu = 0.5, machine = 0.5, target = 0.25)
    clocks.pass(1000, own = 0.25, server = 1)
    nearly(clocks.sample(), cpu = 0.25, machine = 0.625, target = 0.5)
  }

  test("a load that ends 3 ms after a second: a tick of the clock is no share of 3 ms") {
    val clocks = new Clocks(temporaryDirectory())
    clocks.pass(1000)
    clocks.sample()
    clocks.pass(1000)
    clocks.sample()
    clocks.pass(3)
    clocks.tickNow()
    nearly(clocks.sample(), cpu = 0.5, machine = 0.5, target = 0.25) // not 10 ms of 3 ms
  }

  test("several samples within a moment, as after a delay, are all of the time before") {
    val clocks = new Clocks(temporaryDirectory())
    clocks.pass(1000)
    clocks.sample()
    clocks.pass(1990)
    for (_ <- 1 to 3) {
      val next = clocks.sample()
      near(next.cpu, 0.5)
      near(next.targetCpu, 0.25)
      clocks.pass(2)
      clocks.tickNow()
    }
    clocks.pass(1000, own = 0.1)
    near(clocks.sample().cpu, 0.1)
  }

  test("a run of a moment has used no more than there is") {
    val clocks = new Clocks(temporaryDirectory())
    for (_ <- 1 to 100) clocks.tickNow()
    clocks.pass(1)
    val cpu = clocks.sample().cpu
    assert(cpu <= Runtime.getRuntime.availableProcessors, cpu)
  }

  test("of a server whose processor time is less than it was, nothing is known") {
    val clocks = new Clocks(temporaryDirectory())
    clocks.pass(1000)
    clocks.sample()
    clocks.pass(1000, server = -0.3)
    assertEquals(clocks.sample().targetCpu, -1.0)
    clocks.pass(1000)
    near(clocks.sample().targetCpu, 0.25)
  }
}
