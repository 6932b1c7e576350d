package needletail.load.command.options

import java.io.IOException
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Paths}

import needletail.load.file.FileProblem

/** The value of `--body`: the content itself, or `@` and the name of a file. */
private[command] object BodyOption {
  def read(text: String): Either[String, String] =
    if (!text.startsWith("@")) Right(text)
    else
      try Right(new String(Files.readAllBytes(Paths.get(text.drop(1))), UTF_8))
      catch { case e: IOException => Left(s"cannot read ${text.drop(1)}: ${FileProblem.reason(e)}") }
}
