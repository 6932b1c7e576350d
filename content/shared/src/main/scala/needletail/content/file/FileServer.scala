package needletail.content.file

import java.nio.file.{Files, Path}

import needletail.async.Async
import needletail.http.{Reply, Request, Response, Status}
import needletail.routing._
import needletail.stream.stage.OpenFile

/** Serves the files of a directory. */
private[content] final class FileServer(root: Path, config: FileConfig) {
  import FileServer._
  if (!Files.isDirectory(root))
    throw new IllegalArgumentException(
      s"there is no directory $root" + (if (root.isAbsolute) "" else s" in ${root.toAbsolutePath.getParent}")
    )

  private val store = new FileStore(root, config)

  /** The number of files that are open. */
  private[file] def opened: Int = store.opened

  /** The number of files that stay open for later requests. */
  private[file] def kept: Int = store.keptOpen

  /** Bytes in memory. */
  private[file] def held: Long = store.held

  def routes(prefix: String): Routes = FileServer.mounted(prefix)(answer)

  /** The route of one file of the directory. */
  def route(path: String, name: String): Routes = FileServer.at(path)(answer(_, List(name)))

  private def answer(request: Request, segments: List[String]): Reply =
    if (!SafePath.isSafe(segments, config.hidden) || !SafePath.isPossible(segments)) notFound
    else attempt(request, segments, store.find(segments), Attempts)

  private def attempt(request: Request, segments: List[String], found: Async[Found], left: Int): Reply = {
    val result = found.resultOrNull
    if (result != null && result.isValue) respond(request, segments, result.value, left)
    else
      new Reply.Later(
        found.transform {
          case scala.util.Failure(FileVersion.Changed) if left > 0 =>
            attempt(request, segments, store.findAgain(segments), left - 1).toAsync
          case other => Async.fromTry(other).flatMap(respond(request, segments, _, left).toAsync)
        }
      )
  }

  private def respond(request: Request, segments: List[String], found: Found, left: Int): Reply =
    found match {
      case Found.Nothing    => missing(request, segments, left)
      case Found.Directory  => withSlash(request)
      case file: StoredFile =>
        val variant = file.chosen(request)
        val sends   = request.connection.sendsFiles
        val atHand  = sends && variant.size >= FileContent.SendFrom && store.isAtHand(variant)
        variant.responses(request, System.currentTimeMillis() / 1000, atHand) match {
          case Outcome.Ready(response)           => response
          case Outcome.Streamed(response, parts) =>
            val length = parts.iterator.map(_.length).sum
            val lease  = parts match {
              case Part.Range(from, until) :: Nil if atHand && until - from >= FileContent.SendFrom =>
                store.lease(variant.version, from, until)
              case _ => null
            }
            if (lease != null) {
              val file = new OpenFile[ReadableFile](() => lease.reader())
              streamed(request, response, new FileContent(file, parts, sends, lease), length)
            } else new Reply.Later(
              new FileContent(
                store.open(variant.version),
                parts,
                sends
              ).opened.transform {
                case scala.util.Success(content) =>
                  Async.value(streamed(request, response, content, length))
                case scala.util.Failure(FileVersion.Changed) if left > 0 =>
                  attempt(request, segments, store.findAgain(segments), left - 1).toAsync
                case scala.util.Failure(e) => Async.fail(e)
              }
            )
        }
    }

  private def missing(request: Request, segments: List[String], left: Int): Reply =
    config.fallbackSegments match {
      case Some(others) if others != segments => attempt(request, others, store.find(others), left)
      case _                                  => notFound
    }

  /** The response with that content, which is closed even if something around the routes drops the response. */
  private def streamed(request: Request, response: Response, content: FileContent, length: Long): Response = {
    request.onOver(() => content.cancel())
    response.stream(content, length)
  }
}

private[content] object FileServer {

  /** How often a file that changes while it is opened is checked again. */
  private final val Attempts = 3

  private val notFound = Response.notFound.text("not found")

  /** The route below `prefix`, and one from `prefix` itself to it. */
  def mounted(prefix: String)(answer: (Request, List[String]) => Reply): Routes = {
    val path = prefix.split('/').filter(_.nonEmpty).mkString("/")
    def below(pattern: needletail.routing.Path[List[String]]): Routes =
      pattern + request to { case (segments, request) => answer(request, segments) }
    if (path.isEmpty) below(GET / !*)
    else Routes(below(GET / path / !*), (GET / path + request to (withSlash(_))).yielding)
  }

  /** The route of exactly this path. */
  def at(path: String)(answer: Request => Reply): Routes = {
    val segments = path.split('/').filter(_.nonEmpty).mkString("/")
    if (segments.isEmpty) Routes(GET + request to (answer(_)))
    else Routes(GET / segments + request to (answer(_)))
  }

  /** To the same path with a slash, relative to it: behind a web server its beginning is not known here. */
  def withSlash(request: Request): Response =
    if (request.path.startsWith("//")) notFound
    else
      Response(Status.MovedPermanently).header(
        "Location",
        "./" + request.path.substring(request.path.lastIndexOf('/') + 1) + "/" + request.query.fold("")(
          "?" + _
        )
      )
}
