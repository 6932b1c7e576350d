package needletail.io

import java.io.{BufferedReader, IOException, InputStreamReader, OutputStream}
import java.net.{InetAddress, ServerSocket}
import java.util.concurrent.TimeUnit

import needletail.io.kernel.Kernel
import needletail.io.system.tls.TlsLibrary
import needletail.io.tls.{TlsCertificate, TlsClientAuth, TlsPair, TlsServerConfig}
import needletail.testing.Authority

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

  /** What comes of a client that shows this certificate: `accepted`, or why not. */
  private def shown(by: Authority, algorithm: String, signed: String = ""): String =
    serving(config.copy(clients = Some(TlsClientAuth(by.file)))) { served =>
      val issued = by.issue("email:a@b.example", algorithm, signed = signed)
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

  private def assertWeak(why: String): Unit =
    assert(why.contains("the certificate of the client (") && why.contains(") is too weak: "), why)

  tlsTest("clients' certificates may be signed in each way, but no weak one") {
    val rsa                    = newAuthority("Rsa", algorithm = "rsa")
    def pss(salt: Int): String = s"-sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:$salt"
    for (how <- Seq("", "-md sha512", pss(32), s"-md sha384 ${pss(48)}"))
      assertEquals(shown(rsa, "ec", how), "accepted", how)
    assertWeak(shown(rsa, "ec", "-md sha1"))
    val dsa =
      newAuthority("Dsa", algorithm = s"dsa:${authority.converted(authority.file, "dsaparam -out OUT 1024")}")
    for (why <- Seq(shown(rsa, "ec", s"-md sha1 ${pss(20)}"), shown(dsa, "ec")))
      if (TlsLibrary.isOneOf(TlsLibrary.BoringSsl))
        assert(why.contains("is not trusted"), why) // it knows neither
      else assertWeak(why)
  }

  tlsTest("a client of TLS 1.2 that can verify signatures by SHA-1 only is refused") {
    val rsa = authority.issue("DNS:localhost", "rsa")
    for ((own, kind) <- Seq(local -> "ECDSA", TlsCertificate(rsa.chain, rsa.key) -> "RSA"))
      answering(TlsServerConfig(Seq(own))) { port =>
        def connect(hash: String): Unit = {
          val how = Seq("-tls1_2", "-cipher", "DEFAULT@SECLEVEL=0", "-sigalgs", s"$kind+$hash")
          openSslClient(port, how)
          ()
        }
        connect("SHA256")
        intercept[IOException](connect("SHA1"))
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
