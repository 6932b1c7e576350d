package needletail.io.system.tls

import scala.scalanative.posix.stdlib
import scala.scalanative.unsafe.*

import java.io.IOException
import java.nio.file.{Files, Path}

import needletail.io.tls.{TlsClientConfig, TlsPair}

/** A client that trusts whom the system trusts, while that cannot be read, and afterwards. */
class SystemTrustSuite extends TlsPair {
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

  /** What another thread does, and whether it does so still. */
  private def elsewhere(body: => Unit): Thread = {
    val thread = new Thread(() => body)
    thread.start()
    thread
  }

  private def copied(): Path = Files.copy(authority.file, temporaryDirectory().resolve("trusted.pem"))

  test("they are read by another thread than a loop's, and once for all that have connections") {
    val (file, client) = (copied(), newClient("prepared"))
    withVariables(file, file.getParent.resolve("none")) {
      assert(!client.isPrepared)
      elsewhere { val _ = client.prepare() }.join()
      assert(client.isPrepared)
      Files.delete(file)
      val contexts = OpenSslFunctions.contextsAlive()
      client.here(_ => ())
      elsewhere(client.here(_ => ())).join()
      assertEquals(OpenSslFunctions.contextsAlive() - contexts, 2)
    }
  }

  test("what could not be read is an error of those who wait for it, and of no later ones") {
    val (folder, client) = (temporaryDirectory(), newClient("waiting"))
    val file             = folder.resolve("later.pem")
    withVariables(file, folder.resolve("none")) {
      val before = System.nanoTime
      val why    = intercept[IOException](client.prepare()).getMessage
      assertEquals(why, "TLS is not available: the system has no trusted certificates")
      assert(client.hasFailedSince(before))
      assert(!client.hasFailedSince(System.nanoTime))
      Files.copy(authority.file, file)
      assert(client.prepare() && client.isPrepared)
    }
  }

  test("the garbage collector does not wait while they are read") {
    val (folder, client) = (temporaryDirectory(), newClient("collector"))
    val pipe             = folder.resolve("pipe")
    assertEquals(new ProcessBuilder("mkfifo", pipe.toString).start().waitFor(), 0)
    // says when the pipe is read, and writes when its own input ends, or in the end in any case
    val script = s"exec 3> $pipe; echo open; timeout 20 cat; cat ${authority.file} >&3"
    val writer = new ProcessBuilder("sh", "-c", script).start()
    withVariables(pipe, folder.resolve("none")) {
      val reader = elsewhere { val _ = client.prepare() }
      assertEquals(writer.getInputStream.read(), 'o'.toInt)
      System.gc()
      assert(reader.isAlive, "it has waited")
      writer.getOutputStream.close()
      reader.join()
      assert(client.isPrepared)
    }
  }
}
