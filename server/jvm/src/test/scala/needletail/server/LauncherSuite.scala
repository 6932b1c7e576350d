package needletail.server

import java.io.{BufferedReader, IOException, InputStreamReader}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}
import java.util.concurrent.{ConcurrentLinkedQueue, TimeUnit}

import scala.concurrent.duration._

import needletail.http.{Handler, Response}
import needletail.io.Address
import needletail.testing.{ClassPath, Suite, TemporaryDirectories}

/** The script that starts programs on the JVM. */
class LauncherSuite extends Suite with TemporaryDirectories {
  override def munitTimeout: Duration = 2.minutes // of a JVM that is started

  private def template: Path = Iterator
    .iterate(Paths.get("").toAbsolutePath)(_.getParent)
    .takeWhile(_ != null)
    .map(_.resolve("sbt-needletail/src/main/resources/needletail/sbt/launcher.sh"))
    .find(Files.isRegularFile(_))
    .getOrElse(fail("there is no launcher above this directory"))

  /** Lays it out as `dist` does, with these files in `lib`. */
  private def launcher(main: String, files: String*): Path = {
    val root = temporaryDirectory()
    val bin  = Files.createDirectories(root.resolve("bin"))
    val lib  = Files.createDirectories(root.resolve("lib"))
    files.foreach(name => Files.createFile(lib.resolve(name)))
    val text = new String(Files.readAllBytes(template), UTF_8)
      .replace("@NAME@", "keeping")
      .replace("@COLLECTOR@", "-XX:+UseSerialGC")
      .replace("@CLASSPATH@", ClassPath.of(getClass.getClassLoader))
      .replace("@MAIN@", main)
    script(bin.resolve("keeping"), text)
  }

  /**
   * An executable file. Another process writes it: while ours has it open, so has a process that is just being started,
   * and the system runs no file that is open for writing.
   */
  private def script(path: Path, text: String): Path = {
    val command = "printf %s \"$1\" >\"$0\" && chmod 755 \"$0\""
    assertEquals(new ProcessBuilder("/bin/sh", "-c", command, path.toString, text).start().waitFor(), 0)
    path
  }

  private val home = System.getProperty("java.home")

  /** Starts it with these variables and no others that name options. */
  private def started(launcher: Path, variables: (String, String)*): Process = {
    val builder = new ProcessBuilder(launcher.toString)
    (List("JAVA_HOME", "JAVA_OPTS") ++ byItself).foreach(builder.environment.remove(_))
    variables.foreach { case (name, value) => builder.environment.put(name, value) }
    builder.redirectErrorStream(true).start()
  }

  /** Variables that the JVM reads, too. */
  private val byItself = List("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS")

  /** What it passes to a java of version 25 that is none, with a cache of classes in `lib`. */
  private def passed(variables: (String, String)*): List[String] = {
    val jdk = temporaryDirectory()
    Files.createDirectories(jdk.resolve("bin"))
    script(jdk.resolve("bin/java"), "#!/bin/sh\nprintf '%s\\n' \"$@\"\n")
    Files.write(jdk.resolve("release"), "JAVA_VERSION=\"25.0.1\"\n".getBytes(UTF_8))
    val process =
      started(launcher("Main", "keeping-25.aot"), (("JAVA_HOME" -> jdk.toString) +: variables): _*)
    val said = scala.io.Source.fromInputStream(process.getInputStream, "UTF-8").getLines().toList
    assertEquals(process.waitFor(), 0, said)
    said
  }

  /** Asserts that a program starts, and ends it. */
  private def starts(variables: (String, String)*): Unit = {
    val process = started(launcher("needletail.server.KeepingMain"), variables: _*)
    try {
      val lines = scala.io.Source.fromInputStream(process.getInputStream, "UTF-8").getLines()
      val said  = List.newBuilder[String]
      assert(lines.exists { line => said += line; line.startsWith("port ") }, said.result())
    } finally { process.destroyForcibly(); () }
  }

  private def collectors(options: List[String]) = options.filter(_.matches("-XX:[+]Use[A-Z0-9a-z]*GC"))

  test("a collector that one of the variables names is the only one") {
    for (option <- List("-XX:+UseG1GC", "-XX:+UseZGC", "-Xmx1g -XX:+UseG1GC -Da=b")) {
      assertEquals(collectors(passed("JAVA_OPTS" -> option)), collectors(option.split(' ').toList))
      for (name <- byItself) assertEquals(collectors(passed(name -> option)), Nil, s"$name=$option")
    }
    assertEquals(collectors(passed("JDK_JAVA_OPTIONS" -> "'-XX:+UseG1GC' \"-Da=b c\"")), Nil)
    starts("JAVA_HOME" -> home, "JDK_JAVA_OPTIONS" -> "-XX:+UseG1GC")
  }

  test("options that name no collector leave the program its own") {
    val others = List(
      "-XX:+UseCompressedOops -XX:MaxGCPauseMillis=50",
      "-XX:+UseMaximumCompactionOnSystemGC",
      "-XX:-UseG1GC",
      "-Da=-XX:+UseG1GC"
    )
    for (name <- "JAVA_OPTS" :: byItself; option <- others)
      assert(passed(name -> option).contains("-XX:+UseSerialGC"), s"$name=$option")
  }

  test("a cache or an archive that one of the variables names is the only one") {
    def caches(options: List[String]) =
      options.filter(o => o.startsWith("-XX:AOTCache=") || o.startsWith("-Xshare:"))
    assert(caches(passed()).head.endsWith("/lib/keeping-25.aot"))
    assert(caches(passed("JDK_JAVA_OPTIONS" -> "-XX:AOTMode=off")).head.endsWith("/lib/keeping-25.aot"))
    val others =
      List("-Xshare:off", "-XX:AOTCache=a.aot", "-XX:AOTCacheOutput=a.aot", "-XX:SharedArchiveFile=a.jsa")
    for (option <- others) {
      assertEquals(caches(passed("JAVA_OPTS" -> option)), caches(List(option)))
      for (name <- byItself) assertEquals(caches(passed(name -> option)), Nil, s"$name=$option")
    }
  }

  test("the java on the PATH may be a program that starts one of several") {
    val shims   = temporaryDirectory()
    val several =
      s"#!/bin/sh\ncase $$0 in */java) exec '$home/bin/java' \"$$@\" ;; *) echo 'no java'; exit 1 ;; esac\n"
    Files.createSymbolicLink(shims.resolve("java"), script(shims.resolve("several"), several))
    starts("PATH" -> s"$shims:${System.getenv("PATH")}")
  }

  test("a program whose memory is used up ends as a whole, with status 3, so that it can be started again") {
    val options = "-Xmx40m -XX:TieredStopAtLevel=1"
    val process =
      started(launcher("needletail.server.KeepingMain"), "JAVA_HOME" -> home, "JAVA_OPTS" -> options)
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
