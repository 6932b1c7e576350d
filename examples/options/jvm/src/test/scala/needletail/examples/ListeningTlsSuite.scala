package needletail.examples

import needletail.server.ServerConfig
import needletail.testing.{Certificate, Suite, TemporaryDirectories}

/** The identity that the options choose. */
class ListeningTlsSuite extends Suite with TemporaryDirectories {
  private def config(arguments: String*): ServerConfig = {
    val options             = Options("server", "Serves.")
    val listening           = new Listening(options)
    var found: ServerConfig = null
    options.parse(arguments) match {
      case Right(chosen) => listening.run(chosen)(found = _)
      case Left(problem) => fail(problem.toString)
    }
    found
  }

  test("plain, unless a certificate and its key are named") {
    assertEquals(config("--port", "0").tls, None)
    val ours = Certificate.local
    assert(config("--port", "0", "--cert", ours.file.toString, "--key", ours.key.toString).tls.isDefined)
  }

  test("options for browsers that use HTTPS need a certificate, or a web server that may use TLS") {
    val ours                                        = Certificate.local
    def problem(arguments: String*): Option[String] = {
      val options   = Options("server", "Serves.")
      val listening = new Listening(options)
      options.parse(arguments).toOption.flatMap(listening.problemWithoutTls(_, "--hsts"))
    }
    assertEquals(problem("--port", "0"), Some("--hsts needs --cert and --key"))
    assertEquals(problem("--cert", ours.file.toString, "--key", ours.key.toString), None)
    assertEquals(problem("--fastcgi", "127.0.0.1:9000"), None)
    assertEquals(problem("--scgi", "127.0.0.1:9000"), None)
  }

  test("several certificates, each with its key in the same order") {
    val pairs = Seq(Certificate.local, Certificate.rsa)
      .flatMap(c => Seq("--cert", c.file.toString, "--key", c.key.toString))
    val more = Seq("--tls", "modern", "--client-ca", Certificate.local.file.toString)
    assertEquals(config(Seq("--port", "0") ++ pairs ++ more: _*).tls.get.certificates.length, 2)
  }

  test("clients' certificates: who issues them, and lists of those that are revoked") {
    val authority = newAuthority()
    authority.revoke()
    val shown =
      Seq("--port", "0", "--cert", Certificate.local.file.toString, "--key", Certificate.local.key.toString)
    val staff = shown ++ Seq("--client-ca", authority.file.toString)
    assertEquals(config(staff: _*).tls.get.revocationExpiry, None)
    assert(config(staff ++ Seq(
      "--client-crl",
      authority.revoked.toString
    ): _*).tls.get.revocationExpiry.isDefined)
  }

  test("how often the files are looked at, which is never by default") {
    val ours = Certificate.local
    val tls  = Seq("--port", "0", "--cert", ours.file.toString, "--key", ours.key.toString)
    assertEquals(config(tls: _*).tls.get.checkNanos, 0L)
    assertEquals(config(tls ++ Seq("--check-files", "1m"): _*).tls.get.checkNanos, 60L * 1000 * 1000 * 1000)
  }
}
