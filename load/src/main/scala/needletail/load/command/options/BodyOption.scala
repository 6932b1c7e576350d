package needletail.load.command.options

import java.nio.file.Paths

import needletail.load.file.TextFile

/** The value of `--body`: the content itself, or `@` and the name of a file. */
private[command] object BodyOption {
  def read(text: String): Either[String, String] =
    if (!text.startsWith("@")) Right(text)
    else if (text.length == 1) Left("there is no name of a file after @")
    else TextFile.exactly(Paths.get(text.drop(1))).left.map(why => s"cannot read ${text.drop(1)}: $why")
}
