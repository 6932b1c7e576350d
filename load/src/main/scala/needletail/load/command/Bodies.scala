package needletail.load.command

import java.io.IOException
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Paths}

import needletail.load.report.OutputFiles

/** The content of requests: as it stands, or after an @ from a file. */
private[command] object Bodies {
  def read(text: String): Either[String, String] =
    if (!text.startsWith("@")) Right(text)
    else
      try Right(new String(Files.readAllBytes(Paths.get(text.drop(1))), UTF_8))
      catch { case e: IOException => Left(s"cannot read ${text.drop(1)}: ${OutputFiles.reason(e)}") }
}
