package needletail.testing

import java.io.File
import java.net.{URLClassLoader, URLDecoder}

object ClassPath {

  /** The class path of a class loader and its parents, to run a program of the tests in a JVM of its own. */
  def of(loader: ClassLoader): String = {
    val loaders = Iterator.iterate(loader)(_.getParent).takeWhile(_ != null)
    val files   = loaders.collect { case urls: URLClassLoader => urls.getURLs.toSeq }.flatten
      .filter(_.getProtocol == "file").map(url => URLDecoder.decode(url.getPath, "UTF-8"))
    (files.toSeq.distinct :+ sys.props("java.class.path")).mkString(File.pathSeparator)
  }
}
