package needletail.load.file

import java.io.IOException
import java.nio.ByteBuffer
import java.nio.charset.CharacterCodingException
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, NoSuchFileException, Path}

/** Files of text in UTF-8. */
private[load] object TextFile {

  /** The text of a file, without a byte order mark. Left is the error. */
  def read(path: Path): Either[String, String] =
    try Right(
        UTF_8.newDecoder().decode(ByteBuffer.wrap(Files.readAllBytes(path))).toString.stripPrefix("\uFEFF")
      )
    catch {
      case _: NoSuchFileException      => Left("there is no such file")
      case _: CharacterCodingException => Left("this is not UTF-8")
      case e: IOException              => Left(s"it cannot be read: ${FileProblem.reason(e)}")
    }
}
