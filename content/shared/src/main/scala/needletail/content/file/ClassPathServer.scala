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
  private val root   = base.split('/').filter(_.nonEmpty).map(_ + "/").mkString
  private val known  = new ConcurrentHashMap[String, StoredFile]
  private val weight = new AtomicLong

  def routes(prefix: String): Routes = FileServer.mounted(prefix)(answer)

  private def answer(request: Request, segments: List[String]): Reply =
    if (!SafePath.isSafe(segments, config.hidden)) ClassPathServer.notFound
    else {
      val key   = segments.mkString("/")
      val found = known.get(key)
      if (found != null) respond(request, found)
      else
        new Reply.Later(
          Async.blocking(load(key)).map(file =>
            if (file == null) ClassPathServer.notFound else respond(request, file)
          )
        )
    }

  private def respond(request: Request, file: StoredFile): Response =
    file.chosen(request).responses(request, System.currentTimeMillis() / 1000, mayStream = false) match {
      case Outcome.Ready(response)       => response
      case Outcome.Streamed(response, _) => response // never: all of it is in memory
    }

  /** A directory is served by its index file, with a slash; without one a directory cannot be recognised. */
  private def load(key: String): StoredFile = {
    val names = if (key.isEmpty || key.endsWith("/")) config.index.map(key + _) else List(key)
    names.iterator.map(file).find(_ != null) match {
      case None       => null
      case Some(file) =>
        if (weight.addAndGet(file.weight) > config.cacheSize) weight.addAndGet(-file.weight)
        else if (known.putIfAbsent(key, file) != null) weight.addAndGet(-file.weight)
        file
    }
  }

  private def file(name: String): StoredFile = {
    val content = ClassPathFile.read(root + name)
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
    new Variant(coding, content.length.toLong, ClassPathServer.tag(content), -1, null, content)
}

private object ClassPathServer {
  private val notFound = Response.notFound.text("not found")

  /** By the content: its length, and its FNV-1a hash of 64 bits. */
  private def tag(content: Array[Byte]): EntityTag = {
    var hash = 0xcbf29ce484222325L
    var i    = 0
    while (i < content.length) {
      hash = (hash ^ (content(i) & 0xff)) * 0x100000001b3L
      i += 1
    }
    EntityTag(java.lang.Long.toHexString(hash) + "-" + Integer.toHexString(content.length))
  }
}
