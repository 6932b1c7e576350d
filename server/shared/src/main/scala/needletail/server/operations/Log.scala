package needletail.server.operations

import needletail.async.Survivable
import needletail.io.EventLoop
import needletail.io.loop.FailureLog

/**
 * Takes the server's reports of internal errors. Called on its event loops and on other threads: it must be
 * thread-safe, and must not block for long. Each message begins with the URL of the server that it is about, as several
 * may have the same log.
 */
trait Log {

  /** What happened as it should and an operator may want to know, such as that a drain has begun. Nothing by default. */
  def info(message: String): Unit = { val _ = message }

  /** A condition to investigate, which itself made no request fail. */
  def warn(message: String): Unit

  /** A failure; `cause` is never null, and is reported nowhere else. */
  def error(message: String, cause: Throwable): Unit
}

object Log {

  /** Writes a line for each message to the standard error stream, and the stack trace of the cause. */
  val standardError: Log = new Log {
    override def info(message: String): Unit           = System.err.println(s"needletail: $message")
    def warn(message: String): Unit                    = System.err.println(s"needletail: $message")
    def error(message: String, cause: Throwable): Unit = FailureLog.toStandardError(message, cause)
  }

  /** The same log, with its exceptions caught and reported on the standard error stream. */
  private[needletail] def guarded(log: Log): Log = log match {
    case _: Guarded => log
    case _          => new Guarded(log, () => "")
  }

  /** The same; messages begin with what `about` returns, and a colon. */
  private[server] def named(log: Log)(about: () => String): Log = new Guarded(log, () => about() + ": ")

  private final class Guarded(log: Log, prefix: () => String) extends Log {
    override def info(message: String): Unit =
      try log.info(prefix() + message)
      catch { case Survivable(e) => EventLoop.report(s"the log failed to write: ${prefix()}$message", e) }

    def warn(message: String): Unit =
      try log.warn(prefix() + message)
      catch { case Survivable(e) => EventLoop.report(s"the log failed to write: ${prefix()}$message", e) }

    def error(message: String, cause: Throwable): Unit =
      try log.error(prefix() + message, cause)
      catch {
        case Survivable(e) =>
          EventLoop.report(prefix() + message, cause)
          EventLoop.report("the log failed to write this", e)
      }
  }

  /** Discards everything. */
  val none: Log = new Log {
    def warn(message: String): Unit                    = ()
    def error(message: String, cause: Throwable): Unit = ()
  }
}
