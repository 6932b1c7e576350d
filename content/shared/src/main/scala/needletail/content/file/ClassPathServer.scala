package needletail.content.file

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong

import needletail.async.Async
import needletail.content.conditional.EntityTag
import needletail.http.{Reply, Request, Response}
import needletail.routing.Routes

/**
 * Serves files of the class path, which do not change. Each is read when it is first requested, on a thread for blocking
 * work, and kept in memory as long as there is room for it.
 */
private[content] final class ClassPathServer(base: String, config: FileConfig) {
  private val root = base.split('/').filter(_.nonEmpty).map(_ + "/").mkString
  if (!ClassPathFile.hasFolder(root))
    throw new IllegalArgumentException(
      s"the class path has no folder '${root.stripSuffix("/")}', or nothing in it"
    )

  private val known  = new ConcurrentHashMap[String, StoredFile]
  private val weight = new AtomicLong

  def routes(prefix: String): Routes = FileServer.mounted(prefix)(answer)

  /** The route of one file. */
  def route(path: String, name: String): Routes = FileServer.at(path)(answer(_, List(name)))

  private def answer(request: Request, segments: List[String]): Reply =
    if (!SafePath.isSafe(segments, config.hidden)) ClassPathServer.notFound
    else {
      val key   = segments.mkString("/")
      val found = known.get(key)
      if (found != null) respond(request, found)
      else
        new Reply.Later(
          Async.blocking(look(key)).map {
            case file: StoredFile => respond(request, file)
            case Found.Directory  => FileServer.withSlash(request)
            case Found.Nothing    => ClassPathServer.notFound
          }
        )
    }

  private def respond(request: Request, file: StoredFile): Response =
    file.chosen(request).responses(request, System.currentTimeMillis() / 1000, mayStream = false) match {
      case Outcome.Ready(response)       => response
      case Outcome.Streamed(response, _) => response // never: all of it is in memory
    }

  /** The class path has no directories; what has an index file below it is one. */
  private def look(key: String): Found = {
    val file = load(key)
    if (file != null) file
    else if (key.nonEmpty && !key.endsWith("/") && load(key + "/") != null) Found.Directory
    else
      config.fallbackSegments.map(segments => load(segments.mkString("/"))).filter(
        _ != null
      ).getOrElse(Found.Nothing)
  }

  private def load(key: String): StoredFile = {
    val before = known.get(key)
    if (before != null) before
    else {
      val names = if (key.isEmpty || key.endsWith("/")) config.index.map(key + _) else List(key)
      val file  = names.iterator.map(this.file).find(_ != null).orNull
      if (file != null)
        if (weight.addAndGet(file.weight) > config.cacheSize) weight.addAndGet(-file.weight)
        else if (known.putIfAbsent(key, file) != null) weight.addAndGet(-file.weight)
      file
    }
  }

  private def file(name: String): StoredFile = {
    val content = if (config.filter(name)) ClassPathFile.read(root + name) else null
    if (content == null) null
    else {
      val prepared = config.precompressed.flatMap { coding =>
        Option(ClassPathFile.read(root + name + FileConfig.suffixes(coding))).map(variant(coding, _))
      }
      val file = new StoredFile(variant(null, content) :: prepared, 0)
      file.describe(name, config)
      file
    }
  }

  private def variant(coding: String, content: Array[Byte]): Variant =
    new Variant(coding, content.length.toLong, EntityTag(FileStore.tagOf(content)), -1, null, content)
}

private object ClassPathServer {
  private val notFound = Response.notFound.text("not found")
}
