package needletail.server

import java.io.{BufferedReader, IOException, InputStreamReader}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}
import java.util.concurrent.{ConcurrentLinkedQueue, TimeUnit}

import needletail.http.{Handler, Response}
import needletail.io.Address
import needletail.testing.{ClassPath, Suite, TemporaryDirectories}

/** The script that starts programs on the JVM. */
class LauncherSuite extends Suite with TemporaryDirectories {
  private def template: Path = Iterator
    .iterate(Paths.get("").toAbsolutePath)(_.getParent)
    .takeWhile(_ != null)
    .map(_.resolve("sbt-needletail/src/main/resources/needletail/sbt/launcher.sh"))
    .find(Files.isRegularFile(_))
    .getOrElse(fail("there is no launcher above this directory"))

  /** Lays it out as `dist` does. */
  private def launcher(main: String): Path = {
    val root = temporaryDirectory()
    val bin  = Files.createDirectories(root.resolve("bin"))
    Files.createDirectories(root.resolve("lib"))
    val text = new String(Files.readAllBytes(template), UTF_8)
      .replace("@NAME@", "keeping")
      .replace("@COLLECTOR@", "-XX:+UseSerialGC")
      .replace("@CLASSPATH@", ClassPath.of(getClass.getClassLoader))
      .replace("@MAIN@", main)
    val file = Files.write(bin.resolve("keeping"), text.getBytes(UTF_8))
    file.toFile.setExecutable(true)
    file
  }

  private def started(options: String): Process = {
    val builder = new ProcessBuilder(launcher("needletail.server.KeepingMain").toString)
    builder.environment.put("JAVA_HOME", System.getProperty("java.home"))
    builder.environment.put("JAVA_OPTS", options)
    builder.redirectErrorStream(true).start()
  }

  test("a program whose memory is used up ends as a whole, with status 3, so that it can be started again") {
    val process = started("-Xmx40m -XX:TieredStopAtLevel=1")
    try {
      val lines = new BufferedReader(new InputStreamReader(process.getInputStream, UTF_8))
      val port  = lines.readLine() match {
        case line if line != null && line.startsWith("port ") => line.drop(5).toInt
        case other                                            => fail(String.valueOf(other))
      }
      val until = System.nanoTime + 15L * 1000 * 1000 * 1000
      var asked = 0
      while (process.isAlive && asked < 100 && System.nanoTime < until) {
        asked += 1
        try {
          val client = new RawClient(port)
          client.socket.setSoTimeout(1000)
          client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").readAll()
          client.close()
        } catch { case _: IOException => () }
      }
      assert(process.waitFor(20, TimeUnit.SECONDS), s"it is there after $asked requests")
      assertEquals(process.exitValue, 3)
    } finally { process.destroyForcibly(); () }
  }
}

/** Keeps a part of its memory for each request. */
object KeepingMain {
  private val kept = new ConcurrentLinkedQueue[Array[Byte]]

  def main(args: Array[String]): Unit = {
    val keeps: Handler = { _ =>
      kept.add(new Array[Byte](1024 * 1024))
      Response.ok("kept")
    }
    Server(keeps, ServerConfig(address = Address.Tcp("127.0.0.1", 0), loops = 2, log = Log.none))
      .run(server => println(s"port ${server.port}"))
  }
}
