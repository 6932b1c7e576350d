package needletail.server

import java.io.IOException
import java.net.ServerSocket
import java.nio.file.{Files, Paths}
import java.util.concurrent.atomic.AtomicBoolean
import java.util.concurrent.TimeUnit

import scala.concurrent.duration._

import needletail.async.Async
import needletail.http.{Handler, Reply, Request, Response}
import needletail.io.platform.{Socket, TlsServerContext}
import needletail.io.tls.{CertificateInfo, TlsCounts}
import needletail.io.{Address, Signals, Tls, TlsIdentity, TlsLimits, TlsServerConfig}
import needletail.server.operations.Log
import needletail.testing.{Eventually, Pause}

// Programs that HangUpSuite starts, and sends signals to.

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

/** SIGHUP comes to a start that has failed and is about to give up: it waits for the lock that it needs for that. */
object GivingUpMain {
  private val begun, fails = new java.util.concurrent.CountDownLatch(1)

  private object Failing extends TlsServerContext {
    def over(socket: Socket, counts: TlsCounts, toPlain: Array[Byte]): Socket =
      throw new IOException("no TLS")
    def certificates: Seq[CertificateInfo] = {
      begun.countDown()
      fails.await()
      throw new IllegalStateException("in vain")
    }
  }

  def main(args: Array[String]): Unit = {
    val tls    = new TlsIdentity(TlsLimits(), () => Failing, Nil)
    val config =
      ServerConfig(address = Address.Tcp("127.0.0.1", 0), loops = 1, log = Log.none, tls = Some(tls))
    val starting = new Thread(() =>
      try Server((_: Request) => Response.ok, config).run()
      catch { case e: IllegalStateException if e.getMessage == "in vain" => () }
    )
    starting.start()
    begun.await()
    Signals.synchronized {
      fails.countDown()
      if (!Eventually.holds(starting.getState == Thread.State.BLOCKED)) Runtime.getRuntime.halt(4)
      Server.hungUp()
    }
    new java.util.concurrent.CountDownLatch(1).await(15, TimeUnit.SECONDS)
    Runtime.getRuntime.halt(3) // nobody has ended it
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
