import sbt._
import java.nio.file.{Files, StandardCopyOption}
import java.util.concurrent.TimeUnit

/** Lays out what a release ships: `dist/bin/NAME`, `dist/bin/NAME-native`, `dist/lib` with the jars. */
object Dist {

  /** The cheapest stores into the heap, all cores for a collection, and a start as quick as the serial one's. */
  private val collector = "-XX:+UseParallelGC"

  /** A launcher for the JVM with all that it needs. */
  def jvm(root: File, name: String, mainClass: String, jars: Seq[File], log: Logger): File = {
    val lib = root / "dist" / "lib"
    val bin = root / "dist" / "bin"
    jars.foreach(jar => put(jar, lib / jar.getName))
    val text = IO
      .read(root / "project" / "launcher.sh")
      .replace("@NAME@", name)
      .replace("@MAIN@", mainClass)
      .replace("@COLLECTOR@", collector)
      .replace("@CLASSPATH@", jars.map("$lib/" + _.getName).mkString(":"))
    val launcher = bin / name
    IO.write(launcher, text)
    executable(launcher)
    archiveClasses(launcher, lib / s"$name.jsa", log)
    launcher
  }

  def native(root: File, name: String, binary: File, log: Logger): File = {
    val target = root / "dist" / "bin" / s"$name-native"
    put(binary, target)
    executable(target)
    log.info(f"$target: ${target.length / 1e6}%.1f MB")
    target
  }

  /**
   * Lets the program start, serve one request and stop, and keeps the classes that it loaded in an archive that
   * the next start maps into memory. Without it the program starts just as well, only later.
   */
  private def archiveClasses(launcher: File, archive: File, log: Logger): Unit = {
    IO.delete(archive)
    val build = new ProcessBuilder(launcher.getPath, "--port", "0").redirectErrorStream(true)
    // The last -XX:SharedArchiveFile counts: an empty one stands for the JDK's own archive.
    build.environment.put("JAVA_OPTS", s"-XX:SharedArchiveFile= -XX:ArchiveClassesAtExit=$archive")
    val process = build.start()
    val killer  = new Thread(() => if (!process.waitFor(30, TimeUnit.SECONDS)) process.destroyForcibly())
    killer.setDaemon(true)
    killer.start()
    val lines = scala.io.Source.fromInputStream(process.getInputStream).getLines()
    val port  =
      lines.flatMap(line => """:(\d{2,5})\b""".r.findFirstMatchIn(line).map(_.group(1).toInt)).take(1)
    port.foreach(exercise)
    process.toHandle.destroy() // asks it to stop, and leaves its output open
    lines.foreach(_ => ())
    process.waitFor()
    if (!archive.isFile) log.warn(s"no archive of classes for ${launcher.getName}: it will start more slowly")
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
  private def put(from: File, to: File): Unit = synchronized {
    IO.createDirectory(to.getParentFile)
    val part = java.io.File.createTempFile("part", null, to.getParentFile)
    IO.copyFile(from, part, preserveLastModified = true)
    Files.move(part.toPath, to.toPath, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE)
  }

  private def executable(file: File): Unit = file.setExecutable(true, false)
}
