package needletail.server

import needletail.async.Survivable
import needletail.io.{EventLoop, FailureLog}

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

  /** The same log, which may throw what it likes: a failure of the log costs nobody a connection. */
  private[needletail] def guarded(log: Log): Log = log match {
    case _: Guarded => log
    case _          => new Guarded(log)
  }

  private final class Guarded(log: Log) extends Log {
    def warn(message: String): Unit =
      try log.warn(message)
      catch { case Survivable(e) => EventLoop.report(s"the log failed on: $message", e) }

    def error(message: String, cause: Throwable): Unit =
      try log.error(message, cause)
      catch {
        case Survivable(e) =>
          EventLoop.report(message, cause)
          EventLoop.report("the log failed on that", e)
      }
  }

  val none: Log = new Log {
    def warn(message: String): Unit                    = ()
    def error(message: String, cause: Throwable): Unit = ()
  }
}
