package needletail.server

import java.io.{BufferedReader, InputStreamReader}
import java.nio.file.{Files, StandardCopyOption}
import java.util.concurrent.{CompletableFuture, TimeUnit}

import scala.concurrent.duration._

import needletail.http.{Handler, Response}
import needletail.io.{Address, Tls}
import needletail.server.connection.SecureClient
import needletail.testing.{ClassPath, Suite, TemporaryDirectories}

class HangUpSuite extends Suite with TemporaryDirectories {
  override def munitTimeout: Duration = 2.minutes // of a JVM that is started

  // Where a terminal is closed, the shell passes the signal on, and the kernel sends it when the shell has ended.
  test("SIGHUP without TLS begins a drain, and the next one cuts nothing off") {
    val child                          = start("HangUpMain")
    val output                         = new BufferedReader(new InputStreamReader(child.getInputStream))
    def lineWith(text: String): String = Iterator.continually(output.readLine()).find(_.contains(text)).get
    try {
      val socket = new java.net.Socket("127.0.0.1", lineWith("port ").drop(5).toInt)
      try {
        socket.getOutputStream.write("GET / HTTP/1.1\r\nHost: h\r\n\r\n".getBytes)
        lineWith("asked")
        hangUp(child)
        lineWith("draining")
        hangUp(child)
        val reply = new BufferedReader(new InputStreamReader(socket.getInputStream))
        assertEquals(reply.readLine(), "HTTP/1.1 200 OK")
      } finally socket.close()
      assertEquals(child.waitFor(), 0)
    } finally { child.destroyForcibly(); () }
  }

  test("SIGHUP with TLS has the certificates read again, and serving goes on") {
    val authority              = newAuthority()
    val (before, after)        = (authority.issue("DNS:localhost"), authority.issue("DNS:localhost"))
    val child                  = start("SecureHangUpMain", before.chain.toString, before.key.toString)
    val output                 = new BufferedReader(new InputStreamReader(child.getInputStream))
    def lineWith(text: String) = Iterator.continually(output.readLine()).find(_.contains(text)).get
    try {
      val port          = lineWith("port ").drop(5).toInt
      val client        = new SecureClient(Tls.trusting(authority.file))
      def shown: String = client.ask(port)._2.peer.get.serial
      val first         = shown
      Files.copy(after.chain, before.chain, StandardCopyOption.REPLACE_EXISTING)
      Files.copy(after.key, before.key, StandardCopyOption.REPLACE_EXISTING)
      hangUp(child)
      lineWith("the TLS files have been reloaded")
      assertNotEquals(shown, first)
      Files.write(before.key, Array.emptyByteArray)
      hangUp(child)
      val line = lineWith("the TLS files were not reloaded, what was read before stays in use")
      assert(line.contains(s"${before.key} is empty"), line)
      assertNotEquals(shown, first)
    } finally { child.destroyForcibly(); () }
  }

  for ((handled, end) <- Seq("ended by" -> (128 + 1), "told to" -> 0))
    test(
      s"when SIGHUP has had certificates read, a program that outlives its server is $handled the next one"
    ) {
      val certificate            = newAuthority().issue("DNS:localhost")
      val own                    = if (end == 0) Seq("own") else Nil
      val files                  = Seq(certificate.chain.toString, certificate.key.toString)
      val child                  = start("OutlivingMain", (files ++ own): _*)
      val output                 = new BufferedReader(new InputStreamReader(child.getInputStream))
      def lineWith(text: String) = Iterator.continually(output.readLine()).find(_.contains(text)).get
      try {
        lineWith("begins")
        hangUp(child)
        lineWith("the TLS files have been reloaded")
        child.getOutputStream.write('\n')
        child.getOutputStream.flush()
        lineWith("goes on")
        hangUp(child)
        assert(child.waitFor(20, TimeUnit.SECONDS), "it goes on")
        assertEquals(child.exitValue, end)
      } finally { child.destroyForcibly(); () }
    }

  test("SIGHUP that comes while a server starts in vain drains the one that runs") {
    val child = start("VainMain")
    try {
      assert(child.waitFor(30, TimeUnit.SECONDS), "it goes on")
      assertEquals(child.exitValue, 0)
    } finally { child.destroyForcibly(); () }
  }

  test("where none runs, it does what it did before") {
    val child = start("VainMain", "alone")
    try {
      assert(child.waitFor(30, TimeUnit.SECONDS), "it goes on")
      assertEquals(child.exitValue, 128 + 1)
    } finally { child.destroyForcibly(); () }
  }

  test("so it does where it comes just as a start gives up") {
    val child = start("GivingUpMain")
    try {
      assert(child.waitFor(30, TimeUnit.SECONDS), "it goes on")
      assertEquals(child.exitValue, 128 + 1)
    } finally { child.destroyForcibly(); () }
  }

  for ((how, reloads) <- Seq("vain" -> (1, 0), "started" -> (1, 1)))
    test(s"where one with TLS runs, it has certificates read once, whatever becomes of the other: $how") {
      val child = start("SecureVainMain", how)
      try {
        assert(child.waitFor(30, TimeUnit.SECONDS), "it goes on")
        assertEquals(child.exitValue, 10 * reloads._1 + reloads._2)
      } finally { child.destroyForcibly(); () }
    }

  test("SIGHUP that comes while the server starts has the certificates read when it has started") {
    val child = start("EarlySignalMain", "HUP")
    try {
      val output = new BufferedReader(new InputStreamReader(child.getInputStream))
      val lines  = Iterator.continually(output.readLine()).takeWhile(_ != null)
      assert(lines.exists(_.contains("the TLS files have been reloaded")), "it has ended, or was not told")
      signal(child, "TERM")
      assert(child.waitFor(20, TimeUnit.SECONDS), "it goes on")
      assertEquals(child.exitValue, 0)
    } finally { child.destroyForcibly(); () }
  }

  test("SIGTERM that comes while the server starts drains it when it has started") {
    val child = start("EarlySignalMain", "TERM")
    try {
      assert(child.waitFor(20, TimeUnit.SECONDS), "it goes on")
      assertEquals(child.exitValue, 0)
    } finally { child.destroyForcibly(); () }
  }

  for ((name, number) <- Seq("TERM" -> 15, "INT" -> 2))
    test(s"a server that starts for ever keeps SIG$name from no other, and a second one ends the program") {
      assume(
        name == "TERM" || !SignalFacts.isInterruptIgnored,
        "SIGINT is ignored, as in a script's background"
      )
      val child = start("HangingMain")
      try {
        val output = new BufferedReader(new InputStreamReader(child.getInputStream))
        assertEquals(output.readLine(), "hangs")
        signal(child, "TERM")
        assertEquals(output.readLine(), "the other has ended")
        signal(child, name)
        assert(child.waitFor(20, TimeUnit.SECONDS), "it goes on")
        assertEquals(child.exitValue, 128 + number)
      } finally { child.destroyForcibly(); () }
    }

  // with -Xrs the JVM leaves the signals to the system
  test("where signals cannot be handled, `run` throws and nothing listens") {
    val java  = System.getProperty("java.home") + "/bin/java"
    val path  = ClassPath.of(getClass.getClassLoader)
    val child = new ProcessBuilder(java, "-Xrs", "-cp", path, "needletail.server.NoSignalsMain")
      .redirectErrorStream(true)
      .start()
    val output = new BufferedReader(new InputStreamReader(child.getInputStream))
    try assertEquals(output.readLine(), "IllegalArgumentException, and closed")
    finally { child.destroyForcibly(); () }
  }

  for (
    (name, number)  <- Seq("TERM" -> 15, "HUP" -> 1);
    (failure, said) <- Seq("onStart" -> "not today", "listening" -> "cannot listen on ")
  )
    test(s"a program that survives a failure of $failure is ended by SIG$name") {
      val child = start("SurvivorMain", failure)
      try {
        val output = new BufferedReader(new InputStreamReader(child.getInputStream))
        val line   = output.readLine()
        assert(line.startsWith(s"survived: $said"), line)
        signal(child, name)
        assert(child.waitFor(20, TimeUnit.SECONDS), "it goes on")
        assertEquals(child.exitValue, 128 + number)
      } finally { child.destroyForcibly(); () }
    }

  test("a server whose `run` is interrupted is closed") {
    val port             = new CompletableFuture[Int]
    val thrown           = new CompletableFuture[Throwable]
    val handler: Handler = _ => Response.ok
    val server           = Server(handler, ServerConfig(address = Address.Tcp("127.0.0.1", 0), loops = 1))
    val thread           = new Thread(() =>
      try server.run { s => port.complete(s.port); () }
      catch { case e: Throwable => thrown.complete(e); () }
    )
    thread.start()
    assert(NoSignalsMain.listens(port.get(20, TimeUnit.SECONDS)))
    thread.interrupt()
    val cause = thrown.get(20, TimeUnit.SECONDS)
    assert(cause.isInstanceOf[InterruptedException], cause)
    eventually(!NoSignalsMain.listens(port.get), "it listens")
  }

  private def start(main: String, arguments: String*): Process = {
    val java    = System.getProperty("java.home") + "/bin/java"
    val command = Seq(java, "-cp", ClassPath.of(getClass.getClassLoader), s"needletail.server.$main")
    new ProcessBuilder((command ++ arguments): _*)
      .redirectErrorStream(true)
      .start()
  }

  private def hangUp(process: Process): Unit = signal(process, "HUP")

  private def signal(process: Process, name: String): Unit = {
    new ProcessBuilder("kill", s"-$name", process.pid.toString).start().waitFor()
    ()
  }
}
