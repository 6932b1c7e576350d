package needletail.content.file

import java.util.Arrays

import needletail.content.compression.AcceptEncoding
import needletail.content.conditional.EntityTag
import needletail.http.Request

/** The entry at a path. */
private[file] sealed abstract class Found

private[file] object Found {

  /** Nothing that is served. */
  case object Nothing extends Found

  /** A directory, without a slash at the end of the request's path. */
  case object Directory extends Found
}

/**
 * Where a file is.
 *
 * @param name its path below the directory
 * @param versions of each of its codings; the file itself comes first, without a coding (null)
 */
private[file] final class Located(val name: String, val versions: List[(String, FileVersion)])

/**
 * A file, as last checked, in each of its codings; the file itself comes first.
 *
 * @param checked when it was last checked, in nanoseconds of the loops' clock
 */
private[file] final class StoredFile(val variants: List[Variant], @volatile var checked: Long)
    extends Found {

  /** Bytes of memory. */
  val weight: Long = variants.iterator.map(v => if (v.content == null) 256L else 256L + v.content.length).sum

  /** Whether it is unchanged. */
  def isAt(located: Located): Boolean =
    variants.length == located.versions.length && variants.zip(located.versions).forall {
      case (variant, (coding, version)) =>
        variant.coding == coding && variant.version.isSame(version)
    }

  /** Gives each variant its responses. `path` is below the directory. */
  def describe(path: String, config: FileConfig): Unit = {
    val mediaType    = config.mediaType(path.substring(path.lastIndexOf('/') + 1))
    val cacheControl = config.cacheControlOf(path)
    variants.foreach(v =>
      v.responses =
        new FileResponses(v, mediaType, cacheControl, varies = variants.length > 1, config.maxRanges)
    )
  }

  /** The variant for the client that asks. */
  def chosen(request: Request): Variant =
    if (variants.tail.isEmpty) variants.head
    else {
      val coding = AcceptEncoding.choose(request, variants.tail.map(_.coding))
      variants.find(_.coding == coding.orNull).getOrElse(variants.head)
    }

  /** Set by every use, and cleared when room is looked for. */
  @volatile var used: Boolean = true
}

/**
 * A file in one coding.
 *
 * @param coding null for the file itself
 * @param version where to open it, if it is not in memory
 * @param content null if it is not in memory
 * @param lastModified in seconds since 1970; -1 if it is not known
 */
private[file] final class Variant(
    val coding: String,
    val size: Long,
    val tag: EntityTag,
    val lastModified: Long,
    val version: FileVersion,
    val content: Array[Byte]
) {
  var responses: FileResponses = null // set once, before it is shared

  def bytes(from: Long, until: Long): Array[Byte] =
    if (from == 0 && until == size) content else Arrays.copyOfRange(content, from.toInt, until.toInt)
}
