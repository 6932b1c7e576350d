package needletail.content.file

import java.io.{File, IOException}
import java.net.{JarURLConnection, URI, URISyntaxException, URL, URLClassLoader}
import java.nio.file.{Files, Paths}
import java.util.jar.{Attributes, JarFile}

import scala.jdk.CollectionConverters._

/** Files of the class path. */
private[file] object ClassPathFile {
  private def loader = Option(Thread.currentThread.getContextClassLoader).getOrElse(getClass.getClassLoader)

  /**
   * Whether there may be files in a folder, whose name ends with a slash. A jar need not have its folders as entries, so
   * if none is found the jars are searched, as far as the class loaders tell which there are.
   */
  def hasFolder(name: String): Boolean =
    name.isEmpty || loader.getResource(name) != null || !areJarsKnown || {
      val files = loaders.collect { case l: URLClassLoader => l.getURLs.toSeq }.flatten.flatMap(fileOf) ++
        System.getProperty("java.class.path", "").split(File.pathSeparatorChar).map(new File(_))
      hasEntry(files.toList, name, Set.empty)
    }

  private def loaders = Iterator.iterate(loader)(_.getParent).takeWhile(_ != null).toList

  /** The file that a URL is; None if it is none, or if its text is not that of a URI. */
  private def fileOf(url: URL): Option[File] =
    try if (url.getProtocol == "file") Some(new File(url.toURI)) else None
    catch { case _: IllegalArgumentException | _: URISyntaxException => None }

  private def areJarsKnown = System.getProperty("jdk.module.path") == null && loaders.forall {
    case loader: URLClassLoader => loader.getURLs.forall(fileOf(_).isDefined)
    case other                  => other.getClass.getName.startsWith("jdk.internal.")
  }

  /** Whether one of the jars has an entry below `name`, or one of those that their manifests name. */
  @annotation.tailrec
  private def hasEntry(files: List[File], name: String, seen: Set[File]): Boolean = files match {
    case Nil                                                 => false
    case file :: rest if seen.contains(file) || !file.isFile => hasEntry(rest, name, seen)
    case file :: rest                                        =>
      val (found, more) =
        try {
          val jar = new JarFile(file)
          try (jar.entries.asScala.exists(_.getName.startsWith(name)), named(jar, file))
          finally jar.close()
        } catch { case _: IOException => (false, Nil) } // a class path may have files that are no jars
      found || hasEntry(more ++ rest, name, seen + file)
  }

  private def named(jar: JarFile, file: File): List[File] =
    Option(jar.getManifest).flatMap(m => Option(m.getMainAttributes.getValue(Attributes.Name.CLASS_PATH)))
      .toList.flatMap(_.split(' ')).filter(_.nonEmpty).flatMap { relative =>
        try {
          val uri = file.toURI.resolve(new URI(relative))
          if (uri.getScheme == "file") Some(new File(uri)) else None
        } catch { case _: IllegalArgumentException | _: URISyntaxException => None }
      }

  /** Its content; null if there is none, or a directory. Reads from the disk. */
  def read(name: String): Array[Byte] = {
    val url = loader.getResource(name)
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
