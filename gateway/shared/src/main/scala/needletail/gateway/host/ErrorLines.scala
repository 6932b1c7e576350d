package needletail.gateway.host

import needletail.server.Log

/**
 * What a program writes to standard error, line by line to the log: bounded in all, so that a program that shouts does
 * no harm, and without controls, so that it forges no other lines.
 *
 * @param most octets that are told; of a program that serves many requests, as many in each `Window`
 */
private[host] final class ErrorLines(
    what: String,
    log: Log,
    most: Int = ErrorLines.Most,
    isLasting: Boolean = false
) extends (Array[Byte] => Unit) {
  private val line   = new java.lang.StringBuilder
  private var told   = 0
  private var silent = false
  private var window = System.nanoTime()

  def apply(bytes: Array[Byte]): Unit = {
    if (isLasting && System.nanoTime() - window > ErrorLines.WindowNanos) {
      window = System.nanoTime()
      told = 0
      silent = false
    }
    var i = 0
    while (i < bytes.length) {
      val c = bytes(i) & 0xff
      if (c == '\n') end()
      else if (line.length < ErrorLines.LongestLine) {
        if (c == '\t' || (c >= ' ' && c < 127)) line.append(c.toChar)
        else if (c != '\r') line.append('?')
      }
      i += 1
    }
  }

  /** Tells what is left without an end of its own. */
  def end(): Unit = if (line.length > 0) {
    if (told + line.length <= most) {
      told += line.length
      log.warn(s"$what: $line")
    } else if (!silent) {
      silent = true
      log.warn(s"$what: more on standard error is left out")
    }
    line.setLength(0)
  }
}

private object ErrorLines {
  final val Most                = 16 * 1024
  final val LongestLine         = 1024
  private final val WindowNanos = 60L * 1000 * 1000 * 1000
}
