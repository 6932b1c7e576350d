package needletail.content.file

import java.io.IOException
import java.nio.file.attribute.{BasicFileAttributes, FileTime}
import java.nio.file.{Files, Path}
import java.util.concurrent.TimeUnit

/**
 * Identifies a file and its version.
 *
 * @param modified in nanoseconds since 1970, as exactly as the system knows
 * @param changed the same of its status (ctime), which no program can set as it likes; 0 if the system has none
 * @param key of the file itself, whatever its name; null if the system has none
 */
private[file] final case class FileStatus(
    isRegular: Boolean,
    size: Long,
    modified: Long,
    changed: Long,
    key: AnyRef
)

private[file] object FileStatus {

  /** Null if there is nothing at `path`, or it is not accessible. */
  def of(path: Path): FileStatus =
    try if (path.getFileSystem.supportedFileAttributeViews.contains("unix")) ofUnix(path) else basic(path)
    catch { case _: IOException => null }

  private def ofUnix(path: Path): FileStatus = {
    val now = Files.readAttributes(path, "unix:isRegularFile,size,lastModifiedTime,ctime,fileKey")
    new FileStatus(
      now.get("isRegularFile").asInstanceOf[Boolean],
      now.get("size").asInstanceOf[Long],
      nanos(now.get("lastModifiedTime")),
      nanos(now.get("ctime")),
      now.get("fileKey")
    )
  }

  private def basic(path: Path): FileStatus = {
    val now = Files.readAttributes(path, classOf[BasicFileAttributes])
    new FileStatus(now.isRegularFile, now.size, nanos(now.lastModifiedTime), 0, now.fileKey)
  }

  private def nanos(time: Any): Long = time.asInstanceOf[FileTime].to(TimeUnit.NANOSECONDS)
}
