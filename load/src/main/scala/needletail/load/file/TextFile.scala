package needletail.load.file

import java.nio.ByteBuffer
import java.nio.charset.CharacterCodingException
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Path

/** Files of text in UTF-8. */
private[load] object TextFile {

  /** The text of a file, without a byte order mark. Left is the error. */
  def read(path: Path): Either[String, String] = exactly(path).map(_.stripPrefix("\uFEFF"))

  /** The same with all its characters. */
  def exactly(path: Path): Either[String, String] = InputFile.read(path).flatMap { bytes =>
    try Right(UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString)
    catch { case _: CharacterCodingException => Left("this is not UTF-8") }
  }
}
