package needletail.io

import java.io.{BufferedReader, IOException, InputStreamReader, OutputStream}
import java.net.{InetAddress, ServerSocket}
import java.util.concurrent.TimeUnit

import needletail.io.kernel.Kernel
import needletail.io.tls.{TlsClientAuth, TlsPair}

/** TLS with the programs of OpenSSL at the other end. */
class OpenSslSuite extends TlsPair {

  private final class Program(arguments: String*) {
    Kernel.pipeSignal() // it may end while it is written to
    private val process: Process =
      new ProcessBuilder(("openssl" +: arguments): _*).redirectErrorStream(true).start()
    private val in           = new BufferedReader(new InputStreamReader(process.getInputStream))
    val out: OutputStream    = process.getOutputStream
    def line(): String       = in.readLine()
    def say(s: String): Unit = {
      out.write(s.getBytes)
      out.flush()
    }
    def close(): Unit = {
      process.destroy()
      if (!process.waitFor(10, TimeUnit.SECONDS)) process.destroyForcibly()
      ()
    }
  }

  private def running[A](arguments: String*)(body: Program => A): A = {
    val program = new Program(arguments: _*)
    try body(program)
    finally program.close()
  }

  private def client(port: Int, more: String*)(body: Program => Unit): Unit =
    running((Seq(
      "s_client",
      "-connect",
      s"127.0.0.1:$port",
      "-CAfile",
      authority.file.toString
    ) ++ more): _*)(body)

  tlsTest("fault 3: clients that ask for new keys without an end are cut off, and others are not") {
    serving(config) { served =>
      client(served.port, "-tls1_3") { program =>
        val first = served.nextHandler()
        (1 to 60).find(_ => !askForNewKeys(program))
        val end = first.next()
        assert(end.contains("the client sends too many TLS messages without data"), end)
      }
      client(served.port, "-tls1_3") { program =>
        val second = served.nextHandler()
        for (i <- 1 to 60) {
          assert(askForNewKeys(program), s"it ended after $i new keys")
          program.say("x\n")
          eventually(second.bytes.length == 2 * i, s"${second.bytes.length} bytes, and $i new keys")
        }
      }
    }
  }

  /** One command for each of its reads. Returns false if the program has ended. */
  private def askForNewKeys(program: Program): Boolean =
    try {
      program.say("K\n")
      var line = program.line()
      while ((line ne null) && !line.contains("KEYUPDATE")) line = program.line()
      line ne null
    } catch { case _: IOException => false }

  tlsTest("fault 3: a client of TLS 1.2 cannot begin another handshake") {
    serving(config) { served =>
      client(served.port, "-tls1_2") { program =>
        val handler = served.nextHandler()
        program.say("a\n")
        eventually(handler.bytes.length == 2, "nothing came")
        program.say("R\n")
        var line = program.line()
        while ((line ne null) && !line.contains("no renegotiation")) line = program.line()
        assert(line ne null, "it was not refused")
      }
      assertEquals(hello(served, open(served.loop, served.port)).version, "TLSv1.3")
    }
  }

  tlsTest("clients' certificates may have keys of each kind, but no weak ones") {
    serving(config.copy(clients = Some(TlsClientAuth(authority.file)))) { served =>
      def shown(algorithm: String): String = {
        val issued = authority.issue("email:a@b.example", algorithm)
        var result = ""
        val own    = Seq("-cert", issued.chain.toString, "-key", issued.key.toString)
        client(served.port, own ++ Seq("-cipher", "DEFAULT@SECLEVEL=0"): _*) { program =>
          val handler = served.nextHandler()
          try program.say("x\n")
          catch { case _: IOException => () } // it has ended, as it was refused
          eventually(handler.bytes.nonEmpty || !handler.events.isEmpty, "nothing happened")
          result = if (handler.bytes.nonEmpty) "accepted" else handler.next()
        }
        result
      }
      for (kind <- Seq("ec", "rsa", "ed25519", "ec -pkeyopt ec_paramgen_curve:secp521r1"))
        assertEquals(shown(kind), "accepted", kind)
      val why = shown("rsa:1024")
      assert(why.contains("the certificate of the client is too weak"), why)
    }
  }

  private def freePort(): Int = {
    val listener = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))
    try listener.getLocalPort
    finally listener.close()
  }

  for (version <- Seq("-tls1_3", "-tls1_2"))
    tlsTest(s"a server of OpenSSL's, $version") {
      val port = freePort()
      val file = local
      running(
        "s_server",
        "-accept",
        s"127.0.0.1:$port",
        "-cert",
        file.chain.toString,
        "-key",
        file.key.toString,
        "-rev",
        version
      ) { program =>
        var line = program.line()
        while ((line ne null) && !line.startsWith("ACCEPT")) line = program.line()
        withLoop { loop =>
          val sessions = for (i <- 1 to 3) yield {
            val (c, kept) = open(loop, port)
            on(loop)(c.write(s"hello$i\n".getBytes, 0, 7))
            eventually(new String(kept.bytes) == s"${i}olleh\n", new String(kept.bytes))
            val session = on(loop)(c.tlsSession).get
            on(loop)(c.close())
            session
          }
          assertEquals(sessions.map(_.version).toSet, Set(if (version == "-tls1_3") "TLSv1.3" else "TLSv1.2"))
          assertEquals(sessions.map(_.isResumed), Seq(false, true, true))
        }
      }
    }
}
