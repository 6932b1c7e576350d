package needletail.content.file

import scala.concurrent.duration._

import needletail.async.Setting

/**
 * How files are served.
 *
 * @param index names of index files; the first one that exists is used
 * @param cacheControl values of Cache-Control by pattern of the path below the directory; the first that fits counts.
 *                     `*` matches any characters but slashes, `**` any
 * @param precompressed codings whose prepared files are sent to clients that accept them, the preferred one first:
 *                      `br` (`page.html.br`), `zstd` (`.zst`), `gzip` (`.gz`)
 * @param hidden whether names that begin with a dot are served; `.well-known` is in any case
 * @param freshness how long the known state of a file is used without checking again
 * @param cachedFile files of at most so many bytes are kept in memory
 * @param cacheSize bytes of files in memory
 * @param maxOpen files that stay open while they are sent; one more is opened again for each 64 KB of it, and its
 *                response breaks off if it is replaced meanwhile
 * @param keptOpen files of at least 64 KB that stay open for later requests, for some seconds after the last one, where
 *                 the system can send them; 0 for none
 * @param maxRanges parts of a multipart/byteranges; a request for more gets the whole file
 * @param mediaType the media type by the file's name
 * @param filter which files are served, by their path below the directory, `img/sea.jpg`; others are not found
 * @param fallback the path below the directory of the file that answers, with status 200, where there is none: the page
 *                 of an application that makes its own pages by their address
 */
final case class FileConfig(
    index: List[String] = List("index.html"),
    cacheControl: List[(String, String)] = Nil,
    precompressed: List[String] = List("br", "zstd", "gzip"),
    hidden: Boolean = false,
    freshness: FiniteDuration = FiniteDuration(1, SECONDS),
    cachedFile: Int = 256 * 1024,
    cacheSize: Long = 32L * 1024 * 1024,
    maxOpen: Int = 1024,
    keptOpen: Int = 256,
    maxRanges: Int = 16,
    mediaType: String => String = name => MediaTypes.ofName(name),
    filter: String => Boolean = _ => true,
    fallback: Option[String] = None
) {
  private def check(): Unit = {
    val is = Setting("FileConfig")
    is.positive("maxOpen", maxOpen)
    is.positive("maxRanges", maxRanges)
    is.notNegative("keptOpen", keptOpen)
    precompressed.foreach(coding =>
      if (!FileConfig.suffixes.contains(coding))
        throw new IllegalArgumentException(s"FileConfig: there is no file suffix for the coding '$coding'")
    )
  }
  check()

  private[file] val fallbackSegments = fallback.map(_.split('/').filter(_.nonEmpty).toList)
  if (fallbackSegments.exists(segments => segments.isEmpty || !SafePath.isSafe(segments, hidden = true)))
    throw new IllegalArgumentException(s"FileConfig: fallback is not the path of a file: '${fallback.get}'")

  private val patterns = cacheControl.map { case (pattern, value) => (FileConfig.regex(pattern), value) }

  private[file] def cacheControlOf(path: String): Option[String] =
    patterns.collectFirst { case (pattern, value) if pattern.matcher(path).matches => value }
}

object FileConfig {

  /** Cache-Control for files that never change, since their name does instead. */
  val Immutable = "public, max-age=31536000, immutable"

  /** Cache-Control for files that are revalidated each time. */
  val NoCache = "no-cache"

  private[file] val suffixes = Map("br" -> ".br", "zstd" -> ".zst", "gzip" -> ".gz")

  private def regex(pattern: String): java.util.regex.Pattern = {
    val out = new java.lang.StringBuilder
    var i   = 0
    while (i < pattern.length) {
      val c = pattern.charAt(i)
      if (c != '*') out.append(java.util.regex.Pattern.quote(c.toString))
      else if (i + 1 < pattern.length && pattern.charAt(i + 1) == '*') {
        out.append(".*")
        i += 1
      } else out.append("[^/]*")
      i += 1
    }
    java.util.regex.Pattern.compile(out.toString)
  }
}
