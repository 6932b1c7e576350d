package needletail.sbt

import _root_.sbt._
import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest

/** The files of this plugin that other programs read: they are in its jar. */
private[sbt] object PluginFiles {

  def text(name: String): String = {
    val in = getClass.getResourceAsStream(name)
    try new String(IO.readBytes(in), UTF_8)
    finally in.close()
  }

  /**
   * A copy of the file below `directory`, where compiler and linker find it. Its path has a digest of its content:
   * Scala Native rebuilds when options change, but does not check the content of files that they name.
   */
  def file(directory: File, name: String): File = synchronized {
    val content = text(name)
    val digest  = MessageDigest.getInstance("SHA-256").digest(content.getBytes(UTF_8))
    val copy    = directory / digest.take(4).map("%02x".format(_)).mkString / name
    if (!copy.isFile || IO.read(copy) != content) IO.write(copy, content)
    copy
  }
}
