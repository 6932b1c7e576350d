package needletail.load.report

import java.io.{BufferedOutputStream, FileDescriptor, FileOutputStream, PrintStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.TimeUnit

import scala.util.Try

/**
 * Where a program speaks: results to `out`, everything else to `err`, so that results can be piped.
 *
 * @param live
 *   whether a person watches `err`: then lines are replaced in place
 * @param columns
 *   of the terminal; a longer line would wrap, and could not be replaced
 */
private[load] final class Terminal(out: PrintStream, err: PrintStream, val live: Boolean, columns: Int) {
  private var shown = 0 // lines that `replace` has left

  /** A result. */
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

  /** Shows these lines where the last ones stood. Only where `live`. */
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

  /** Takes away what `replace` has left. */
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

  /** Whatever the locale says: a figure has its unit. */
  private def utf8(to: FileDescriptor): PrintStream =
    new PrintStream(new BufferedOutputStream(new FileOutputStream(to), 8192), true, UTF_8)

  /** From Java 22 on there is a console without a terminal too, and it says so. */
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

  /** Texts of a server or a file may hold what a terminal would obey. */
  def plain(text: String): String = text.map(c => if (c < ' ' || c >= 0x7f && c < 0xa0) '?' else c)
}
