package needletail.load.file

import java.io.IOException

/** Describes errors of files. */
private[load] object FileProblem {

  /** Why a file could not be read or written, without its path. */
  def reason(e: IOException): String = e match {
    case _: java.nio.file.NoSuchFileException   => "there is no such file or directory"
    case _: java.nio.file.AccessDeniedException => "permission denied"
    case other                                  =>
      val message = Option(other.getMessage).getOrElse(other.toString)
      message.substring(message.lastIndexOf(": ") match { case -1 => 0; case at => at + 2 })
  }
}
