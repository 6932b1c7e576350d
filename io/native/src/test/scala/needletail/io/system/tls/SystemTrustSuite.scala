package needletail.io.system.tls

import scala.scalanative.posix.stdlib
import scala.scalanative.unsafe.*

import java.io.IOException
import java.nio.file.{Files, Path}

import needletail.io.tls.TlsClientConfig
import needletail.testing.{Suite, TemporaryDirectories}

/** A client that trusts whom the system trusts, while that cannot be read, and afterwards. */
class SystemTrustSuite extends Suite with TemporaryDirectories {
  private lazy val authority = newAuthority()

  private def withVariables[A](file: Path, folder: Path)(body: => A): A = Zone.acquire { implicit zone =>
    val both = Seq("SSL_CERT_FILE" -> file, "SSL_CERT_DIR" -> folder)
    for ((name, value) <- both) stdlib.setenv(toCString(name), toCString(value.toString), 1)
    try body
    finally both.foreach { case (name, _) => stdlib.unsetenv(toCString(name)) }
  }

  /** A client with a context of its own. */
  private def newClient(protocol: String) = new OpenSslClient(TlsClientConfig(protocols = Seq(protocol)))

  private def refusal(client: OpenSslClient): String = intercept[IOException](client.here(_ => ())).getMessage

  test(
    "certificates that the system does not have are an error, and looked for again by the next connection"
  ) {
    val (folder, client) = (temporaryDirectory(), newClient("none"))
    val file             = folder.resolve("later.pem")
    val empty            = Files.createDirectory(folder.resolve("empty"))
    withVariables(file, empty) {
      assertEquals(refusal(client), "TLS is not available: the system has no trusted certificates")
      Files.write(file, "nothing".getBytes)
      assertEquals(refusal(client), "TLS is not available: the system has no trusted certificates")
      Files.copy(authority.file, file, java.nio.file.StandardCopyOption.REPLACE_EXISTING)
      client.here(_ => ())
    }
  }

  test("so is a file of them that cannot be read at present, whatever is in the folder") {
    val (folder, client) = (temporaryDirectory(), newClient("loop"))
    val file             = folder.resolve("loop.pem")
    Files.createSymbolicLink(file, file) // an error as that of a process without free descriptors is
    withVariables(file, authority.file.getParent) {
      val why = refusal(client)
      assert(
        why.startsWith(
          s"TLS is not available: $file, with the system's trusted certificates, cannot be read: "
        ),
        why
      )
      Files.delete(file)
      client.here(_ => ())
    }
  }

  test("a folder that has files is enough") {
    val folder = temporaryDirectory()
    withVariables(folder.resolve("missing.pem"), authority.file.getParent)(newClient("folder").here(_ => ()))
  }
}
