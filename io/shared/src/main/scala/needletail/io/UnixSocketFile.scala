package needletail.io

import java.io.{File, IOException}
import java.nio.file.attribute.BasicFileAttributes
import java.nio.file.{Files, LinkOption, Paths}

import needletail.io.platform.{AddressInUse, ListenOptions, Platform}

/** The file of a Unix domain socket. It remains if a server is killed. */
private[io] object UnixSocketFile {

  /** Before binding: removes a socket file that no process listens on, and no other file. */
  def prepare(path: String, options: ListenOptions, platform: Platform): Unit = {
    val file = Paths.get(path)
    if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      if (!Files.readAttributes(file, classOf[BasicFileAttributes], LinkOption.NOFOLLOW_LINKS).isOther)
        throw new IOException("the file exists and is not a socket")
      if (someoneListens(path, platform)) throw new AddressInUse("another process listens there")
      if (!options.unlinkStaleUnixSocket) throw new IOException("a stale socket file exists")
      remove(path)
    }
  }

  def remove(path: String): Unit = { new File(path).delete(); () }

  private def someoneListens(path: String, platform: Platform): Boolean =
    try {
      val socket = platform.connectUnix(path)
      try socket.finishConnect() || true // also while it is undecided: only a listener leaves it so
      finally socket.close()
    } catch { case _: java.net.ConnectException => false }
}
