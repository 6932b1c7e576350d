package needletail.io.tls

import java.io.{BufferedReader, InputStreamReader}
import java.nio.charset.StandardCharsets.ISO_8859_1
import java.nio.file.Files
import java.util.concurrent.TimeUnit

import needletail.testing.Authority

/** The programs `openssl s_server` and `openssl s_client` as peers, with keys of all kinds, also too weak ones. */
trait OpenSslPrograms { self: TlsPair =>
  private val anyKey = Seq("-cipher", "DEFAULT@SECLEVEL=0")

  /** Runs a server with that certificate while `body` runs, which gets its port. */
  def withOpenSslServer[A](issued: Authority#Issued, more: String*)(body: Int => A): A = {
    val own = Seq("-cert", issued.chain.toString, "-key", issued.key.toString)
    running(Seq("s_server", "-accept", "127.0.0.1:0", "-www") ++ own ++ anyKey ++ more) { process =>
      val lines = new BufferedReader(new InputStreamReader(process.getInputStream))
      var line  = lines.readLine()
      while ((line ne null) && !line.startsWith("ACCEPT ")) line = lines.readLine()
      if (line eq null) fail("it does not listen")
      body(line.split(':').last.toInt)
    }
  }

  /** Connects a client that sends `text`, while `body` runs, which gets what it has printed so far. */
  def withOpenSslClient[A](port: Int, text: String, more: String*)(body: (() => String) => A): A = {
    val folder          = temporaryDirectory()
    val (input, output) = (folder.resolve("input"), folder.resolve("output"))
    Files.write(input, text.getBytes)
    val from = if (text.isEmpty) ProcessBuilder.Redirect.PIPE else ProcessBuilder.Redirect.from(input.toFile)
    val command = Seq("s_client", "-connect", s"127.0.0.1:$port", "-ign_eof") ++ anyKey ++ more
    running(command, _.redirectInput(from).redirectOutput(output.toFile))(_ =>
      body(() => new String(Files.readAllBytes(output), ISO_8859_1))
    )
  }

  private def running[A](arguments: Seq[String], how: ProcessBuilder => ProcessBuilder = identity)(
      body: Process => A
  ): A = {
    val process = how(new ProcessBuilder(("openssl" +: arguments)*).redirectErrorStream(true)).start()
    try body(process)
    finally {
      process.destroy()
      if (!process.waitFor(10, TimeUnit.SECONDS)) { process.destroyForcibly(); () }
    }
  }
}
