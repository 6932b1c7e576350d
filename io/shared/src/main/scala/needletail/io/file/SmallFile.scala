package needletail.io.file

import java.io.IOException
import java.nio.file.{AccessDeniedException, Files, NoSuchFileException, NotDirectoryException, Path}

/** Files that are read whole, such as keys and certificates. */
private[io] object SmallFile {

  /** The most that one may have, in bytes. */
  final val Most = 1L << 20

  /** The same for lists of revoked certificates: those of large authorities have several megabytes. */
  final val MostOfLists = 16L << 20

  /** Its content. Throws an IOException with a one-line message that names the file; not of a device or a pipe, which may not end. */
  def read(file: Path, most: Long = Most): Array[Byte] =
    try {
      if (Files.exists(file) && !Files.isRegularFile(file)) throw new IOException("it is not a regular file")
      if (Files.exists(file) && Files.size(file) > most)
        throw new IOException(s"it is larger than ${most >> 20} MiB")
      Files.readAllBytes(file)
    } catch {
      case e: NoSuchFileException   => throw new IOException(s"$file (No such file or directory)", e)
      case e: AccessDeniedException => throw new IOException(s"$file (Permission denied)", e)
      case e: IOException           => throw new IOException(s"$file cannot be read: ${reason(e, file)}", e)
    }

  /** Without the path, which is in some messages of the platforms, and is named before. */
  private def reason(e: IOException, file: Path): String = {
    val text = String.valueOf(e.getMessage)
    if (text != file.toString) text.substring(text.lastIndexOf(": ") + 1).trim
    else
      e match {
        case _: NotDirectoryException => "Not a directory"
        case _                        => e.getClass.getSimpleName
      }
  }
}
