package needletail.content.file

import java.nio.charset.StandardCharsets.UTF_8

/** Segments of a request's path as names of files. */
private[file] object SafePath {

  /**
   * Whether every segment is the name of one file or directory, and none is hidden; the last one may be empty, as after
   * a slash at the end. They are decoded, so `%2e%2e`, `%2f` and `%00` are recognised.
   */
  def isSafe(segments: List[String], hidden: Boolean): Boolean = segments match {
    case Nil          => true
    case List("")     => true
    case name :: rest => isName(name, hidden) && isSafe(rest, hidden)
  }

  /** Whether the system could have such names at all: each of at most 255 bytes, with slashes at most 4095. */
  def isPossible(segments: List[String]): Boolean = {
    val lengths =
      segments.map(name => if (name.length > MostPath) name.length else name.getBytes(UTF_8).length)
    lengths.forall(_ <= MostName) && lengths.sum + lengths.length <= MostPath
  }

  private final val MostName = 255
  private final val MostPath = 4095

  /** Whether it is a name that is served. */
  def isName(name: String, hidden: Boolean): Boolean =
    name.nonEmpty && name != "." && name != ".." &&
      (hidden || name.charAt(0) != '.' || name == ".well-known") &&
      name.forall(c => c >= ' ' && c != '/' && c != '\\' && c != 0x7f)
}
