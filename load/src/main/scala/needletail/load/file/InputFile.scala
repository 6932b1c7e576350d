package needletail.load.file

import java.io.IOException
import java.nio.file.{Files, Path}

/** The files that a command reads: whole, and not more than there is memory for. */
private[load] object InputFile {

  /** The most bytes of one file: what is made of it takes several times as much. */
  val Most: Int = Math.min(256L << 20, Runtime.getRuntime.maxMemory / 16).toInt

  /** The bytes of a file, or of a device or pipe up to its end. Left is the error, without the path. */
  def read(path: Path, most: Int = Most): Either[String, Array[Byte]] =
    try {
      val in = Files.newInputStream(path)
      try {
        val bytes = in.readNBytes(most)
        if (in.read() < 0) Right(bytes)
        else Left(s"it is larger than $most bytes; a larger heap (-Xmx) allows more")
      } finally in.close()
    } catch { case e: IOException => Left(FileProblem.reason(e)) }
}
