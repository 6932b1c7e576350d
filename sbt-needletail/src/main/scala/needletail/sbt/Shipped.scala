package needletail.sbt

import _root_.sbt._
import java.nio.file.{Files, StandardCopyOption}
import java.util.concurrent.TimeUnit
import java.util.zip.ZipFile
import scala.util.control.NonFatal

/** Builds the files of a release: `bin/NAME`, `bin/NAME-native`, and `lib` with the jars. */
private[sbt] object Shipped {

  /**
   * The cheapest stores into the heap, all cores for a collection, and a start as quick as the serial one's. The space for
   * new objects grows only while collections take more than 5 % of the time, not 1 %: it is not given back.
   */
  private val collector = "-XX:+UseParallelGC -XX:GCTimeRatio=19"

  /** A launcher for the JVM with all that it needs; the launcher's file. */
  def jvm(
      directory: File,
      name: String,
      mainClass: String,
      jars: Seq[File],
      training: Training,
      log: Logger
  ): File = {
    val lib = directory / "lib"
    for ((name, several) <- jars.distinct.groupBy(_.getName) if several.size > 1)
      sys.error(
        s"two libraries have the file name $name, so that one would replace the other: ${several.mkString(", ")}"
      )
    jars.foreach(jar => put(lib / jar.getName)(ShippedJar.make(jar, _)))
    val text = PluginFiles
      .text("launcher.sh")
      .replace("@NAME@", name)
      .replace("@MAIN@", mainClass)
      .replace("@COLLECTOR@", collector)
      .replace("@CLASSPATH@", jars.map(jar => "$" + s"lib/${jar.getName}").mkString(":"))
    val launcher = directory / "bin" / name
    IO.write(launcher, text)
    executable(launcher)
    lib.listFiles.filter(file => file.getName.matches(s"\\Q$name\\E-\\d+\\.(jsa|aot)")).foreach(IO.delete(_))
    Jdk.found.foreach(prepare(launcher, _, lib, name, training, log))
    launcher
  }

  /** `bin/NAME-native`; with another collector than the usual one, which SCALANATIVE_GC asks for, that is added. */
  def native(
      directory: File,
      name: String,
      collector: String,
      binary: File,
      classpath: Seq[File],
      log: Logger
  ): File = {
    if (classpath.exists(has(_, "scala-native/needletail_traits.c"))) checkMended(binary)
    val target =
      directory / "bin" / (s"$name-native" + (if (collector == "immix") "" else s"-$collector"))
    put(target)(IO.copyFile(binary, _, preserveLastModified = true))
    executable(target)
    log.info(f"$target: ${target.length / 1e6}%.1f MB")
    target
  }

  /** Without `needletail_traits.c` objects are taken for what they are not (decision 22); linkers drop what seems unused. */
  private def checkMended(binary: File): Unit = {
    val mark = "needletail_traits_mend\u0000"
    if (!new String(Files.readAllBytes(binary.toPath), "ISO-8859-1").contains(mark))
      sys.error(s"$binary was linked without what mends Scala Native's classes (needletail_traits.c)")
  }

  /** Whether a directory of classes or a jar has this file. */
  private def has(entry: File, path: String): Boolean =
    if (entry.isDirectory) (entry / path).isFile
    else
      entry.isFile && (try {
        val jar = new ZipFile(entry)
        try jar.getEntry(path) != null
        finally jar.close()
      } catch { case NonFatal(_) => false }) // a class path may hold what is no jar

  /**
   * Lets the program start, do some of its work and stop, and keeps what this JDK can make use of at its next start:
   * the classes that were loaded, and from Java 25 on also what was compiled of them (JEP 483, 514, 515). Without it
   * the program starts just as well, only later.
   */
  private def prepare(
      launcher: File,
      jdk: Jdk,
      lib: File,
      name: String,
      training: Training,
      log: Logger
  ): Unit = {
    val kept   = lib / s"$name-${jdk.version}.${if (jdk.version >= 25) "aot" else "jsa"}"
    val option =
      if (jdk.version >= 25) s"-XX:AOTCacheOutput=$kept" else s"-XX:ArchiveClassesAtExit=$kept"
    val wasReached = training.run { arguments =>
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
      log.warn(
        s"nothing prepared for ${launcher.getName} on Java ${jdk.version}: it will start more slowly. " +
          "needletailTraining says how it is started here"
      )
    else if (!wasReached)
      log.warn(
        s"${launcher.getName} could be sent no request, so only its start is prepared on Java ${jdk.version}. " +
          "needletailTraining says how it is started and asked here"
      )
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
