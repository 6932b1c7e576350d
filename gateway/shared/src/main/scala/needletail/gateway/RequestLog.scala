package needletail.gateway

import needletail.server.Log

/**
 * One loop's log: what goes wrong while a request is worked on is told to the server in front, too, whose log it
 * belongs in; the client hears nothing of it.
 */
private[gateway] final class RequestLog(log: Log) extends Log {

  /** Told a line about the present request; null while none is worked on, or where nobody can be told. */
  var listener: String => Unit = null

  def warn(message: String): Unit = {
    tell(message)
    log.warn(message)
  }

  def error(message: String, cause: Throwable): Unit = {
    tell(s"$message: $cause")
    log.error(message, cause)
  }

  private def tell(message: String): Unit = {
    val to = listener
    if (to != null) to(RequestLog.line(message))
  }
}

private[gateway] object RequestLog {
  private final val MaxLength = 2048

  /** One line of ASCII, so that nothing in it can pass for another entry of the log. */
  private def line(message: String): String =
    message.iterator.take(MaxLength).map(c => if (c >= ' ' && c < 0x7f) c else '?').mkString(
      "needletail: ",
      "",
      "\n"
    )
}
