package needletail.content.file

import java.io.IOException
import java.nio.file.attribute.BasicFileAttributes
import java.nio.file.{Files, Path}
import java.util.concurrent.TimeUnit

/**
 * Identifies a file and its version.
 *
 * @param modified in nanoseconds since 1970, as exactly as the system knows
 * @param key of the file itself, whatever its name; null if the system has none
 */
private[file] final case class FileStatus(isRegular: Boolean, size: Long, modified: Long, key: AnyRef)

private[file] object FileStatus {

  /** Null if there is nothing at `path`, or it is not accessible. */
  def of(path: Path): FileStatus =
    try {
      val now = Files.readAttributes(path, classOf[BasicFileAttributes])
      new FileStatus(now.isRegularFile, now.size, now.lastModifiedTime.to(TimeUnit.NANOSECONDS), now.fileKey)
    } catch { case _: IOException => null }
}
