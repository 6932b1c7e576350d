package needletail.gateway.host

import java.io.IOException
import java.nio.file.{Files, InvalidPathException, Path, Paths}

import needletail.http.{HttpError, PercentCoding, Request, Status}

/** A prefix of paths, `/cgi-bin`; `/` for all. */
private[host] final class Mount(path: String) {
  val segments: List[String] = path.split('/').toList.filter(_.nonEmpty)

  /** With a slash in front; empty for all paths. */
  val name: String = segments.map("/" + _).mkString

  /** Does a request's path begin with it? */
  def isAbove(request: Request): Boolean =
    request.path == name || request.path.startsWith(name + "/")

  /** What a request's path has below, its segments decoded; an empty last one for a slash at the end. */
  def below(request: Request): Either[HttpError, List[String]] = {
    // escaped slashes are still escaped, so that they divide nothing
    val all    = request.path.split("/", -1).toList.drop(1 + segments.length)
    val result = all.map(PercentCoding.decode)
    result.collectFirst { case Left(error) => error } match {
      case Some(error) => Left(error)
      case None        =>
        val texts = result.collect { case Right(text) => text }
        if (texts.exists(_.indexOf(0) >= 0)) Left(HttpError(Status.BadRequest, "a NUL in the path"))
        else if (texts.exists(text => text.indexOf('/') >= 0 || text == "." || text == ".."))
          Left(Mount.notFound) // what could be taken for another path by who is given it decoded
        else Right(texts)
    }
  }
}

private[host] object Mount {
  val notFound: HttpError = HttpError(Status.NotFound, "not found")
}

/**
 * Finds the file that a path means below a directory, and nothing outside of it. It asks the file system, so it is to
 * be called on a thread that may wait.
 *
 * @param extension what the names of programs end with, `.php`; empty: any file is one
 * @param index the name of the file that stands for its directory; empty: none does
 */
private[host] final class ScriptFinder(
    mount: Mount,
    directory: String,
    mustExecute: Boolean,
    extension: String = "",
    index: String = ""
) {
  private lazy val root: Path = Paths.get(directory).toRealPath()

  /**
   * The program for those segments and what is left of them. 404 for what is not there, for names that begin with a
   * dot, and for what a symbolic link leads out of the directory to; 403 for what is there and may not be executed.
   */
  def find(segments: List[String]): Either[HttpError, ScriptPath] =
    try walk(root, mount.name, segments)
    catch {
      case _: IOException          => Left(Mount.notFound) // it vanished on the way
      case _: InvalidPathException =>
        Left(Mount.notFound) // no name that a file can have here, in an ASCII locale for one
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
          OctetText.of(name),
          OctetText.of(rest.map("/" + _).mkString),
          OctetText.of(path.toRealPath().toString),
          OctetText.of(root.toString)
        )
      )

  private def isInside(path: Path): Boolean = path.toRealPath().startsWith(root)
}
