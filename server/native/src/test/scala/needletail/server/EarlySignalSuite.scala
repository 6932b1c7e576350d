package needletail.server

import java.io.IOException
import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger}

import scala.concurrent.Future

import scala.scalanative.libc.signal.{signal => handle, SIG_DFL}
import scala.scalanative.posix.signal.{kill, SIGHUP}
import scala.scalanative.posix.unistd.getpid
import scala.scalanative.unsafe.{CFuncPtr1, CInt}

import needletail.http.{Handler, Request, Response}
import needletail.io.platform.{Socket, TlsServerContext}
import needletail.io.tls.{CertificateInfo, TlsCounts}
import needletail.io.{Signals, TlsIdentity, TlsLimits}
import needletail.testing.Suite

/** Signals that come before a server has started: without care they end this program. */
class EarlySignalSuite extends Suite {
  private object Expired extends TlsServerContext {
    def over(socket: Socket, counts: TlsCounts, toPlain: Array[Byte]): Socket =
      throw new IOException("no TLS")
    val certificates = Seq(CertificateInfo("CN=old", Nil, "CN=old", "1", 0, 1, ""))
  }

  /** Sends SIGHUP when the server warns of its certificate: its port is open then. */
  private object Signalling extends Log {
    private val isSent                                 = new AtomicBoolean
    def error(message: String, cause: Throwable): Unit = ()
    def warn(message: String): Unit                    =
      if (isSent.compareAndSet(false, true)) { val _ = kill(getpid(), SIGHUP) }
  }

  test("SIGHUP that comes while the server starts has the certificates read when it has started") {
    val identity = new TlsIdentity(TlsLimits(), () => Expired, Nil)
    val config   = ServerFixture.loopback.copy(log = Signalling, tls = Some(identity))
    var running  = Option.empty[RunningServer]
    val thread   = new Thread(() =>
      Server(Handler((_: Request) => Response.ok), config).run(server => running = Some(server))
    )
    thread.start()
    try eventually(identity.counts.reloads == 1L, "they are not read")
    finally {
      running.foreach(_.close())
      thread.join()
    }
  }

  test("SIGHUP that came while a server started in vain does what it did before") {
    Signals.awaiting(Future.unit, hangUp = () => false)(() => ()).cancel()
    handle(SIGHUP, CFuncPtr1.fromScalaFunction((_: CInt) => EarlySignalSuite.taken()))
    try {
      val identity = new TlsIdentity(TlsLimits(), () => EarlySignalSuite.Failing, Nil)
      val config   = ServerFixture.loopback.copy(log = Log.none, tls = Some(identity))
      val thrown   = intercept[IllegalStateException](
        Server(Handler((_: Request) => Response.ok), config).run()
      )
      assertEquals((thrown.getMessage, EarlySignalSuite.hangUps.get), ("in vain", 1))
    } finally { val _ = handle(SIGHUP, SIG_DFL) }
  }
}

object EarlySignalSuite {
  private val hangUps       = new AtomicInteger // that would have ended this program
  private def taken(): Unit = { val _ = hangUps.incrementAndGet() }

  private object Failing extends TlsServerContext {
    def over(socket: Socket, counts: TlsCounts, toPlain: Array[Byte]): Socket =
      throw new IOException("no TLS")
    def certificates: Seq[CertificateInfo] = {
      Server.hungUp() // as if a thread that waits for signals had noticed one
      throw new IllegalStateException("in vain")
    }
  }
}
