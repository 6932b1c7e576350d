package needletail.load.command

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Path

import needletail.load.file.OutputFiles
import needletail.load.report.text.Terminal

/** Writes the files that were requested; the content of others is not computed. */
private[command] final class ReportFiles(terminal: Terminal) {
  private var failed = false

  /** Whether all were written: this was checked before the run, but a disk may have filled up since. */
  def written: Boolean = !failed

  def bytes(path: Option[Path])(content: => Array[Byte]): Unit = path.foreach { p =>
    OutputFiles.write(p, content).foreach { problem =>
      failed = true
      terminal.say(s"needletail-load: $problem")
    }
  }

  def text(path: Option[Path])(content: => String): Unit = bytes(path)(content.getBytes(UTF_8))
}
