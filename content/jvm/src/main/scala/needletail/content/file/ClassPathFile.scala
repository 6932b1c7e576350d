package needletail.content.file

import java.net.JarURLConnection
import java.nio.file.{Files, Paths}

/** Files of the class path. */
private[file] object ClassPathFile {

  /** Its content; null if there is none, or a directory. Reads from the disk. */
  def read(name: String): Array[Byte] = {
    val loader = Option(Thread.currentThread.getContextClassLoader).getOrElse(getClass.getClassLoader)
    val url    = loader.getResource(name)
    if (url == null) null
    else
      url.getProtocol match {
        case "file" =>
          val path = Paths.get(url.toURI)
          if (Files.isRegularFile(path)) Files.readAllBytes(path) else null
        case _ =>
          val connection  = url.openConnection()
          val isDirectory = connection match {
            case jar: JarURLConnection => jar.getJarEntry == null || jar.getJarEntry.isDirectory ||
              loader.getResource(name + "/") != null
            case _ => false
          }
          if (isDirectory) null
          else {
            val in = connection.getInputStream
            try in.readAllBytes()
            finally in.close()
          }
      }
  }
}
