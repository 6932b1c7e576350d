package needletail.load.report

import java.io.IOException
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, StandardOpenOption}

/** The files that a command is to leave. */
final case class OutputFiles(
    json: Option[Path] = None,
    csv: Option[Path] = None,
    html: Option[Path] = None,
    hlog: Option[Path] = None,
    junit: Option[Path] = None
) {
  def all: Vector[Path] = Vector(json, csv, html, hlog, junit).flatten

  /**
   * Why one of them cannot be written; to be asked before a long run, not after it. What is there stays as it is.
   *
   * @param inputs
   *   what is read, and is not to be written over
   */
  def problem(inputs: Vector[Path] = Vector.empty): Option[String] = {
    val same = all.groupBy(OutputFiles.place).find(_._2.size > 1)
    val lost = all.find(path => inputs.exists(OutputFiles.place(_) == OutputFiles.place(path)))
    same.map { case (path, _) => s"two outputs are to go to $path" }
      .orElse(lost.map(path => s"cannot write $path: it is read here, and would be lost"))
      .orElse(all.iterator.flatMap(OutputFiles.problem).nextOption())
  }
}

object OutputFiles {

  /** Where it is, by whatever links it is called; of one that is not there yet, its folder decides. */
  private def place(path: Path): Path = {
    val whole = path.toAbsolutePath.normalize
    try whole.toRealPath()
    catch {
      case _: IOException =>
        try whole.getParent.toRealPath().resolve(whole.getFileName)
        catch { case _: IOException => whole }
    }
  }

  private[report] def problem(path: Path): Option[String] =
    if (Files.isDirectory(path)) Some(s"cannot write $path: it is a directory")
    else
      try {
        val there = Files.exists(path)
        Files.newOutputStream(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND).close()
        if (!there) Files.delete(path)
        None
      } catch {
        case e: IOException => Some(s"cannot write $path: ${reason(e)}")
      }

  /** The reason, where it could not be written after all. */
  private[load] def write(path: Path, content: Array[Byte]): Option[String] =
    try {
      Files.write(path, content)
      None
    } catch { case e: IOException => Some(s"cannot write $path: ${reason(e)}") }

  private[load] def write(path: Path, content: String): Option[String] = write(path, content.getBytes(UTF_8))

  private[load] def reason(e: IOException): String = e match {
    case _: java.nio.file.NoSuchFileException   => "there is no such file or directory"
    case _: java.nio.file.AccessDeniedException => "permission denied"
    case other                                  =>
      val message = Option(other.getMessage).getOrElse(other.toString)
      message.substring(message.lastIndexOf(": ") match { case -1 => 0; case at => at + 2 })
  }
}
