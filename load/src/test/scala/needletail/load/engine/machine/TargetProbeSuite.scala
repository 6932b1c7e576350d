package needletail.load.engine.machine

import java.net.{InetAddress, ServerSocket}
import java.nio.file.Files

import needletail.testing.{Suite, TemporaryDirectories}

/** What is known of a server on this machine. */
class TargetProbeSuite extends Suite with TemporaryDirectories {
  private val head =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"

  /** A system's files, of a server that listens at port 8080. */
  private final class System {
    private val root = temporaryDirectory()
    val proc         = new ProcFiles(root)
    lazy val probe   = new TargetProbe(Set(8080), proc, _ => 0)

    def write(name: String, text: String): Unit = {
      Files.createDirectories(root.resolve(name).getParent)
      Files.write(root.resolve(name), text.getBytes("UTF-8"))
      ()
    }

    write(
      "net/tcp",
      head +
        "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 555 1 0 100\n" +
        "   1: 0100007F:1F91 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 556 1 0 100\n" +
        "   2: 0100007F:1F90 0100007F:AAAA 01 00000000:00000000 00:00000000 00000000     0        0 557 1 0 100\n"
    )

    def uses(process: Int, parent: Int, own: Int, children: Int): Unit = write(
      s"$process/stat",
      s"$process (a server) x) S $parent 7 7 0 -1 4194304 100 0 0 0 $own 2 $children 1 20 0 8 0 1 1 1\n"
    )

    def starts(process: Int, parent: Int, own: Int, children: Int = 0, sockets: Seq[Int] = Seq(555)): Unit = {
      Files.createDirectories(root.resolve(s"$process/fd"))
      uses(process, parent, own, children)
      sockets.zipWithIndex.foreach { case (socket, i) =>
        Files.createSymbolicLink(
          root.resolve(s"$process/fd/${i + 3}"),
          java.nio.file.Paths.get(s"socket:[$socket]")
        )
      }
    }

    /** It has ended, and its parent has taken note of that. */
    def ends(process: Int): Unit = {
      Files.move(root.resolve(process.toString), temporaryDirectory().resolve("ended"))
      ()
    }
  }

  test("the processes that listen at the target's port, and their processor time") {
    val system = new System
    system.starts(7, parent = 1, own = 30)
    system.starts(8, parent = 7, own = 5, children = 2)
    system.starts(9, parent = 7, own = 500, sockets = Seq(556, 557))
    assertEquals(system.proc.listeners(Set(8080)), Set(555L))
    assertEquals(system.proc.processes.sorted, Vector(7L, 8L, 9L))
    assertEquals(system.probe.ticks, 33L + 10L) // with children that have ended
    assertEquals(new TargetProbe(Set(8082), system.proc, _ => 0).ticks, -1L)
    assertEquals(new TargetProbe(Set.empty, system.proc, _ => 0).ticks, -1L)
    assertEquals(system.proc.processTicks(77), None)
  }

  test("what a worker used before it ended is its parent's, and counts once") {
    val system = new System
    system.starts(7, parent = 1, own = 30)
    system.starts(8, parent = 7, own = 400)
    assertEquals(system.probe.ticks, 33L + 403L)
    system.ends(8)
    system.uses(7, parent = 1, own = 31, children = 410) // it had used some more
    assertEquals(system.probe.ticks, 444L)
    assertEquals(system.probe.ticks, 444L)
  }

  test("a worker that begins later counts from its begin") {
    for (isToldOfStarts <- Seq(true, false)) {
      val system                   = new System
      def started(last: Int): Unit = if (isToldOfStarts) system.write("loadavg", s"0.1 0.2 0.3 1/90 $last\n")
      started(8)
      system.starts(7, parent = 1, own = 30)
      system.starts(6, parent = 1, own = 5, sockets = Nil)
      assertEquals(system.probe.ticks, 33L)
      system.starts(12, parent = 7, own = 50)
      system.starts(13, parent = 1, own = 5, sockets = Seq(556))
      started(13)
      assertEquals(system.probe.ticks, 33L + 53L)
      system.ends(12)
      system.uses(7, parent = 1, own = 30, children = 50 + 2)
      assertEquals(system.probe.ticks, 33L + 52L)
    }
  }

  test("the ids of workers do not tell which is whose: a parent may have the higher one") {
    val system = new System
    system.starts(700, parent = 1, own = 30)
    system.starts(8, parent = 700, own = 400)
    system.starts(5, parent = 8, own = 1000)
    assertEquals(system.probe.ticks, 33L + 403L + 1003L)
    system.ends(5)
    system.uses(8, parent = 700, own = 400, children = 1002)
    assertEquals(system.probe.ticks, 33L + 403L + 1002L)
  }

  test("what a process used whose parent is not the server's is not known, and no longer counts") {
    val system = new System
    system.starts(7, parent = 1, own = 30)
    system.starts(8, parent = 1, own = 400)
    assertEquals(system.probe.ticks, 33L + 403L)
    system.ends(8)
    assertEquals(system.probe.ticks, -1L)
    system.uses(7, parent = 1, own = 40, children = 0)
    assertEquals(system.probe.ticks, 43L)
    system.ends(7)
    assertEquals(system.probe.ticks, -1L)
    assertEquals(system.probe.ticks, -1L)
  }

  test("nor what a worker used that ended with its parent") {
    val system = new System
    system.starts(3, parent = 1, own = 1)
    system.starts(7, parent = 3, own = 30)
    system.starts(8, parent = 7, own = 400)
    assertEquals(system.probe.ticks, 4L + 33L + 403L)
    system.ends(8)
    system.ends(7)
    system.uses(3, parent = 1, own = 1, children = 33)
    assertEquals(system.probe.ticks, -1L)
    assertEquals(system.probe.ticks, 4L + 33L)
  }

  test("drops are the target's own, and asked for only if there were any on the machine") {
    val proc  = new System().proc
    var now   = 4L
    var asked = 0
    val probe = new TargetProbe(Set(1), proc, _ => { asked += 1; now })
    assertEquals((probe.droppedOf(0), asked), (0L, 1))
    now = 9
    assertEquals((probe.droppedOf(100), asked), (5L, 2))
    assertEquals(probe.droppedOf(3), 0L)
    now = -1
    assertEquals(probe.droppedOf(3), -1L)
    assertEquals(probe.droppedOf(-1), -1L)
    assertEquals(new TargetProbe(Set.empty, proc, _ => 7).droppedOf(5), -1L)
  }

  test("what ss prints") {
    val text = "0 128 127.0.0.1:8080 0.0.0.0:*\n\t skmem:(r0,rb131072,t0,tb16384,f0,w0,o0,bl0,d17)\n" +
      "0 128 [::]:8080 [::]:*\n\t skmem:(r0,rb131072,t0,tb16384,f0,w0,o0,bl0,d2)\n"
    assertEquals(TargetProbe.dropsIn(text), 19L)
    assertEquals(TargetProbe.dropsIn(""), -1L)
  }

  test("this process, where the system tells (Linux)") {
    val listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress)
    try {
      val inodes = ProcFiles.system.listeners(Set(listener.getLocalPort))
      if (inodes.nonEmpty) {
        def holders = ProcFiles.system.processes.filter(ProcFiles.system.hasOpen(_, inodes))
        // a program that another thread starts has copies of all descriptors for a moment
        eventually(holders == Vector(ProcessHandle.current.pid), holders)
        assert(new TargetProbe(Set(listener.getLocalPort)).ticks > 0)
      }
    } finally listener.close()
  }
}
