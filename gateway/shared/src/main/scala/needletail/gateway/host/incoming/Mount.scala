package needletail.gateway.host.incoming

import needletail.http.Request
import needletail.http.message.{HttpError, PercentCoding, Status}

/** The prefix of the paths of a program, such as `/cgi-bin`; `/` for all paths. */
private[host] final class Mount(path: String) {
  val segments: List[String] = path.split('/').toList.filter(_.nonEmpty)

  /** With a leading slash; empty for all paths. */
  val name: String = segments.map("/" + _).mkString

  /** Whether a request's path begins with it, as for routes: both are compared decoded. */
  def isAbove(request: Request): Boolean = {
    val first = request.path.split("/", -1).slice(1, 1 + segments.length)
    first.map(PercentCoding.decode).toList == segments.map(Right(_))
  }

  /** The decoded segments of a request's path below it; an empty last one for a slash at the end. */
  def below(request: Request): Either[HttpError, List[String]] = {
    // escaped slashes are still escaped, so that they do not divide segments
    val all    = request.path.split("/", -1).toList.drop(1 + segments.length)
    val result = all.map(PercentCoding.decode)
    result.collectFirst { case Left(error) => error } match {
      case Some(error) => Left(error)
      case None        =>
        val texts = result.collect { case Right(text) => text }
        if (texts.exists(_.indexOf(0) >= 0)) Left(HttpError(Status.BadRequest, "a NUL in the path"))
        else if (
          texts.exists(text => text.indexOf('/') >= 0 || text == "." || text == "..") ||
          texts.dropRight(1).exists(_.isEmpty)
        ) Left(Mount.notFound) // a program could take it for another path than the routes before it did
        else Right(texts)
    }
  }
}

private[host] object Mount {
  val notFound: HttpError = HttpError(Status.NotFound, "not found")
}
