package needletail.examples.memcached

import java.io.File
import java.nio.file.Files
import java.util.concurrent.TimeUnit

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.io.Address
import needletail.server.{Log, ServerConfig}
import needletail.testing.Suite

/** Clients of memcached that others have written. Each test is skipped, by name, where its client is missing. */
class OtherClientsSuite extends Suite {
  override def munitTimeout: Duration = 3.minutes

  /** Output and status of a program. */
  private def run(command: String*): (String, Int) = {
    val out     = Files.createTempFile("needletail-judge", ".log")
    val process = new ProcessBuilder(command: _*).redirectErrorStream(true).redirectOutput(out.toFile).start()
    try {
      if (!process.waitFor(2, TimeUnit.MINUTES))
        fail(s"${command.mkString(" ")} does not end:\n${Files.readString(out)}")
      (Files.readString(out), process.exitValue)
    } finally {
      process.destroyForcibly()
      Files.deleteIfExists(out)
      ()
    }
  }

  private def serving(body: Int => Unit): Unit = {
    val config = ServerConfig(address = Address.Tcp("127.0.0.1", 0), loops = 2, log = Log.none)
    val server = new MemcachedServer(config, shards = 4, memory = 64L * 1024 * 1024)
    try body(server.port)
    finally { Await.result(server.close(), 20.seconds); () }
  }

  private def needing(isThere: Boolean, what: String)(name: String)(body: => Unit): Unit =
    if (isThere) test(name)(body) else test(s"$name (SKIPPED: there is no $what)".ignore)(())

  private val python      = "/usr/bin/python3"
  private val memccapable = "/usr/bin/memccapable"
  private val memcdump    = "/usr/bin/memcdump"
  private val hasModule   = new File(python).canExecute && run(python, "-c", "import pymemcache")._2 == 0

  needing(hasModule, "python3-pymemcache")("pymemcache") {
    serving { port =>
      val script = Files.createTempFile("pymemcache_judge", ".py")
      try {
        Files.write(script, getClass.getResourceAsStream("/pymemcache_judge.py").readAllBytes())
        assertEquals(run(python, script.toString, port.toString), ("as it should be\n", 0))
      } finally { Files.deleteIfExists(script); () }
    }
  }

  needing(new File(memcdump).canExecute, "memcdump (libmemcached-tools)")("memcdump says that it cannot") {
    serving { port =>
      val (said, status) = run(memcdump, s"--servers=127.0.0.1:$port")
      assert(status != 0 && said.contains("items are not listed"), said)
    }
  }

  needing(
    new File(memccapable).canExecute,
    "memccapable (libmemcached-tools)"
  )("memccapable, its tests of the text protocol") {
    serving { port =>
      val (said, status) = run(memccapable, "-h", "127.0.0.1", "-p", port.toString, "-a", "-t", "20")
      val results        = said.linesIterator.filter(_.startsWith("ascii")).toSeq
      assert(results.size > 15 && results.forall(_.contains("[pass]")) && status == 0, said)
    }
  }
}
