package needletail.load.engine

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}

import scala.concurrent.duration._

import needletail.load.engine.compiled.ExecutablePlan
import needletail.load.engine.machine.{MachineProbe, ProcFiles}
import needletail.load.plan.{Kind, Load, LoadPlan, PlanCheck, RequestTemplate}
import needletail.load.result.Machine
import needletail.testing.{Language, Suite}

class PreflightSuite extends Suite {
  private val machine =
    Machine(
      "host",
      "system",
      "runtime",
      "tool",
      4,
      32768,
      60999,
      60,
      20000,
      4096,
      sharedWithTarget = false,
      Vector.empty
    )

  private val kinds = Vector(Kind("k", Vector(RequestTemplate("GET", "http://127.0.0.1:1/"))))

  private def open(rate: Double, connections: Int = 100) =
    LoadPlan("x", kinds, Load.Open(Vector(Load.Step(rate, rate, 100.seconds)), connections = connections))

  private def closed(users: Int) = LoadPlan("x", kinds, Load.Closed(users, Some(1), None))

  private def warning(plan: LoadPlan, machine: Machine = machine) =
    Preflight.check(plan, machine).mkString("; ")

  test("more users than the memory is enough for are refused before anything is sent") {
    val heap = 300L * 1024 * 1024
    assertEquals(Preflight.tooManyUsers(closed(100000), heap), None)
    assertEquals(
      Preflight.tooManyUsers(closed(1000000), heap),
      Some(
        "1000000 users take about 2482 MB of memory, and the 300 MB that this program may use are enough for 106496: " +
          "give it more, as with JAVA_OPTS=-Xmx2482m, or run it on several machines"
      )
    )
    assertEquals(Preflight.tooManyUsers(closed(1000000), 2482L * 1024 * 1024), None)
    assert(Preflight.tooManyUsers(closed(100000).copy(pipelining = 10), heap).isDefined)
    assertEquals(Preflight.tooManyUsers(open(1000000, connections = 1000000), heap), None) // opened as needed
    // also if they are more than an Int holds
    def own(users: Int*) =
      closed(0).copy(kinds = users.map(n => kinds.head.copy(users = Some(n))).toVector)
    for (
      (plan, users) <- Seq(
        own(1500000000, 1500000000)             -> "3000000000",
        own(1 << 30, 1 << 30, 1 << 30, 1 << 30) -> "4294967296"
      )
    ) {
      assertEquals(PlanCheck.mistake(plan), None)
      val told = Preflight.tooManyUsers(plan, heap)
      assert(told.exists(_.startsWith(s"$users users take about")), told)
    }
  }

  test("a plan that the machine stands easily") {
    assertEquals(warning(open(1000)), "")
    assertEquals(warning(closed(500)), "")
    assertEquals(warning(open(300).copy(keepAlive = false)), "")
  }

  test(
    "ports for connections that are not kept alive: 28,232 of them, each held for a minute, are 470 in a second"
  ) {
    assertEquals(Preflight.connectionsPerSecond(open(1), machine).map(_.toInt), Some(470))
    assertEquals(
      warning(open(400).copy(keepAlive = false)),
      "400 requests/s, each on a new connection, take up to 85 % of the local ports: if this machine closes them " +
        "before the server does, it can open 471 connections/s for long (ports 32768 to 60999, each held for 60 s after use)"
    )
    // The same in 10 s is no trouble, nor with another address.
    val short = open(400).copy(load = Load.Open(Vector(Load.Step(400, 400, 10.seconds))), keepAlive = false)
    assertEquals(warning(short), "")
    assertEquals(warning(open(400).copy(keepAlive = false, sources = Vector("127.0.0.2", "127.0.0.3"))), "")
    assertEquals(
      warning(closed(10).copy(keepAlive = false)),
      "connections are not kept alive: if this machine closes them before the server does, it can open " +
        "471 connections/s for long (ports 32768 to 60999, each held for 60 s after use)"
    )
  }

  test("ports and descriptors for connections that are kept") {
    assertEquals(
      warning(open(1, connections = 25000), machine.copy(descriptors = 1000000)),
      "25000 connections need as many local ports, and there are 28232 (ports 32768 to 60999)"
    )
    assertEquals(
      warning(closed(16000)),
      "16000 connections come near to the 20000 descriptors that this process may open (ulimit -n)"
    )
    assertEquals(warning(closed(15800)), "")
  }

  test("cores, shared or not") {
    assertEquals(warning(open(120000)), "")
    assertEquals(
      warning(open(120000), machine.copy(sharedWithTarget = true)),
      "120000 requests/s are much for 4 cores, which the server has a share of: expect about 80000 at most"
    )
    for (language <- Seq("en-US", "de-DE", "ar-EG"))
      Language.of(language) {
        assertEquals(
          warning(open(150000)),
          "150000 requests/s are much for 4 cores: expect about 160000 at most"
        )
      }
  }

  test("a crowd that connects at the same moment") {
    val shared = machine.copy(sharedWithTarget = true)
    assertEquals(
      warning(closed(5000), shared),
      "5000 users connect at the same moment, and the system holds 4096 connections at most that a server has not " +
        "accepted yet (net.core.somaxconn): give them a ramp"
    )
    assertEquals(
      warning(closed(5000).copy(load = Load.Closed(5000, Some(1), None, ramp = 5.seconds)), shared),
      ""
    )
  }

  test("what is not known is not warned about") {
    val unknown =
      machine.copy(firstPort = -1, lastPort = -1, timeWaitSeconds = -1, descriptors = -1, backlog = -1)
    assertEquals(warning(open(100, connections = 100000).copy(keepAlive = false), unknown), "")
  }

  test("a machine as Linux describes it") {
    val root                                    = Files.createTempDirectory("proc")
    def write(name: String, text: String): Path = {
      Files.createDirectories(root.resolve(name).getParent)
      Files.write(root.resolve(name), text.getBytes(UTF_8))
    }
    val proc = new ProcFiles(root)
    assertEquals((proc.timeWait, proc.listenOverflows, proc.processorTicks), (-1L, -1L, (-1L, -1L)))
    write("sys/net/ipv4/ip_local_port_range", "32768\t60999\n")
    write("sys/net/ipv4/tcp_tw_reuse", "2\n")
    write("sys/net/core/somaxconn", "4096\n")
    write(
      "self/limits",
      "Limit  Soft Limit  Hard Limit  Units\nMax open files            1024    4096     files\n"
    )
    write(
      "net/sockstat",
      "sockets: used 126\nTCP: inuse 5 orphan 0 tw 17 alloc 6 mem 1\nUDP: inuse 1 mem 0\n"
    )
    write(
      "net/netstat",
      "TcpExt: SyncookiesSent ListenOverflows ListenDrops\nTcpExt: 0 3 4\nIpExt: InNoRoutes\nIpExt: 0\n"
    )
    write("stat", "cpu  100 0 50 800 30 5 15 0 0 0\ncpu0 1 2 3\n")
    write("self/task/42/schedstat", "5000 700 12\n")
    def of(url: String) = MachineProbe.of(
      ExecutablePlan.of(LoadPlan(
        "x",
        Vector(Kind("k", Vector(RequestTemplate("GET", url)))),
        Load.Closed(1, Some(1), None)
      ))
        .fold(fail(_), _.targets),
      proc
    )
    val local = of("http://127.0.0.1:1/")
    assertEquals(
      (local.firstPort, local.lastPort, local.backlog, local.descriptors),
      (32768, 60999, 4096, 1024L)
    )
    assertEquals((local.sharedWithTarget, local.timeWaitSeconds), (true, 1))
    val far = of("http://192.0.2.1/")
    assertEquals((far.sharedWithTarget, far.timeWaitSeconds), (false, 60))
    assertEquals(of("http+unix://%2Fx/").sharedWithTarget, true)
    assertEquals((proc.timeWait, proc.listenOverflows), (17L, 3L))
    assertEquals((proc.processorTicks, proc.processors), ((170L, 1000L), 1))
    write(
      "net/netstat",
      "TcpExt: SyncookiesSent ListenOverflowsX ListenDrops\nTcpExt: 0 3 4\nIpExt: InNoRoutes\n"
    )
    write("net/sockstat", "sockets: used 126\nTCP: inuse 5 orphan 0\nUDP: tw 1\n")
    write("stat", "cpux 1 2 3 4 5 6\ncpu  1 2 3 4 5")
    write("self/task/44/schedstat", "5000\n")
    assertEquals((proc.timeWait, proc.listenOverflows), (-1L, -1L))
    assertEquals((proc.processorTicks, proc.threadTimes(44)), ((6L, 15L), (-1L, -1L)))
    write("net/netstat", "TcpExt: SyncookiesSent ListenOverflows\nTcpExt: 7")
    write("stat", "cpu  1 2 3\ncpu0 4 5 6 7 8\n")
    assertEquals((proc.listenOverflows, proc.processorTicks), (-1L, (-1L, -1L)))
    assertEquals((proc.threadTimes(42), proc.threadTimes(43)), ((5000L, 700L), (-1L, -1L)))
    Files.walk(root).sorted(java.util.Comparator.reverseOrder[Path]).forEach(p => Files.delete(p))
  }

  test("this machine") {
    val here = Preflight.machine(closed(1))
    assert(here.cores > 0 && here.tool.startsWith("needletail-load"), here)
    if (here.system.startsWith("Linux")) {
      assert(
        here.firstPort > 0 && here.lastPort > here.firstPort && here.descriptors > 0 && here.backlog > 0,
        here
      )
      assert(ProcFiles.system.timeWait >= 0 && ProcFiles.system.listenOverflows >= 0)
      assert(ProcFiles.system.threadTimes(ProcFiles.thisThread)._1 > 0)
    }
  }
}
