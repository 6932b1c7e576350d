package needletail.server

import needletail.io.FailureLog

/** Where the server says what went wrong inside; called on its loops, so it must not block for long. */
trait Log {
  def warn(message: String): Unit

  /** `cause` is not `null`; it is told here and nowhere else. */
  def error(message: String, cause: Throwable): Unit
}

object Log {

  /** One line for each on the standard error stream, and the stack trace of a cause. */
  val standardError: Log = new Log {
    def warn(message: String): Unit                    = System.err.println(s"needletail: $message")
    def error(message: String, cause: Throwable): Unit = FailureLog.toStandardError(message, cause)
  }

  val none: Log = new Log {
    def warn(message: String): Unit                    = ()
    def error(message: String, cause: Throwable): Unit = ()
  }
}
