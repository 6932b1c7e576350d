package needletail.gateway.host.incoming

import java.io.IOException
import java.nio.file.{Files, InvalidPathException, NoSuchFileException, Path, Paths}

import needletail.gateway.host.backend.ByteText
import needletail.http.message.{HttpError, Status}
import needletail.io.file.RealPath

/**
 * Finds the file of a path below a directory, and nothing outside of it. It uses the file system, so call it on a
 * thread that may block.
 *
 * @param extension the suffix of programs' names, `.php`; empty: any file is a program
 * @param index the file that is used for its directory; empty: none
 */
private[host] final class ScriptFinder(
    mount: Mount,
    directory: String,
    mustExecute: Boolean,
    extension: String = "",
    index: String = ""
) {
  private lazy val root: Path = real(Paths.get(directory))

  /**
   * The program for those segments, and the rest of them. 404 if it does not exist, for names that begin with a dot,
   * and for symbolic links that lead out of the directory; 403 if it exists and is not executable.
   */
  def find(segments: List[String]): Either[HttpError, ScriptPath] =
    try walk(root, mount.name, segments)
    catch {
      case _: IOException          => Left(Mount.notFound) // it was removed meanwhile
      case _: InvalidPathException =>
        Left(Mount.notFound) // not a valid file name here, for example in an ASCII locale
    }

  private def walk(at: Path, name: String, segments: List[String]): Either[HttpError, ScriptPath] =
    segments match {
      case Nil | "" :: Nil =>
        if (index.isEmpty) Left(Mount.notFound) else file(at.resolve(index), s"$name/$index", Nil)
      case segment :: _ if segment.isEmpty || segment.startsWith(".") => Left(Mount.notFound)
      case segment :: more                                            =>
        val next = at.resolve(segment)
        if (Files.isDirectory(next)) {
          if (isInside(next)) walk(next, s"$name/$segment", more) else Left(Mount.notFound)
        } else file(next, s"$name/$segment", more)
    }

  private def file(path: Path, name: String, rest: List[String]): Either[HttpError, ScriptPath] =
    if (!Files.isRegularFile(path) || !path.toString.endsWith(extension) || !isInside(path))
      Left(Mount.notFound)
    else if (mustExecute && !Files.isExecutable(path))
      Left(HttpError(Status.Forbidden, "not executable"))
    else
      Right(
        ScriptPath(
          ByteText.of(name),
          ByteText.of(rest.map("/" + _).mkString),
          ByteText.of(real(path).toString),
          ByteText.of(root.toString)
        )
      )

  private def isInside(path: Path): Boolean = real(path).startsWith(root)

  /** Throws NoSuchFileException if nothing is there, or nothing that can be reached. */
  private def real(path: Path): Path = {
    val real = RealPath.of(path)
    if (real == null) throw new NoSuchFileException(path.toString)
    real
  }
}
