package needletail.server

import java.io.{BufferedReader, IOException, InputStreamReader}
import java.net.ServerSocket
import java.nio.file.{Files, Paths, StandardCopyOption}
import java.util.concurrent.atomic.AtomicBoolean
import java.util.concurrent.{CompletableFuture, TimeUnit}

import scala.concurrent.duration._

import needletail.async.Async
import needletail.http.{Handler, Reply, Request, Response}
import needletail.io.platform.{Socket, TlsServerContext}
import needletail.io.tls.{CertificateInfo, TlsCounts}
import needletail.io.{Address, Signals, Tls, TlsIdentity, TlsLimits, TlsServerConfig}
import needletail.server.connection.SecureClient
import needletail.server.operations.Log
import needletail.testing.{ClassPath, Eventually, Pause, Suite, TemporaryDirectories}

class HangUpSuite extends Suite with TemporaryDirectories {

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
      lineWith("the certificates have been reloaded")
      assertNotEquals(shown, first)
      Files.write(before.key, Array.emptyByteArray)
      hangUp(child)
      val line = lineWith("the certificates were not reloaded, the old ones stay in use")
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
        lineWith("the certificates have been reloaded")
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
      assert(lines.exists(_.contains("the certificates have been reloaded")), "it has ended, or was not told")
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

object SurvivorMain {
  def main(args: Array[String]): Unit = {
    val handler: Handler = _ => Response.ok
    val taken            = new ServerSocket(0, 1, java.net.InetAddress.getByName("127.0.0.1"))
    val port             = if (args(0) == "listening") taken.getLocalPort else 0
    try
      Server(handler, ServerConfig(address = Address.Tcp("127.0.0.1", port), loops = 1)).run { _ =>
        throw new IllegalStateException("not today")
      }
    catch { case e @ (_: IllegalStateException | _: IOException) => println(s"survived: ${e.getMessage}") }
    Pause(1.minute)
  }
}

object HangUpMain {
  private val slow: Handler = _ => {
    println("asked")
    new Reply.Later(Async.sleep(2.seconds).map(_ => Response.ok))
  }

  def main(args: Array[String]): Unit =
    Server(slow, ServerConfig(address = Address.Tcp("127.0.0.1", 0), loops = 1)).run(s =>
      println(s"port ${s.port}")
    )
}

object SecureHangUpMain {
  def main(args: Array[String]): Unit = {
    val tls    = Tls.server(TlsServerConfig(Paths.get(args(0)), Paths.get(args(1))))
    val config = ServerConfig(address = Address.Tcp("127.0.0.1", 0), loops = 1, tls = Some(tls))
    Server((_: Request) => Response.ok, config).run(s => println(s"port ${s.port}"))
  }
}

/** Closes its server when something is written to it; has a function of its own for SIGHUP if it is told so. */
object OutlivingMain {
  def main(args: Array[String]): Unit = {
    if (args.length > 2) Signals.onHangUp(() => Runtime.getRuntime.halt(0))
    val tls    = Tls.server(TlsServerConfig(Paths.get(args(0)), Paths.get(args(1))))
    val config = ServerConfig(address = Address.Tcp("127.0.0.1", 0), loops = 1, tls = Some(tls))
    Server((_: Request) => Response.ok, config).run { server =>
      val closing = new Thread(() => { System.in.read(); server.close(); () })
      closing.setDaemon(true)
      closing.start()
      println("begins")
    }
    println("goes on")
    Pause(1.minute)
  }
}

/** A server that runs, unless it is told otherwise, and one that SIGHUP comes to while it starts, in vain. */
object VainMain {
  private object Failing extends TlsServerContext {
    def over(socket: Socket, counts: TlsCounts, toPlain: Array[Byte]): Socket =
      throw new IOException("no TLS")
    def certificates: Seq[CertificateInfo] = {
      Server.hungUp()
      throw new IllegalStateException("in vain")
    }
  }

  def main(args: Array[String]): Unit = {
    val config = ServerConfig(address = Address.Tcp("127.0.0.1", 0), loops = 1, log = Log.none)
    val other  = if (args.isEmpty) running(config) else Thread.currentThread
    val tls    = new TlsIdentity(TlsLimits(), () => Failing, Nil)
    try Server((_: Request) => Response.ok, config.copy(tls = Some(tls))).run()
    catch { case e: IllegalStateException if e.getMessage == "in vain" => () }
    other.join(15000)
    Runtime.getRuntime.halt(if (other.isAlive) 3 else 0)
  }

  private def running(config: ServerConfig): Thread = {
    val begun  = new java.util.concurrent.CountDownLatch(1)
    val thread = new Thread(() => Server((_: Request) => Response.ok, config).run(_ => begun.countDown()))
    thread.start()
    begun.await()
    thread
  }
}

/** A server with TLS that runs, and one that SIGHUP comes to while it starts; ends with how often each has read its files. */
object SecureVainMain {
  private class Certain extends TlsServerContext {
    def over(socket: Socket, counts: TlsCounts, toPlain: Array[Byte]): Socket =
      throw new IOException("no TLS")
    def certificates: Seq[CertificateInfo] = Nil
  }
  private final class Late(fails: Boolean) extends Certain {
    private val isFirst                             = new AtomicBoolean(true)
    override def certificates: Seq[CertificateInfo] = {
      if (isFirst.compareAndSet(true, false)) {
        Server.hungUp()
        if (fails) throw new IllegalStateException("in vain")
      }
      Nil
    }
  }

  def main(args: Array[String]): Unit = {
    val late                              = new Late(fails = args(0) == "vain")
    val (own, other)                      = (identity(new Certain), identity(late))
    def run(tls: TlsIdentity)(f: => Unit) =
      Server(
        (_: Request) => Response.ok,
        ServerConfig(address = Address.Tcp("127.0.0.1", 0), loops = 1, log = Log.none, tls = Some(tls))
      ).run(_ => f)
    def terminate(): Unit = {
      new ProcessBuilder("kill", "-TERM", ProcessHandle.current.pid.toString).start().waitFor(); ()
    }
    val begun  = new java.util.concurrent.CountDownLatch(1)
    val thread = new Thread(() => run(own)(begun.countDown()))
    thread.start()
    begun.await()
    try run(other)(terminate())
    catch { case e: IllegalStateException if e.getMessage == "in vain" => terminate() }
    thread.join(15000)
    Runtime.getRuntime.halt((10 * own.counts.reloads + other.counts.reloads).toInt)
  }

  private def identity(context: TlsServerContext) = new TlsIdentity(TlsLimits(), () => context, Nil)
}

/** Sends itself a signal as soon as its port is open, by what the server logs of an expired certificate. */
object EarlySignalMain {
  private object Expired extends TlsServerContext {
    def over(socket: Socket, counts: TlsCounts, toPlain: Array[Byte]): Socket =
      throw new IOException("no TLS")
    val certificates = Seq(CertificateInfo("CN=old", Nil, "CN=old", "1", 0, 1, ""))
  }

  private final class Signalling(name: String) extends Log {
    private val isSent                                 = new AtomicBoolean
    override def info(message: String): Unit           = println(message)
    def error(message: String, cause: Throwable): Unit = println(message)
    def warn(message: String): Unit                    = if (isSent.compareAndSet(false, true)) {
      val own = ProcessHandle.current.pid.toString
      new ProcessBuilder("kill", s"-$name", own).start().waitFor()
      ()
    }
  }

  def main(args: Array[String]): Unit = {
    val config = ServerConfig(
      address = Address.Tcp("127.0.0.1", 0),
      loops = 1,
      log = new Signalling(args(0)),
      tls = Some(new TlsIdentity(TlsLimits(), () => Expired, Nil))
    )
    Server((_: Request) => Response.ok, config).run()
  }
}

/** One server that runs, and one that waits for ever while it starts. */
object HangingMain {
  private def address     = Address.Tcp("127.0.0.1", 0)
  private val ok: Handler = _ => Response.ok
  private object Expired extends TlsServerContext {
    def over(socket: Socket, counts: TlsCounts, toPlain: Array[Byte]): Socket =
      throw new IOException("no TLS")
    val certificates = Seq(CertificateInfo("CN=old", Nil, "CN=old", "1", 0, 1, ""))
  }
  private object Hanging extends Log {
    def error(message: String, cause: Throwable): Unit = ()
    def warn(message: String): Unit                    = {
      println("hangs")
      new java.util.concurrent.CountDownLatch(1).await(15, TimeUnit.SECONDS)
      Runtime.getRuntime.halt(3) // nobody has ended it
    }
  }

  def main(args: Array[String]): Unit = {
    val begun = new java.util.concurrent.CountDownLatch(1)
    new Thread(() => {
      Server(ok, ServerConfig(address = address, loops = 1, log = Log.none)).run(_ => begun.countDown())
      println("the other has ended")
    }).start()
    begun.await()
    val tls = new TlsIdentity(TlsLimits(), () => Expired, Nil)
    Server(ok, ServerConfig(address = address, loops = 1, log = Hanging, tls = Some(tls))).run()
  }
}

object SignalFacts {

  /** Programs that this one starts inherit it. */
  def isInterruptIgnored: Boolean = Files.readAllLines(Paths.get("/proc/self/status")).stream
    .filter(_.startsWith("SigIgn"))
    .anyMatch(line => (java.lang.Long.parseUnsignedLong(line.drop(7).trim, 16) >> 1 & 1) == 1)
}

object NoSignalsMain {
  def main(args: Array[String]): Unit = {
    val port = freePort()
    val here = ServerConfig(address = Address.Tcp("127.0.0.1", port), loops = 1)
    try Server((_: Request) => Response.ok, here).run()
    catch {
      case e: IllegalArgumentException =>
        val isClosed = Eventually.holds(!listens(port))
        println(s"${e.getClass.getSimpleName}, and ${if (isClosed) "closed" else "open"}")
    }
    System.exit(0)
  }

  private def freePort(): Int = {
    val socket = new ServerSocket(0)
    try socket.getLocalPort
    finally socket.close()
  }

  def listens(port: Int): Boolean =
    try { new java.net.Socket("127.0.0.1", port).close(); true }
    catch { case _: java.io.IOException => false }
}
