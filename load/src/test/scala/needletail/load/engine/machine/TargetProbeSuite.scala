package needletail.load.engine.machine

import java.net.{InetAddress, ServerSocket}
import java.nio.file.Files

import needletail.testing.{Suite, TemporaryDirectories}

/** What is known of a server on this machine. */
class TargetProbeSuite extends Suite with TemporaryDirectories {
  private def withProc[A](files: (String, String)*)(links: (String, String)*)(body: ProcFiles => A): A = {
    val root = temporaryDirectory()
    files.foreach { case (name, text) =>
      Files.createDirectories(root.resolve(name).getParent)
      Files.write(root.resolve(name), text.getBytes("UTF-8"))
    }
    links.foreach { case (name, to) =>
      Files.createDirectories(root.resolve(name).getParent)
      Files.createSymbolicLink(root.resolve(name), java.nio.file.Paths.get(to))
    }
    body(new ProcFiles(root))
  }

  private val head =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"

  test("the processes that listen at the target's port, and their processor time") {
    withProc(
      "net/tcp" -> (head +
        "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 555 1 0 100\n" +
        "   1: 0100007F:1F91 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 556 1 0 100\n" +
        "   2: 0100007F:1F90 0100007F:AAAA 01 00000000:00000000 00:00000000 00000000     0        0 557 1 0 100\n"),
      "7/stat" -> "7 (a server) x) S 1 7 7 0 -1 4194304 100 0 0 0 30 12 0 0 20 0 8 0 1 1 1\n",
      "8/stat" -> "8 (worker) S 7 7 7 0 -1 4194304 100 0 0 0 5 3 2 1 20 0 8 0 1 1 1\n",
      "9/stat" -> "9 (other) S 7 7 7 0 -1 4194304 100 0 0 0 500 300 0 0 20 0 8 0 1 1 1\n"
    )(
      "7/fd/3" -> "socket:[555]",
      "8/fd/4" -> "socket:[555]",
      "9/fd/3" -> "socket:[556]",
      "9/fd/5" -> "socket:[557]"
    ) {
      proc =>
        assertEquals(proc.listeners(Set(8080)), Set(555L))
        assertEquals(proc.owners(Set(555L)).sorted, Vector(7L, 8L))
        assertEquals(new TargetProbe(Set(8080), proc, _ => 0).ticks, 53L) // with children that have ended
        assertEquals(new TargetProbe(Set(8082), proc, _ => 0).ticks, -1L)
        assertEquals(new TargetProbe(Set.empty, proc, _ => 0).ticks, -1L)
        assertEquals(proc.processTicks(77), -1L)
    }
  }

  test("drops are the target's own, and asked for only if there were any on the machine") {
    withProc()() { proc =>
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
        assertEquals(ProcFiles.system.owners(inodes), Vector(ProcessHandle.current.pid))
        assert(new TargetProbe(Set(listener.getLocalPort)).ticks > 0)
      }
    } finally listener.close()
  }
}
