package needletail.io.file

import java.nio.file.{Path, Paths}

import scala.scalanative.libc.stdlib.free
import scala.scalanative.posix.stdlib.realpath
import scala.scalanative.unsafe._

/**
 * Paths without links: from realpath(3), as Scala Native's `toRealPath` writes beyond its buffer for paths of more than
 * some 500 bytes, and follows links in a circle until the stack ends.
 */
private[needletail] object RealPath {

  /** Null if nothing is there, or nothing that can be reached: links in a circle, a path that is too long. */
  def of(path: Path): Path = Zone.acquire { implicit z =>
    val real = realpath(toCString(path.toString), null) // which allocates as much as it needs
    if (real == null) null
    else
      try Paths.get(fromCString(real))
      finally free(real)
  }
}
