package needletail.load.file

import java.io.IOException
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, StandardOpenOption}

/** The files that a command writes. */
final case class OutputFiles(
    json: Option[Path] = None,
    csv: Option[Path] = None,
    html: Option[Path] = None,
    hlog: Option[Path] = None,
    junit: Option[Path] = None
) {

  /** Those that were requested. */
  def all: Vector[Path] = Vector(json, csv, html, hlog, junit).flatten

  /**
   * Why one of them cannot be written; None if all can. To be checked before a long run. Existing files are not
   * changed.
   *
   * @param inputs files that are read, and must not be overwritten
   */
  def problem(inputs: Vector[Path] = Vector.empty): Option[String] = {
    val same = all.groupBy(OutputFiles.place).find(_._2.size > 1)
    val lost = all.find(path => inputs.exists(OutputFiles.place(_) == OutputFiles.place(path)))
    same.map { case (path, _) => s"two outputs have the path $path" }
      .orElse(lost.map(path => s"cannot write $path: it is an input file"))
      .orElse(all.iterator.flatMap(OutputFiles.problem).nextOption())
  }
}

object OutputFiles {

  /** The real path of a file, with links resolved; for a new file, that of its directory. */
  private def place(path: Path): Path = {
    val whole = path.toAbsolutePath.normalize
    try whole.toRealPath()
    catch {
      case _: IOException =>
        try whole.getParent.toRealPath().resolve(whole.getFileName)
        catch { case _: IOException => whole }
    }
  }

  private[load] def problem(path: Path): Option[String] =
    if (Files.isDirectory(path)) Some(s"cannot write $path: it is a directory")
    else
      try {
        val there = Files.exists(path)
        Files.newOutputStream(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND).close()
        if (!there) Files.delete(path.toRealPath()) // a link to a file that was not there stays
        None
      } catch {
        case e: IOException => Some(s"cannot write $path: ${FileProblem.reason(e)}")
      }

  /** Writes a file. Returns the error, if any. */
  private[load] def write(path: Path, content: Array[Byte]): Option[String] =
    try {
      Files.write(path, content)
      None
    } catch { case e: IOException => Some(s"cannot write $path: ${FileProblem.reason(e)}") }

  private[load] def write(path: Path, content: String): Option[String] = write(path, content.getBytes(UTF_8))
}
