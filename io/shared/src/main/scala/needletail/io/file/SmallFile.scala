package needletail.io.file

import java.io.{IOException, InputStream}
import java.nio.file.{AccessDeniedException, FileSystemException, Files, NoSuchFileException, Path}
import java.util.Arrays

import needletail.io.platform.DiskFile

/** Files that are read whole, such as keys and certificates. */
private[io] object SmallFile {

  /** The most that one may have, in bytes. */
  final val Most = 1L << 20

  /** The same for lists of revoked certificates: those of large authorities have several megabytes. */
  final val MostOfLists = 16L << 20

  /**
   * Its content. Throws an IOException with a one-line message that names the file, and says why it cannot be read in the
   * same words on all platforms; not of a device or a pipe, which may not end.
   */
  def read(file: Path, most: Long = Most): Array[Byte] =
    try {
      if (Files.exists(file) && !Files.isRegularFile(file)) throw new IOException("it is not a regular file")
      if (DiskFile.reads(file)) onDisk(DiskFile.open(file), most)
      else inside(Files.newInputStream(file), most)
    } catch {
      case e: IOException => throw new IOException(s"$file cannot be read: ${reason(e, file)}", e)
      // a ClosedFileSystemException, of an archive
      case e: IllegalStateException =>
        throw new IOException(s"$file cannot be read: its file system is closed", e)
    }

  private def onDisk(file: DiskFile, most: Long): Array[Byte] =
    try content(file.size(), most)((bytes, from) => file.read(from.toLong, bytes, from, bytes.length - from))
    finally file.close()

  /** Of another file system than the system's, such as an archive. */
  private def inside(file: InputStream, most: Long): Array[Byte] =
    try content(0, most)((bytes, from) => file.read(bytes, from, bytes.length - from))
    finally file.close()

  /** Until its end, as its size may not be known: that of the kernel's own files is 0. */
  private def content(known: Long, most: Long)(read: (Array[Byte], Int) => Int): Array[Byte] = {
    def check(size: Long): Unit =
      if (size > most) throw new IOException(s"it is larger than ${most >> 20} MiB")
    check(known)
    var bytes = new Array[Byte](math.max(known, 0L).toInt + 1)
    var count = 0
    var n     = 1
    while (n > 0) {
      n = read(bytes, count)
      if (n > 0) count += n
      check(count.toLong)
      if (count == bytes.length) bytes = Arrays.copyOf(bytes, 2 * count + 4096)
    }
    Arrays.copyOf(bytes, count)
  }

  /** Without the path, which is named before. The JDK has an exception for the usual ones, and no words. */
  private def reason(e: IOException, file: Path): String = e match {
    case _: NoSuchFileException   => "No such file or directory"
    case _: AccessDeniedException => "Permission denied"
    case e: FileSystemException   => Option(e.getReason).getOrElse(lastPart(e, file))
    case _                        => lastPart(e, file)
  }

  private def lastPart(e: IOException, file: Path): String = {
    val text = String.valueOf(e.getMessage)
    if (text == file.toString) e.getClass.getSimpleName else text.substring(text.lastIndexOf(": ") + 1).trim
  }
}
