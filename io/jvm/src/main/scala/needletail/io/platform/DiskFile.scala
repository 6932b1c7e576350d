package needletail.io.platform

import java.io.{Closeable, File, FileNotFoundException, FileOutputStream, IOException, RandomAccessFile}
import java.nio.channels.{ClosedChannelException, FileChannel}
import java.nio.file.{FileSystems, Path, StandardOpenOption}

/** See Platform.scala. Read as a stream of `java.io`, as an interrupt would close a channel. */
private[needletail] final class DiskFile private (file: RandomAccessFile) extends Closeable {
  private[io] val channel: FileChannel = file.getChannel

  def size(): Long = channel.size

  def read(position: Long, bytes: Array[Byte], from: Int, count: Int): Int = synchronized {
    file.seek(position)
    Math.max(0, file.read(bytes, from, count))
  }

  def fetch(position: Long, count: Int): Int =
    if (DiskFile.hasNull) fetchToNull(position, count) else fetchByReading(position, count)

  /** Without a copy, on Linux. */
  private def fetchToNull(position: Long, count: Int): Int = {
    var done = 0
    var n    = 1L
    while (done < count && n > 0) {
      val nowhere = DiskFile.nowhere
      try {
        n = channel.transferTo(position + done, (count - done).toLong, nowhere)
        done += n.toInt
      } catch {
        case e: ClosedChannelException => // an interrupt closes channels; this one may be meant, or not
          if (!channel.isOpen) throw e
          DiskFile.renew(nowhere)
      }
    }
    done
  }

  private def fetchByReading(position: Long, count: Int): Int = {
    val some = new Array[Byte](8 * 1024)
    var done = 0
    var n    = 1
    while (done < count && n > 0) {
      n = read(position + done, some, 0, Math.min(some.length, count - done))
      done += n
    }
    done
  }

  def close(): Unit = file.close()
}

private[needletail] object DiskFile {
  private val nullDevice = new File("/dev/null")

  private val hasNull: Boolean = System.getProperty("os.name") == "Linux" && nullDevice.canWrite

  @volatile private var open: FileChannel = null

  /** The null device, for all threads. */
  private def nowhere: FileChannel = if (open eq null) renew(null) else open

  private def renew(closed: FileChannel): FileChannel = synchronized {
    if (open eq closed) open = new FileOutputStream(nullDevice).getChannel
    open
  }

  /** Whether it can open files like this one: those of the system, not of an archive. */
  def reads(path: Path): Boolean = path.getFileSystem eq FileSystems.getDefault

  @throws[IOException]
  def open(path: Path): DiskFile =
    try stream(path)
    catch {
      case _: FileNotFoundException => // only its words, which are translated, tell why: a channel's exception does
        FileChannel.open(path, StandardOpenOption.READ).close()
        stream(path)
    }

  private def stream(path: Path) = new DiskFile(new RandomAccessFile(path.toFile, "r"))
}
