package needletail.gateway.serve

import needletail.io.loop.FailureLog
import needletail.server.operations.Log

/**
 * The log of one loop. While a request is served its lines also go to the web server, through `listener`; clients do
 * not see them.
 */
private[gateway] final class RequestLog(log: Log) extends Log {

  /** Called with each line while a request is served; null otherwise, and if the protocol has no error stream. */
  var listener: String => Unit = null

  override def info(message: String): Unit = log.info(message)

  def warn(message: String): Unit = {
    tell(message)
    log.warn(message)
  }

  def error(message: String, cause: Throwable): Unit = {
    tell(s"$message: ${FailureLog.described(cause)}")
    log.error(message, cause)
  }

  private def tell(message: String): Unit = {
    val to = listener
    if (to != null) to(RequestLog.line(message))
  }
}

private[gateway] object RequestLog {
  private final val MaxLength = 2048

  /** One line of ASCII, so that nothing in it looks like another log entry. */
  private def line(message: String): String =
    message.iterator.take(MaxLength).map(c => if (c >= ' ' && c < 0x7f) c else '?').mkString(
      "needletail: ",
      "",
      "\n"
    )
}
