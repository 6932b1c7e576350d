package needletail.server.tcp

import scala.concurrent.{ExecutionContext, Future, Promise}
import scala.util.Try

import needletail.async.Survivable
import needletail.server.operations.Log

/**
 * A future that user code gets, completed by the server. Callbacks that run on the completing thread may throw what a
 * `Promise` passes on to whoever completes it, such as a `LinkageError`, and keep other callbacks from being called.
 * So what the server itself waits for is never this future, and what they throw is logged here.
 *
 * @param name what the log calls it
 */
private[server] final class Announcement[A](name: String, log: Log) {
  private val promise = Promise[A]()
  private val told    = Promise[A]()

  /** For user code. */
  def future: Future[A] = promise.future

  /** The same for the server's own callbacks, which follow those of user code. */
  def after: Future[A] = told.future

  /** Completes both, unless they are complete. Does not throw what callbacks throw. */
  def complete(how: Try[A]): Unit =
    try { promise.tryComplete(how); () }
    catch { case Survivable(e) => log.error(s"a callback of `$name` failed", e) }
    finally { told.tryComplete(how); () }
}

private[server] object Announcement {

  /** Announces to user code the result of `own`, which is the server's own. */
  def of[A](own: Future[A], name: String, log: Log): Announcement[A] = {
    val announcement = new Announcement[A](name, log)
    own.onComplete(announcement.complete(_))(ExecutionContext.parasitic)
    announcement
  }
}
