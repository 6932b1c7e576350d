package needletail.io

import java.io.{File, IOException}
import java.nio.file.attribute.BasicFileAttributes
import java.nio.file.{Files, LinkOption, Paths}

/** The file by which a Unix domain socket is found. It outlives a server that was killed. */
private[io] object UnixSocketFile {

  /** Before binding: removes a socket file that nobody listens on; refuses to touch anything else. */
  def prepare(path: String, options: ListenOptions): Unit = {
    val file = Paths.get(path)
    if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      if (!Files.readAttributes(file, classOf[BasicFileAttributes], LinkOption.NOFOLLOW_LINKS).isOther)
        throw new IOException("the file exists and is not a socket")
      if (someoneListens(path)) throw new IOException("another process listens there")
      if (!options.unlinkStaleUnixSocket) throw new IOException("a stale socket file is there")
      remove(path)
    }
  }

  def remove(path: String): Unit = { new File(path).delete(); () }

  private def someoneListens(path: String): Boolean =
    try {
      val socket = SystemPlatform.connectUnix(path)
      try socket.finishConnect() || true // also while it is not decided: only a listener could decide
      finally socket.close()
    } catch { case _: java.net.ConnectException => false }
}
