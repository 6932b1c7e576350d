package needletail.io.tls

import java.security.{Provider, Security}
import javax.net.ssl.SSLContext

import needletail.io.{ChildProcess, Tls, TlsIdentity}

/** TLS by a given provider, or an `SSLContext`. The JDK's own stands for others. */
class TlsProviderSuite extends MemoryPair {
  private def provider: Provider = Security.getProvider("SunJSSE")

  private def served(identity: TlsIdentity)(body: Served => Unit): Unit =
    withLoop(loop => body(new Served(loop, identity)))

  test("a server and a client by a provider: configuration, resumption and refusals are as usual") {
    val tls = Tls.client(TlsClientConfig(TlsTrust.File(authority.file)), provider)
    served(Tls.server(config, provider)) { s =>
      val sessions = Seq.fill(2)(hello(s, open(s.loop, s.port, tls)))
      assertEquals(sessions.map(_.version).distinct, Seq("TLSv1.3"))
      assertEquals(sessions.map(_.isResumed), Seq(false, true))
      val other = newAuthority("Other")
      val why   = refusal(s, Tls.client(TlsClientConfig(TlsTrust.File(other.file)), provider))
      assert(why.endsWith("the certificate of localhost is not trusted: its issuer is unknown"), why)
    }
  }

  test("a server whose engine may compute while it reads takes turns with the others on its loop") {
    def computes(identity: TlsIdentity): (Boolean, Boolean) = {
      var before, after = false
      connected(identity, socket => before = socket.computesHandshake)((_, _, server) =>
        after = server.computesHandshake
      )
      (before, after)
    }
    assertEquals(computes(Tls.server(config, provider)), (true, false))
    assertEquals(computes(Tls.server(config)), (false, false))
  }

  test(
    "a server with an SSLContext of its own makes the first handshake of a program before a client comes"
  ) {
    val child = ChildProcess.start(ChildProcess.command("needletail.io.tls.OwnContextMain"))
    assertEquals(ChildProcess.result(child), Some(("false true\n", 0)))
  }
}

/** Prints whether a handshake was made before and after a server's identity. */
object OwnContextMain {
  private def isMade = needletail.io.system.tls.FirstHandshake.isMade

  def main(args: Array[String]): Unit = {
    val before = isMade
    require(Tls.server(SSLContext.getDefault).certificates.isEmpty)
    println(s"$before $isMade")
  }
}
