package needletail.load.report.text

import java.io.{BufferedOutputStream, FileDescriptor, FileOutputStream, PrintStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.TimeUnit

import scala.util.Try

/**
 * The program's output: results to `out`, everything else to `err`, so that results can be piped.
 *
 * @param live whether `err` is a terminal: then lines are replaced in place
 * @param columns of the terminal; a longer line would wrap, and could not be replaced
 */
private[load] final class Terminal(out: PrintStream, err: PrintStream, val live: Boolean, columns: Int) {
  private var shown = 0 // lines shown by `replace`

  /** Prints a result. */
  def print(lines: Iterable[String]): Unit = {
    clear()
    lines.foreach(line => out.println(Terminal.plain(line)))
    out.flush()
  }

  def say(line: String): Unit = {
    clear()
    err.println(Terminal.plain(line))
    err.flush()
  }

  /** Replaces the last lines by these. Only if `live`. */
  def replace(lines: String*): Unit = {
    val text = new StringBuilder
    if (shown > 0) text.append(s"\u001b[${shown}A")
    lines.foreach(line =>
      text.append("\r\u001b[2K").append(Terminal.plain(line).take(columns - 1)).append('\n')
    )
    err.print(text)
    err.flush()
    shown = lines.size
  }

  /** Removes the lines of `replace`. */
  def clear(): Unit = if (shown > 0) {
    err.print(s"\u001b[${shown}A\u001b[0J")
    err.flush()
    shown = 0
  }
}

private[load] object Terminal {

  def system(): Terminal = {
    val live = interactive
    new Terminal(utf8(FileDescriptor.out), utf8(FileDescriptor.err), live, if (live) width else 80)
  }

  /** UTF-8 regardless of the locale, because units need it. */
  private def utf8(to: FileDescriptor): PrintStream =
    new PrintStream(new BufferedOutputStream(new FileOutputStream(to), 8192), true, UTF_8)

  /** From Java 22 on there may be a console without a terminal, which reports that. */
  private def interactive: Boolean = {
    val console = System.console()
    console != null && !sys.env.get("TERM").contains("dumb") &&
    Try(console.getClass.getMethod("isTerminal").invoke(console) == java.lang.Boolean.TRUE).getOrElse(true)
  }

  private def width: Int =
    sys.env.get("COLUMNS").flatMap(_.toIntOption).orElse(asked).filter(_ >= 20).getOrElse(80)

  private def asked: Option[Int] = Try {
    val process = new ProcessBuilder("sh", "-c", "stty size </dev/tty").redirectErrorStream(true).start()
    val line    = new String(process.getInputStream.readAllBytes())
    process.waitFor(1, TimeUnit.SECONDS)
    line.trim.split(' ').last.toInt
  }.toOption

  /** Replaces control characters in a text of a server or a file, which could control the terminal. */
  def plain(text: String): String = text.map(c => if (c < ' ' || c >= 0x7f && c < 0xa0) '?' else c)
}
