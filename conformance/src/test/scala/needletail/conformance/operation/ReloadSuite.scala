package needletail.conformance.operation

import java.net.{InetSocketAddress, Socket}
import java.nio.file.{Files, Path}
import java.security.cert.X509Certificate
import java.util.concurrent.TimeUnit
import javax.net.ssl.SSLSocket

import needletail.conformance.harness.{ConformanceSuite, Program}
import needletail.conformance.harness.Message.get
import needletail.testing.{Authority, Certificate, TemporaryDirectories}

/** SIGHUP: a server with TLS reads its certificates again, another one drains. Each test has a program of its own. */
class ReloadSuite extends ConformanceSuite with TemporaryDirectories {
  private lazy val authority = newAuthority()

  /** Signals the server itself: the launcher may be its parent. */
  private def hangUp(program: Program): Unit = {
    val kill = new ProcessBuilder("kill", "-HUP", program.serverPid.toString).inheritIO().start()
    assert(kill.waitFor(20, TimeUnit.SECONDS) && kill.exitValue == 0, "kill failed")
  }

  private def withProgram(path: Path, more: Seq[String])(body: Program => Unit): Unit = {
    val program = Program.start(path, more = more, tls = false)
    try body(program)
    finally program.kill()
  }

  private lazy val trusting = Certificate.trusting(authority.file)

  private def opened(program: Program): SSLSocket = {
    val plain = new Socket
    plain.connect(new InetSocketAddress("127.0.0.1", program.port), 20000)
    plain.setSoTimeout(20000)
    val secure =
      trusting.getSocketFactory.createSocket(plain, "localhost", program.port, true).asInstanceOf[SSLSocket]
    secure.startHandshake()
    secure
  }

  /** The serial number of the certificate that a new connection is shown. */
  private def shown(program: Program): String = {
    val socket = opened(program)
    try
      socket.getSession.getPeerCertificates.head.asInstanceOf[X509Certificate].getSerialNumber.toString(16)
    finally socket.close()
  }

  private def served(socket: SSLSocket): Unit = {
    socket.getOutputStream.write(get().getBytes("ISO-8859-1"))
    val start = new Array[Byte](12)
    assertEquals(socket.getInputStream.readNBytes(start, 0, start.length), start.length)
    assertEquals(new String(start, "ISO-8859-1"), "HTTP/1.1 200")
  }

  each("SIGHUP has the certificates read again; where they are broken, the old ones stay (STATED)") { other =>
    val (chain, key)                        = (authority.file("used.pem"), authority.file("used.key"))
    def use(issued: Authority#Issued): Unit = {
      Files.write(chain, Files.readAllBytes(issued.chain))
      Files.write(key, Files.readAllBytes(issued.key))
      ()
    }
    use(authority.issue("DNS:localhost"))
    withProgram(other.path, Seq("--cert", chain.toString, "--key", key.toString, "--idle-timeout", "60s")) {
      program =>
        val first = shown(program)
        val old   = opened(program)
        try {
          use(authority.issue("DNS:localhost"))
          assertEquals(shown(program), first) // not before the signal
          hangUp(program)
          eventually(shown(program) != first, "the old certificate is shown still")
          val second = shown(program)
          Files.write(chain, Array.emptyByteArray)
          hangUp(program)
          def complaints = program.output.filter(_.contains("the TLS files were not reloaded"))
          eventually(complaints.nonEmpty, s"no word of the broken file: ${program.output}")
          assert(complaints.size == 1 && complaints.head.contains(s"$chain is empty"), complaints)
          assertEquals(shown(program), second)
          served(old) // connections of before go on
        } finally old.close()
        program.terminate()
        assertEquals(program.exitStatus(20000), Some(0))
        assertEquals(program.stackTraces.toList, Nil)
    }
  }

  each("SIGHUP drains a server without TLS (STATED)") { other =>
    withProgram(other.path, Nil) { program =>
      hangUp(program)
      assertEquals(program.exitStatus(20000), Some(0))
      assertEquals(program.stackTraces.toList, Nil)
    }
  }
}
