package needletail.gateway.host.backend

import needletail.server.operations.Log

/**
 * Writes a program's standard error to the log, line by line. The total is bounded, so that a program that writes too
 * much does no harm, and control characters become `?`, so that it cannot forge log entries.
 *
 * @param what the name of the program, a prefix of each line
 * @param most bytes that are logged; if `isLasting`, per minute
 * @param isLasting whether the program serves many requests
 */
private[host] final class StandardErrorLog(
    what: String,
    log: Log,
    most: Int = StandardErrorLog.Most,
    isLasting: Boolean = false
) extends (Array[Byte] => Unit) {
  private val line   = new java.lang.StringBuilder
  private var told   = 0
  private var silent = false
  private var window = System.nanoTime()

  def apply(bytes: Array[Byte]): Unit = {
    if (isLasting && System.nanoTime() - window > StandardErrorLog.WindowNanos) {
      window = System.nanoTime()
      told = 0
      silent = false
    }
    var i = 0
    while (i < bytes.length) {
      val c = bytes(i) & 0xff
      if (c == '\n') end()
      else if (line.length < StandardErrorLog.LongestLine) {
        if (c == '\t' || (c >= ' ' && c < 127)) line.append(c.toChar)
        else if (c != '\r') line.append('?')
      }
      i += 1
    }
  }

  /** Logs the last line, which may lack a line end. */
  def end(): Unit = if (line.length > 0) {
    val text = line.toString
    line.setLength(0) // first, as a log may throw
    if (told + text.length <= most) {
      told += text.length
      log.warn(s"$what: $text")
    } else if (!silent) {
      silent = true
      log.warn(s"$what: further output on standard error is omitted")
    }
  }
}

private[host] object StandardErrorLog {
  final val Most                = 16 * 1024
  final val LongestLine         = 1024
  private final val WindowNanos = 60L * 1000 * 1000 * 1000
}
