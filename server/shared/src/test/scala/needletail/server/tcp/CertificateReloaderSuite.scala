package needletail.server.tcp

import java.io.IOException
import java.net.ServerSocket
import java.nio.file.attribute.FileTime
import java.nio.file.{Files, StandardCopyOption}
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.duration._
import scala.concurrent.{Await, Promise}
import scala.util.Try

import needletail.async.Async
import needletail.http.{Handler, Reply, Request, Response}
import needletail.io.platform.{Socket, TlsServerContext}
import needletail.io.tls.{CertificateInfo, TlsCounts}
import needletail.io.{Tls, TlsClientAuth, TlsClientConfig, TlsIdentity, TlsLimits, TlsServerConfig, TlsTrust}
import needletail.server.{RunningServer, Server, ServerFixture}
import needletail.server.connection.SecureClient
import needletail.server.operations.Log
import needletail.testing.{Authority, Suite, TemporaryDirectories}

/** Certificates whose files change while a server runs. */
class CertificateReloaderSuite extends Suite with TemporaryDirectories {
  private val handler = Handler((_: Request) => Response.ok("x"))

  /** Responds when timers of the loop that were set before, for less time, have gone off: also on a busy machine. */
  private val slow = Handler(_ => new Reply.Later(Async.sleep(200.millis).map(_ => Response.ok("x"))))

  private final class Lines extends Log {
    val all                                            = new ConcurrentLinkedQueue[String]
    override def info(message: String): Unit           = { all.add(message); () }
    def warn(message: String): Unit                    = { all.add(message); () }
    def error(message: String, cause: Throwable): Unit = { all.add(message); () }
    def has(text: String): Boolean                     = all.toArray.exists(_.toString.contains(text))
  }

  test("a server that fails once its port is open closes it, and does not count as one that uses the keys") {
    val rests   = new AtomicInteger
    var isFirst = true
    val context = new TlsServerContext {
      def over(socket: Socket, counts: TlsCounts, toPlain: Array[Byte]): Socket =
        throw new IOException("no TLS")
      def certificates: Seq[CertificateInfo] =
        if (isFirst) { isFirst = false; throw new IllegalStateException("not today") }
        else Nil
      override def rest(): Unit = { rests.incrementAndGet(); () }
    }
    val free = new ServerSocket(0)
    val port = free.getLocalPort
    free.close()
    val config = ServerFixture.loopback.withPort(port).copy(
      log = Log.none,
      tls = Some(new TlsIdentity(TlsLimits(), () => context, Nil))
    )
    intercept[IllegalStateException](Server(handler, config).start())
    var other = Option.empty[RunningServer]
    eventually {
      other = Try(Server(handler, config).start()).toOption // as soon as the first has closed its port
      other.isDefined
    }
    val before = rests.get // of those that have failed, while no other used it
    Await.result(other.get.close(), 20.seconds)
    eventually(rests.get == before + 1)
  }

  test(
    "files that have changed are read at the next check; while they are broken, the old certificate stays"
  ) {
    if (Tls.isKnown) {
      val authority    = newAuthority()
      val (chain, key) = (authority.file("used.pem"), authority.file("used.key"))

      // as programs do that renew certificates
      def use(issued: Authority#Issued): Unit =
        for ((from, to) <- Seq(issued.chain -> chain, issued.key -> key)) {
          val next = authority.file("next")
          Files.write(next, Files.readAllBytes(from))
          Files.move(next, to, StandardCopyOption.REPLACE_EXISTING)
        }
      use(authority.issue("DNS:localhost"))
      val lines  = new Lines
      val config = ServerFixture.loopback.copy(
        log = lines,
        tls = Some(Tls.server(TlsServerConfig(chain, key).copy(checkFiles = 50.millis)))
      )
      val client = new SecureClient(
        Tls.client(TlsClientConfig(TlsTrust.File(authority.file), resume = false))
      )
      ServerFixture.serving(slow, config) { server =>
        def shown(): String = client.ask(server.port)._2.peer.get.serial
        val first           = shown()
        assertEquals(shown(), first)
        assert(lines.all.isEmpty, lines.all)

        use(authority.issue("DNS:localhost"))
        eventually(shown() != first, s"the old certificate is shown still: ${lines.all}")
        val second = shown()
        assert(lines.has("the TLS files have been reloaded"), lines.all)

        Files.write(chain, Array.emptyByteArray)
        eventually(lines.has(s"$chain is empty"), s"no word of the broken file: ${lines.all}")
        assertEquals(shown(), second)
        eventually(config.tls.get.counts.failedReloads > 2L, "it is not tried again")
        assertEquals(lines.all.toArray.count(_.toString.contains("is empty")), 1, lines.all)

        use(authority.issue("DNS:localhost"))
        eventually(shown() != second, s"the certificate of before the fault is shown still: ${lines.all}")
      }
    }
  }

  test(
    "the log names the files that have changed: since those in use were read, and only if their content has"
  ) {
    if (Tls.isKnown) {
      val authority = newAuthority()
      val issued    = authority.issue("DNS:localhost")
      authority.revoke()
      val clients  = TlsClientAuth(authority.file, required = false, revoked = Some(authority.revoked))
      val identity = Tls.server(TlsServerConfig(issued.chain, issued.key).copy(clients = Some(clients)))
      val lines    = new Lines
      ServerFixture.serving(slow, ServerFixture.loopback.copy(tls = Some(identity), log = lines)) { server =>
        def said(): String = {
          lines.all.clear()
          server.reload()
          lines.all.poll.replace(s"${server.url}: the TLS files ", "")
        }
        assertEquals(said(), "have been reloaded; none has changed")
        Files.setLastModifiedTime(issued.chain, FileTime.fromMillis(0))
        assertEquals(said(), "have been reloaded; none has changed")
        authority.revoke(issued)
        assertEquals(said(), s"have been reloaded; ${authority.revoked} has changed")
        val other = authority.issue("DNS:localhost")
        Files.copy(other.chain, issued.chain, StandardCopyOption.REPLACE_EXISTING)
        assert(said().startsWith("were not reloaded, what was read before stays in use: "))
        Files.copy(other.key, issued.key, StandardCopyOption.REPLACE_EXISTING)
        assertEquals(said(), s"have been reloaded; ${issued.chain}, ${issued.key} have changed")
      }
    }
  }

  test("without an interval, changed files are not read") {
    if (Tls.isKnown) {
      val authority = newAuthority()
      val issued    = authority.issue("DNS:localhost")
      val identity  = Tls.server(TlsServerConfig(issued.chain, issued.key))
      ServerFixture.serving(slow, ServerFixture.loopback.copy(tls = Some(identity), log = Log.none)) {
        server =>
          Files.write(issued.chain, Array.emptyByteArray)
          assertEquals(
            new SecureClient(Tls.trusting(authority.file)).ask(server.port)._1.take(12),
            "HTTP/1.1 200"
          )
          assert(identity.isOutdated)
          assertEquals((identity.counts.reloads, identity.counts.failedReloads), (0L, 0L))
      }
    }
  }

  test("a reload that has failed is tried again although the files are the same") {
    @volatile var why: Throwable = null
    val passing                  = new TlsIdentity(
      TlsLimits(),
      () => if (why eq null) NoCertificates else throw why,
      Nil,
      20.millis.toNanos
    )
    val lines = new Lines
    ServerFixture.serving(handler, ServerFixture.loopback.copy(log = lines, tls = Some(passing))) { server =>
      for (failure <- Seq(new IOException("too many open files"), new IllegalStateException("no provider"))) {
        lines.all.clear()
        why = failure
        server.reload()
        assert(lines.has("the TLS files were not reloaded, what was read before stays in use"), lines.all)
        why = null
        eventually(lines.has("the TLS files have been reloaded"), s"it is not tried again: ${lines.all}")
      }
      assertEquals(passing.counts.reloads, 2L)
      assert(passing.counts.failedReloads >= 2, passing.counts.failedReloads)
    }
  }

  test("of servers that share an identity, one reads broken files again, and tells of it") {
    @volatile var why: Throwable = null
    val lines                    = new Lines
    val shared                   = new TlsIdentity(
      TlsLimits(),
      () => if (why eq null) NoCertificates else throw why,
      Nil,
      20.millis.toNanos
    )
    val config = ServerFixture.loopback.copy(log = lines, tls = Some(shared))
    ServerFixture.serving(handler, config) { first =>
      ServerFixture.serving(handler, config) { _ =>
        why = new IOException("too many open files")
        first.reload()
        eventually(shared.counts.failedReloads > 9, "it is not tried again")
        assertEquals(lines.all.toArray.count(_.toString.contains("too many open files")), 1, lines.all)
      }
    }
  }

  test("what has failed is tried again once in the interval, by whichever server") {
    var why: Throwable = null
    val shared         = new TlsIdentity(
      TlsLimits(),
      () => if (why eq null) NoCertificates else throw why,
      Nil,
      checkNanos = 1000
    )
    assert(!shared.reloadIfDue(0))
    why = new IOException("too many open files")
    intercept[IOException](shared.reload())
    for (now <- Seq(100L, 1100L)) intercept[IOException](shared.reloadIfDue(now))
    for (now <- Seq(1200L, 2099L)) assert(!shared.reloadIfDue(now))
    assertEquals(shared.counts.failedReloads, 3L)
    why = null
    assert(!shared.reloadIfDue(2099))
    assert(shared.reloadIfDue(2100))
    assert(!shared.reloadIfDue(9999))
  }

  test("an identity rests when the last server that uses it has ended") {
    val rests    = new java.util.concurrent.atomic.AtomicInteger
    val identity = new TlsIdentity(
      TlsLimits(),
      () =>
        new TlsServerContext {
          def over(socket: Socket, counts: TlsCounts, toPlain: Array[Byte]): Socket =
            throw new IOException("no TLS")
          def certificates: Seq[CertificateInfo] = Nil
          override def rest(): Unit              = { rests.incrementAndGet(); () }
        },
      Nil
    )
    val config = ServerFixture.loopback.copy(log = Log.none, tls = Some(identity))
    ServerFixture.serving(handler, config) { _ =>
      ServerFixture.serving(handler, config)(_ => ())
      assertEquals(rests.get, 0)
    }
    assertEquals(rests.get, 1)
  }

  test("an identity does not rest while a server starts to listen, and does when that has failed") {
    val rests                 = new java.util.concurrent.atomic.AtomicInteger
    var isInVain              = false
    var ofOthers              = () => ()
    lazy val tls: TlsIdentity = new TlsIdentity(
      TlsLimits(),
      () =>
        new TlsServerContext {
          def over(socket: Socket, counts: TlsCounts, toPlain: Array[Byte]): Socket =
            throw new IOException("no TLS")
          def certificates: Seq[CertificateInfo] = {
            ofOthers()
            if (isInVain) throw new IllegalStateException("in vain") else Nil
          }
          override def rest(): Unit = { rests.incrementAndGet(); () }
        },
      Nil
    )
    tls.attach() // another server
    ofOthers = { () => ofOthers = () => (); tls.detach() }
    val config = ServerFixture.loopback.copy(log = Log.none, tls = Some(tls))
    ServerFixture.serving(handler, config)(_ => assertEquals(rests.get, 0))
    assertEquals(rests.get, 1)
    isInVain = true
    intercept[IllegalStateException](Server(handler, config).start())
    eventually(rests.get == 2, "it does not rest")
  }

  test("a server that begins to use an identity waits while it is put to rest") {
    val attached                   = new java.util.concurrent.CountDownLatch(1)
    var isEarly                    = false
    lazy val attaching             = new Thread(() => { identity.attach(); attached.countDown() })
    lazy val identity: TlsIdentity = new TlsIdentity(
      TlsLimits(),
      () =>
        new TlsServerContext {
          def over(socket: Socket, counts: TlsCounts, toPlain: Array[Byte]): Socket =
            throw new IOException("no TLS")
          def certificates: Seq[CertificateInfo] = Nil
          override def rest(): Unit              = {
            attaching.start()
            isEarly = attached.await(200, java.util.concurrent.TimeUnit.MILLISECONDS)
          }
        },
      Nil
    )
    identity.attach()
    identity.detach()
    assert(attached.await(20, java.util.concurrent.TimeUnit.SECONDS))
    assert(!isEarly)
  }

  test("SIGHUP has the certificates read once that several servers have") {
    val (shared, own) = (identity(), identity())
    val running       = Promise[Seq[RunningServer]]()
    val servers       = Seq(shared, shared, own).map(tls =>
      Server(handler, ServerFixture.loopback.copy(log = Log.none, tls = Some(tls)))
    )
    val thread = new Thread(() => Server.runAll(servers, all => { running.success(all); () }))
    thread.start()
    try {
      val _ = Await.result(running.future, 20.seconds)
      Server.hungUp()
      assertEquals((shared.counts.reloads, own.counts.reloads), (1L, 1L))
    } finally {
      running.future.value.foreach(_.get.foreach(_.close()))
      thread.join()
    }
  }

  private def identity() = new TlsIdentity(TlsLimits(), () => NoCertificates, Nil)

  private object NoCertificates extends TlsServerContext {
    def over(socket: Socket, counts: TlsCounts, toPlain: Array[Byte]): Socket =
      throw new IOException("no TLS")
    def certificates: Seq[CertificateInfo] = Nil
  }
}
