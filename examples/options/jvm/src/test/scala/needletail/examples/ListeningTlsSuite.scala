package needletail.examples

import needletail.server.ServerConfig
import needletail.testing.{Certificate, Suite}

/** The identity that the options choose. */
class ListeningTlsSuite extends Suite {
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

  test("several certificates, each with its key in the same order") {
    val pairs = Seq(Certificate.local, Certificate.rsa)
      .flatMap(c => Seq("--cert", c.file.toString, "--key", c.key.toString))
    val more = Seq("--tls", "modern", "--client-ca", Certificate.local.file.toString)
    assertEquals(config(Seq("--port", "0") ++ pairs ++ more: _*).tls.get.certificates.length, 2)
  }
}
