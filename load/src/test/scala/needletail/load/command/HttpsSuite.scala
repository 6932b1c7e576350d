package needletail.load.command

import java.nio.file.{Files, Path}

import scala.concurrent.duration._

import needletail.io.{Tls, TlsClientAuth, TlsServerConfig}
import needletail.load.engine.Serving
import needletail.load.report.data.ResultDocument
import needletail.testing.{Certificate, Suite, TemporaryDirectories, TlsServer}

/** The program against a server that speaks TLS. */
class HttpsSuite extends Suite with Serving with ShippedProgram with TemporaryDirectories {
  override def munitTimeout: Duration = 2.minutes // certificates are made and keys derived, by cold code

  private def greeting[A](body: Int => A): A =
    TlsServer.serving()(TlsServer.reply(_, 200, "Hello, World!".getBytes))(body)

  private def trusted: String = Certificate.local.file.toString

  private def inFolder[A](body: Path => A): A = body(temporaryDirectory())

  test("users and arrivals, whose certificate is trusted by a file")(inFolder { folder =>
    greeting { port =>
      val json  = folder.resolve("run.json")
      val users =
        program("run", s"https://localhost:$port/", "--cacert", trusted, "--users", "4", "--requests", "100")
      assertEquals(users.status, 0, users.err)
      assert(users.out.contains("400 requests: 400 good, 0 bad"), users.out)
      val rate = program(
        // few connections and much time: how quick both sides are with their handshakes is not the question
        Seq("run", s"https://127.0.0.1:$port/", "--cacert", trusted, "--rate", "50", "--duration", "1s") ++
          Seq(
            "--connections",
            "4",
            "--timeout",
            "25s",
            "--connect-timeout",
            "25s",
            "--json",
            json.toString
          ): _*
      )
      assertEquals(rate.status, 0, rate.err)
      assert(rate.out.contains("50 requests: 50 good, 0 bad"), rate.out)
      val run = ResultDocument.read(json).fold(fail(_), identity).parts.head.run
      assert(run.plan.detail.contains("certificates" -> s"those of $trusted"), run.plan.detail)
      assert(run.intervals.map(_.self.opened).sum <= 4)
    }
  })

  test("a connection for each request") {
    greeting { port =>
      val ran = program(
        Seq(
          "run",
          s"https://localhost:$port/",
          "--insecure",
          "--users",
          "2",
          "--requests",
          "20",
          "--no-keep-alive"
        ): _*
      )
      assertEquals(ran.status, 0, ran.err)
      assert(ran.out.contains("40 requests: 40 good, 0 bad"), ran.out)
    }
  }

  test("who is not trusted: nothing is asked, and it is said why") {
    greeting { port =>
      val ran = program("run", s"https://localhost:$port/", "--users", "1", "--requests", "2")
      assertEquals(ran.status, 2)
      assert((ran.out + ran.err).contains("the certificate of localhost is not trusted"), ran.out + ran.err)
      assert(
        (ran.out + ran.err).contains("; name the issuer's certificate by --cacert FILE"),
        ran.out + ran.err
      )
      assert(!ran.out.contains("CLIENT-LIMITED"), ran.out)
    }
    serving(ok) { server =>
      val ran = program("run", s"https://localhost:${server.port}/", "--users", "1", "--requests", "2")
      assertEquals(ran.status, 2)
      assert((ran.out + ran.err).contains("does not use TLS on that port"), ran.out + ran.err)
    }
  }

  test("a file of certificates that is none is told before anything is asked") {
    val ran = program("run", "https://localhost:1/", "--cacert", "/no/such/file")
    assertEquals(ran.status, 2)
    assert(
      ran.err.contains("cannot use TLS: /no/such/file cannot be read: No such file or directory"),
      ran.err
    )
  }

  test("a scenario names the certificates, from its own place on")(inFolder { folder =>
    greeting { port =>
      Files.copy(Certificate.local.file, folder.resolve("ours.pem"))
      def scenario(lines: String*): String = {
        val text = (lines :+ s"target: https://localhost:$port" :+ "users: {count: 1, requests: 5}" :+
          "kinds: [{name: home, get: /}]").mkString("\n")
        Files.write(folder.resolve("shop.yaml"), text.getBytes).toString
      }
      val ours = program("run", scenario("cacert: ours.pem"))
      assert(ours.out.contains("5 requests: 5 good, 0 bad"), ours.out + ours.err)
      val any = program("run", scenario("insecure: true"))
      assert(any.out.contains("5 requests: 5 good, 0 bad"), any.out + any.err)
      val none = program("run", scenario("cacert: theirs.pem"))
      assertEquals(none.status, 2)
      assert(none.err.contains("shop.yaml:1:9: cannot use TLS: "), none.err)
      val both = program("run", scenario("cacert: ours.pem", "insecure: true"))
      assert(both.err.contains("cacert and insecure exclude each other"), both.err)
    }
  })

  private lazy val authority = newAuthority()
  private lazy val staff     = authority.issue("DNS:staff")

  /** A server of ours that requires a certificate of the authority's. */
  private def guarded[A](body: Seq[String] => A): A = {
    val local    = authority.issue("DNS:localhost")
    val identity = Tls.server(
      TlsServerConfig(local.chain, local.key).copy(clients = Some(TlsClientAuth(authority.file)))
    )
    serving(ok, serverConfig.copy(tls = Some(identity))) { server =>
      body(Seq(s"https://localhost:${server.port}/", "--cacert", authority.file.toString))
    }
  }

  private val few = Seq("--users", "2", "--requests", "10")

  test("a server that requires a certificate is shown the one of --cert and --key")(inFolder { folder =>
    guarded { server =>
      val own  = Seq("--cert", staff.chain.toString, "--key", staff.key.toString)
      val json = folder.resolve("run.json")
      for (more <- Seq(Nil, Seq("--no-keep-alive"))) {
        val ran = program(Seq("run") ++ server ++ own ++ few ++ more ++ Seq("--json", json.toString): _*)
        assertEquals(ran.status, 0, ran.err)
        assert(ran.out.contains("20 requests: 20 good, 0 bad"), ran.out)
      }
      val run = ResultDocument.read(json).fold(fail(_), identity).parts.head.run
      assert(run.plan.detail.contains("own certificate" -> staff.chain.toString), run.plan.detail)
      val none = program(Seq("run") ++ server ++ few: _*)
      assertEquals(none.status, 2)
      assert(
        (none.out + none.err).contains("; name a certificate for it by --cert FILE and --key FILE"),
        none.out + none.err
      )
      val stranger = newAuthority("Another").issue("DNS:stranger")
      val theirs   = Seq("--cert", stranger.chain.toString, "--key", stranger.key.toString)
      val refused  = program(Seq("run") ++ server ++ theirs ++ few: _*)
      assertEquals(refused.status, 2)
      assert(!(refused.out + refused.err).contains("name a certificate"), refused.out + refused.err)
    }
  })

  test("files of an own certificate that cannot be used are told in one line, before anything is asked") {
    def said(arguments: String*): String = {
      val ran = program("run" +: "https://localhost:1/" +: "--insecure" +: arguments: _*)
      assertEquals(ran.status, 2)
      ran.err
    }
    def lines(reason: String): String = s"needletail-load run: $reason\nSee needletail-load run --help.\n"
    val (chain, key)                  = (staff.chain.toString, staff.key.toString)
    for (one <- Seq(Seq("--cert", chain), Seq("--key", key)))
      assertEquals(said(one: _*), lines("--cert and --key must be given together"))
    val other = authority.issue("DNS:other").key
    for (
      (cert, secret, reason) <- Seq(
        ("/no/such/file", key, "/no/such/file cannot be read: No such file or directory"),
        (chain, "/no/such/file", "/no/such/file cannot be read: No such file or directory"),
        (chain, other.toString, s"the key of $other is not that of the certificate in $chain"),
        (key, key, s"$key has no X.509 certificates in PEM (-----BEGIN CERTIFICATE-----)")
      )
    ) {
      val text = said("--cert", cert, "--key", secret)
      assert(text.contains(s"cannot use TLS: $reason"), text)
      assert(!text.contains("\n\tat "), text)
    }
  }

  test("a scenario names its own certificate, from its own place on")(inFolder { folder =>
    guarded { server =>
      Files.copy(staff.chain, folder.resolve("own.pem"))
      Files.copy(staff.key, folder.resolve("own.key"))
      def scenario(lines: String*): String = {
        val text = (lines :+ s"cacert: ${authority.file}" :+ s"target: ${server.head}" :+
          "users: {count: 1, requests: 5}" :+ "kinds: [{name: home, get: /}]").mkString("\n")
        Files.write(folder.resolve("shop.yaml"), text.getBytes).toString
      }
      val own = program("run", scenario("cert: own.pem", "key: own.key"))
      assert(own.out.contains("5 requests: 5 good, 0 bad"), own.out + own.err)
      val instead = Seq("--cert", staff.chain.toString, "--key", staff.key.toString)
      val option  = program("run" +: scenario() +: instead: _*)
      assert(option.out.contains("5 requests: 5 good, 0 bad"), option.out + option.err)
      val half = program("run", scenario("cert: own.pem"))
      assertEquals(half.status, 2)
      assert(half.err.contains("lacks 'key'"), half.err)
      val none = program("run", scenario("cert: theirs.pem", "key: own.key"))
      assert(none.err.contains("shop.yaml:1:7: cannot use TLS: "), none.err)
    }
  })
}
