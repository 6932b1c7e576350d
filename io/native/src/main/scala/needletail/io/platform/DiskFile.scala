package needletail.io.platform

import java.io.Closeable
import java.nio.file.Path

import scala.scalanative.unsafe.*

import needletail.io.kernel.{Kernel, KernelError}

/** See Platform.scala. */
private[needletail] final class DiskFile private (private[io] val fd: Int) extends Closeable {
  private var open = true

  def size(): Long = Kernel.fileSize(fd)

  def read(position: Long, bytes: Array[Byte], from: Int, count: Int): Int =
    if (count == 0) 0 else KernelError.check(Kernel.fileRead(fd, bytes.at(from), count, position))

  def fetch(position: Long, count: Int): Int = Kernel.fileFetch(fd, position, count)

  def close(): Unit = if (open) {
    open = false
    Kernel.close(fd)
    ()
  }
}

private[needletail] object DiskFile {

  // as a write to a pipe, sending a file cannot suppress SIGPIPE
  private lazy val ready: Unit = Kernel.pipeSignal()

  /** Whether it can open files like this one. There are no other file systems than the system's. */
  def reads(path: Path): Boolean = {
    val _ = path
    true
  }

  def open(path: Path): DiskFile = {
    ready
    val fd = Zone.acquire(implicit z => Kernel.fileOpen(toCString(path.toString)))
    if (fd < 0) throw KernelError.ofFile(path.toString, fd)
    new DiskFile(fd)
  }
}
