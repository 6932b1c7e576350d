import com.sun.net.httpserver.HttpServer
import sbt._
import java.net.InetSocketAddress
import java.nio.file.{Files, StandardCopyOption}
import java.util.concurrent.TimeUnit

/** Lays out what a release ships: `dist/bin/NAME`, `dist/bin/NAME-native`, `dist/lib` with the jars. */
object Dist {

  /** The cheapest stores into the heap, all cores for a collection, and a start as quick as the serial one's. */
  private val collector = "-XX:+UseParallelGC"

  /** A launcher of a server for the JVM with all that it needs. */
  def jvm(root: File, name: String, mainClass: String, jars: Seq[File], log: Logger): File =
    laidOut(root, name, mainClass, jars)((launcher, lib, jdk) =>
      prepare(launcher, jdk, lib, name, log)(serve)
    )

  /** The same of a program that asks a server: it is given one, and the arguments to ask it with. */
  def tool(root: File, name: String, mainClass: String, jars: Seq[File], log: Logger)(
      arguments: String => Seq[String]
  ): File =
    laidOut(root, name, mainClass, jars)((launcher, lib, jdk) =>
      prepare(launcher, jdk, lib, name, log)(ask(arguments, _))
    )

  private def laidOut(root: File, name: String, mainClass: String, jars: Seq[File])(
      prepared: (File, File, Jdk) => Unit
  ): File = {
    val lib = root / "dist" / "lib"
    val bin = root / "dist" / "bin"
    jars.foreach(jar => put(lib / jar.getName)(ShippedJar.make(jar, _)))
    val text = IO
      .read(root / "project" / "launcher.sh")
      .replace("@NAME@", name)
      .replace("@MAIN@", mainClass)
      .replace("@COLLECTOR@", collector)
      .replace("@CLASSPATH@", jars.map("$lib/" + _.getName).mkString(":"))
    val launcher = bin / name
    IO.write(launcher, text)
    executable(launcher)
    lib.listFiles.filter(file => file.getName.matches(s"\\Q$name\\E-\\d+\\.(jsa|aot)")).foreach(IO.delete(_))
    Jdk.found.foreach(prepared(launcher, lib, _))
    launcher
  }

  /** `dist/bin/NAME-native`; with another collector than the usual one, which SCALANATIVE_GC asks for, that is added. */
  def native(root: File, name: String, collector: String, binary: File, log: Logger): File = {
    checkMended(binary)
    val target =
      root / "dist" / "bin" / (s"$name-native" + (if (collector == "immix") "" else s"-$collector"))
    put(target)(IO.copyFile(binary, _, preserveLastModified = true))
    executable(target)
    log.info(f"$target: ${target.length / 1e6}%.1f MB")
    target
  }

  /** Without `needletail_traits.c` objects are taken for what they are not (decision 22); linkers drop what seems unused. */
  private def checkMended(binary: File): Unit = {
    val symbol = "needletail_traits_mend\u0000"
    if (!new String(Files.readAllBytes(binary.toPath), "ISO-8859-1").contains(symbol))
      sys.error(s"$binary was linked without what mends Scala Native's classes (needletail_traits.c)")
  }

  /**
   * Lets the program start, do some of its work and stop, and keeps what this JDK can make use of at its next start:
   * the classes that were loaded, and from Java 25 on also what was compiled of them (JEP 483, 514, 515). Without it
   * the program starts just as well, only later.
   */
  private def prepare(launcher: File, jdk: Jdk, lib: File, name: String, log: Logger)(
      work: (Seq[String] => Process) => Unit
  ): Unit = {
    val kept   = lib / s"$name-${jdk.version}.${if (jdk.version >= 25) "aot" else "jsa"}"
    val option =
      if (jdk.version >= 25) s"-XX:AOTCacheOutput=$kept" else s"-XX:ArchiveClassesAtExit=$kept"
    work { arguments =>
      val build = new ProcessBuilder((launcher.getPath +: arguments): _*).redirectErrorStream(true)
      build.environment.put("JAVA_HOME", jdk.home.getPath)
      build.environment.put("JAVA_OPTS", option)
      val process = build.start()
      val killer  =
        new Thread(() => if (!process.waitFor(60, TimeUnit.SECONDS)) process.destroyForcibly())
      killer.setDaemon(true)
      killer.start()
      process
    }
    if (!kept.isFile)
      log.warn(s"nothing prepared for ${launcher.getName} on Java ${jdk.version}: it will start more slowly")
  }

  /** A server serves some requests. */
  private def serve(start: Seq[String] => Process): Unit = {
    val process = start(Seq("--port", "0"))
    val lines   = scala.io.Source.fromInputStream(process.getInputStream).getLines()
    val port    =
      lines.flatMap(line => """:(\d{2,5})\b""".r.findFirstMatchIn(line).map(_.group(1).toInt)).take(1)
    port.foreach(exercise)
    process.toHandle.destroy() // asks it to stop, and leaves its output open
    lines.foreach(_ => ())
    process.waitFor()
  }

  /** A tool asks a server until it ends by itself. */
  private def ask(arguments: String => Seq[String], start: Seq[String] => Process): Unit = {
    val server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0)
    server.createContext(
      "/",
      exchange => {
        exchange.sendResponseHeaders(200, 2)
        exchange.getResponseBody.write("ok".getBytes)
        exchange.close()
      }
    )
    server.start()
    try {
      val process = start(arguments(s"http://127.0.0.1:${server.getAddress.getPort}/"))
      scala.io.Source.fromInputStream(process.getInputStream).getLines().foreach(_ => ())
      process.waitFor()
    } finally server.stop(0)
  }

  private def exercise(port: Int): Unit =
    for (path <- Seq("/", "/plaintext", "/json", "/hello", "/dispatcher"))
      scala.util.Try {
        val connection = url(s"http://127.0.0.1:$port$path").openConnection()
        connection.setConnectTimeout(1000)
        connection.setReadTimeout(1000)
        connection.getContentLength
      }

  /** Programs share jars and are laid out at the same time; a program under way keeps the file that it has. */
  private def put(to: File)(write: File => Unit): Unit = synchronized {
    IO.createDirectory(to.getParentFile)
    val part = java.io.File.createTempFile("part", null, to.getParentFile)
    write(part)
    Files.move(part.toPath, to.toPath, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE)
  }

  private def executable(file: File): Unit = file.setExecutable(true, false)
}

/** A JDK on this machine. */
final case class Jdk(home: File, version: Int)

object Jdk {

  /**
   * One of each version from 17 on: the one that runs this, those that JAVA_HOME, JAVA17_HOME and JAVA25_HOME name, and
   * those installed beside them.
   */
  lazy val found: Seq[Jdk] = {
    val named = file(sys.props("java.home")) +:
      Seq("JAVA_HOME", "JAVA17_HOME", "JAVA25_HOME").flatMap(sys.env.get).filter(_.nonEmpty).map(file(_))
    val beside = named.flatMap(home => Option(home.getCanonicalFile.getParentFile.listFiles)).flatten
    val all    = (named ++ beside.filter(_.isDirectory).sorted).flatMap(of)
    all.groupBy(_.version).values.map(_.head).filter(_.version >= 17).toSeq.sortBy(_.version)
  }

  private def of(home: File): Option[Jdk] = {
    val release = home / "release"
    if (!(home / "bin" / "java").canExecute || !release.isFile) None
    else
      IO.readLines(release).collectFirst { case Version(number) => Jdk(home, number.toInt) }
  }

  private val Version = """JAVA_VERSION="(\d+).*""".r
}
