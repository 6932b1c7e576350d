package needletail.load.command

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Path

import needletail.load.report.{OutputFiles, Terminal}

/** Leaves the files that were asked for; each is made only when it is. */
private[command] final class Reports(terminal: Terminal) {
  private var failed = false

  /** Whether all could be written: they could before the run, but a disk may have filled up since. */
  def written: Boolean = !failed

  def bytes(path: Option[Path])(content: => Array[Byte]): Unit = path.foreach { p =>
    OutputFiles.write(p, content).foreach { problem =>
      failed = true
      terminal.say(s"needletail-load: $problem")
    }
  }

  def text(path: Option[Path])(content: => String): Unit = bytes(path)(content.getBytes(UTF_8))
}
