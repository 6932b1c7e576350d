package needletail.io.file

import java.io.IOException
import java.nio.file.Path

/** Paths without links. */
private[needletail] object RealPath {

  /** Null if nothing is there, or nothing that can be reached: links in a circle, a path that is too long. */
  def of(path: Path): Path =
    try path.toRealPath()
    catch { case _: IOException => null }
}
