package needletail.content.file

import java.nio.file.Path

import scala.scalanative.posix.sys.stat
import scala.scalanative.posix.sys.statOps._
import scala.scalanative.unsafe._

/**
 * Identifies a file and its version, from stat(2), as Scala Native's attributes have
 * whole seconds only.
 *
 * @param modified in nanoseconds since 1970, as exactly as the system knows
 * @param changed the same of its status (ctime), which no program can set as it likes
 * @param key of the file itself, whatever its name
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
  def of(path: Path): FileStatus = Zone.acquire { implicit z =>
    val now = alloc[stat.stat]()
    if (stat.stat(toCString(path.toString), now) != 0) null
    else
      new FileStatus(
        stat.S_ISREG(now.st_mode) != 0,
        now.st_size.toLong,
        now.st_mtim._1.toLong * 1000000000L + now.st_mtim._2.toLong,
        now.st_ctim._1.toLong * 1000000000L + now.st_ctim._2.toLong,
        (now.st_dev.toLong, now.st_ino.toLong)
      )
  }
}
