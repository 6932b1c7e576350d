package needletail.testing

import java.io.File
import java.nio.file.{Files, Path}
import java.util.concurrent.ConcurrentLinkedQueue

/** Directories of a suite's own, which are deleted when it is over, with everything in them. */
trait TemporaryDirectories extends Suite {
  private val made = new ConcurrentLinkedQueue[Path]

  /** A new directory, under its real path. */
  def temporaryDirectory(): Path = {
    val directory = Files.createTempDirectory("needletail").toRealPath()
    made.add(directory)
    directory
  }

  /** A new authority, whose files are in such a directory. */
  def newAuthority(
      name: String = "Test Authority",
      by: Option[Authority] = None,
      uses: String = "keyCertSign, cRLSign",
      algorithm: String = "ec",
      basic: String = "CA:TRUE",
      more: String = ""
  ): Authority = new Authority(temporaryDirectory(), name, by, uses, algorithm, basic, more)

  override def afterAll(): Unit = {
    made.forEach(directory => delete(directory.toFile))
    super.afterAll()
  }

  private def delete(file: File): Unit = {
    file.setWritable(true)
    if (!Files.isSymbolicLink(file.toPath)) Option(file.listFiles).foreach(_.foreach(delete))
    file.delete()
    ()
  }
}
