package needletail.server.tcp

import java.io.IOException
import java.net.Socket
import java.util.concurrent.ConcurrentLinkedQueue

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.http.{Handler, Request, Response}
import needletail.io.{
  Tls,
  TlsCertificate,
  TlsClientAuth,
  TlsClientConfig,
  TlsIdentity,
  TlsLimits,
  TlsServerConfig,
  TlsTrust
}
import needletail.io.tls.HandshakeFailure
import needletail.server.{RunningServer, ServerFixture}
import needletail.server.connection.SecureClient
import needletail.server.operations.Log
import needletail.testing.{Authority, Suite, TemporaryDirectories}

/** What the log of a server tells of TLS handshakes that fail. */
class HandshakeWarningsSuite extends Suite with TemporaryDirectories {
  private lazy val authority = newAuthority("Staff CA")
  private lazy val local     = authority.issue("DNS:localhost")
  private lazy val identity  = made(TlsLimits())

  private def made(limits: TlsLimits): TlsIdentity = Tls.server(
    TlsServerConfig(local.chain, local.key).copy(
      clients = Some(TlsClientAuth(authority.file)),
      limits = limits
    )
  )

  private final class Lines extends Log {
    val all                                            = new ConcurrentLinkedQueue[String]
    override def info(message: String): Unit           = { all.add(s"info: $message"); () }
    def warn(message: String): Unit                    = { all.add(s"warning: $message"); () }
    def error(message: String, cause: Throwable): Unit = { all.add(s"error: $message"); () }
  }

  /** Has a client say this, end its side if it `isEnding`, and read until the server ends. */
  private def say(server: RunningServer, of: TlsIdentity, kind: HandshakeFailure, isEnding: Boolean = false)(
      said: Byte*
  ): Unit = {
    val before = of.counts.failed(kind)
    val socket = new Socket("127.0.0.1", server.port)
    socket.setSoTimeout(20000)
    if (said.nonEmpty) socket.getOutputStream.write(said.toArray) // Scala Native writes no empty arrays
    if (isEnding) socket.shutdownOutput()
    try while (socket.getInputStream.read() >= 0) {}
    catch { case _: IOException => () } // it was reset
    finally socket.close()
    eventually(of.counts.failed(kind) == before + 1, s"it is not counted as $kind: ${of.counts.failed}")
  }

  /** The beginning of a record with a greeting, which says that there are 4 bytes of it. */
  private val greeting = Seq[Byte](22, 3, 1, 0, 4, 1, 0, 0, 9)

  /** A client whose greeting ends in nonsense. */
  private def sendNonsense(server: RunningServer, of: TlsIdentity = identity): Unit =
    say(server, of, HandshakeFailure.Protocol)(greeting ++ new Array[Byte](60): _*)

  /** One that has no certificate. */
  private def showNothing(server: RunningServer): Unit = {
    val before = identity.counts.failed(HandshakeFailure.Certificate)
    try {
      new SecureClient(Tls.trusting(authority.file)).ask(server.port)
      fail("it was not refused")
    } catch { case _: IOException => () }
    eventually(
      identity.counts.failed(HandshakeFailure.Certificate) == before + 1,
      "it is not counted"
    )
  }

  /** Once the loops are through with what was counted, which they then tell of. */
  private def drain(server: RunningServer): Unit = {
    Await.result(server.statistics, 20.seconds)
    Await.result(server.drain(), 20.seconds)
  }

  test("one reason hides no other; a drain tells how many more there were of each") {
    if (Tls.isKnown) {
      val lines  = new Lines
      val config = ServerFixture.loopback.copy(tls = Some(identity), log = lines)
      ServerFixture.serving(Handler((_: Request) => Response.ok("x")), config) { server =>
        val warning = s"warning: ${server.url}: "
        for (_ <- 1 to 3) sendNonsense(server)
        for (_ <- 1 to 2) showNothing(server)
        eventually(lines.all.size == 2, lines.all)
        val (first, second) = (lines.all.poll, lines.all.poll)
        for (line <- Seq(first, second))
          assert(line.startsWith(s"${warning}the TLS handshake with 127.0.0.1:"), line)
        assert(second.endsWith(" failed: the client has shown no certificate"), second)
        assert(!first.contains("certificate"), first)
        drain(server)
        val rest =
          Iterator.continually(lines.all.poll).takeWhile(_ != null).filter(_.startsWith("warning")).toSeq
        val what = "failed since the last one that was logged"
        assertEquals(
          rest,
          Seq(
            s"${warning}1 more TLS handshake $what (reason: certificate, none)",
            s"${warning}2 more TLS handshakes $what (reason: protocol)"
          )
        )
      }
    }
  }

  test("the reason is in the log as a whole, also where long names come before it") {
    if (Tls.isKnown) {
      val lines  = new Lines
      val config = ServerFixture.loopback.copy(tls = Some(identity), log = lines)
      val long   = newAuthority("x" * 64).issue("DNS:a", subject = "y" * 64, further = Seq("O" -> "z" * 60))
      val own    = TlsCertificate(long.chain, long.key)
      val tls    = Tls.client(TlsClientConfig(TlsTrust.File(authority.file), Some(own)))
      ServerFixture.serving(Handler((_: Request) => Response.ok("x")), config) { server =>
        intercept[IOException](new SecureClient(tls).ask(server.port))
        eventually(!lines.all.isEmpty, "it is not logged")
        assert(lines.all.peek.endsWith(" is not trusted: its issuer is unknown"), lines.all)
      }
    }
  }

  test(
    "a certificate that was revoked hides neither one that has expired, nor one of strangers, nor that there is none"
  ) {
    if (Tls.isKnown) {
      val revoked  = authority.issue("DNS:bob", subject = "Bob")
      val expired  = authority.issue("DNS:eve", subject = "Eve", isExpired = true)
      val stranger = newAuthority("Others").issue("DNS:joe", subject = "Joe")
      authority.revoke(revoked)
      val clients = TlsClientAuth(authority.file, revoked = Some(authority.revoked))
      val of      = Tls.server(TlsServerConfig(local.chain, local.key).copy(clients = Some(clients)))
      val lines   = new Lines
      val config  = ServerFixture.loopback.copy(tls = Some(of), log = lines)
      ServerFixture.serving(Handler((_: Request) => Response.ok("x")), config) { server =>
        def show(issued: Option[Authority#Issued]): Unit = {
          val before = of.counts.failed(HandshakeFailure.Certificate)
          val own    = issued.map(i => TlsCertificate(i.chain.toString, i.key.toString))
          val client = TlsClientConfig(TlsTrust.File(authority.file), certificate = own)
          intercept[IOException](new SecureClient(Tls.client(client)).ask(server.port))
          eventually(of.counts.failed(HandshakeFailure.Certificate) == before + 1, "it is not counted")
        }
        for (shown <- Seq(Some(revoked), Some(revoked), Some(expired), Some(stranger), None, None))
          show(shown)
        eventually(lines.all.size == 4, lines.all)
        val said = lines.all.toArray.toSeq.map(_.toString)
        for (why <- Seq("was revoked", "has expired", "is unknown", "shown no certificate"))
          assert(said.exists(_.endsWith(why)), said)
        lines.all.clear()
        drain(server)
        val rest = lines.all.toArray.toSeq.map(_.toString).filter(_.startsWith("warning"))
        val what = s"warning: ${server.url}: 1 more TLS handshake failed since the last one that was logged"
        assertEquals(rest, Seq("none", "revoked").map(why => s"$what (reason: certificate, $why)"))
      }
    }
  }

  test("who says nothing, goes in the middle, or is too slow, is counted only") {
    if (Tls.isKnown) {
      val lines  = new Lines
      val of     = made(TlsLimits(timeout = 300.millis))
      val config = ServerFixture.loopback.copy(tls = Some(of), log = lines)
      ServerFixture.serving(Handler((_: Request) => Response.ok("x")), config) { server =>
        say(server, of, HandshakeFailure.Silent, isEnding = true)()
        say(server, of, HandshakeFailure.Silent)()
        say(server, of, HandshakeFailure.Incomplete, isEnding = true)(greeting.take(7): _*)
        say(server, of, HandshakeFailure.Incomplete)(greeting.take(7): _*)
        // while something else is told of, by a server that has time for it
        val patient = made(TlsLimits())
        ServerFixture.serving(Handler((_: Request) => Response.ok("x")), config.copy(tls = Some(patient))) {
          other =>
            sendNonsense(other, patient)
            eventually(lines.all.size == 1, lines.all)
            assert(lines.all.poll.startsWith(s"warning: ${other.url}: the TLS handshake with 127.0.0.1:"))
        }
        drain(server)
        assertEquals(lines.all.toArray.toSeq.map(_.toString).filter(_.startsWith("warning")), Nil)
      }
    }
  }
}
