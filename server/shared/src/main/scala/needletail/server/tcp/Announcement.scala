package needletail.server.tcp

import scala.concurrent.duration.Duration
import scala.concurrent.{CanAwait, ExecutionContext, Future, Promise}
import scala.util.Try

import needletail.async.Survivable
import needletail.server.operations.Log

/**
 * A future that user code gets, completed by the server. Callbacks that run on the completing thread may throw what a
 * `Promise` passes on to whoever completes it, such as a `LinkageError`, and without what is here they would keep others
 * from being called, and threads that wait for it from waking up. It is caught and logged where a callback is called; what
 * the server itself waits for is never this future.
 *
 * @param name what the log calls it
 */
private[server] final class Announcement[A](name: String, log: Log) {
  private val promise = Promise[A]()
  private val told    = Promise[A]()

  /** For user code. */
  val future: Future[A] = new Guarded

  /** The same for the server's own callbacks, which follow those of user code. */
  def after: Future[A] = told.future

  /** Completes both, unless they are complete. Does not throw what callbacks throw. */
  def complete(how: Try[A]): Unit =
    try { promise.tryComplete(how); () }
    catch { case Survivable(e) => log.error(s"a callback of `$name` failed", e) }
    finally { told.tryComplete(how); () }

  /** The same future. What one of its callbacks throws ends that one only. */
  private final class Guarded extends Future[A] {
    private def future = promise.future

    def onComplete[B](f: Try[A] => B)(implicit executor: ExecutionContext): Unit =
      future.onComplete(f)(new Catching(executor))
    def transform[B](f: Try[A] => Try[B])(implicit executor: ExecutionContext): Future[B] =
      future.transform(f)(new Catching(executor))
    def transformWith[B](f: Try[A] => Future[B])(implicit executor: ExecutionContext): Future[B] =
      future.transformWith(f)(new Catching(executor))

    def isCompleted: Boolean                                          = future.isCompleted
    def value: Option[Try[A]]                                         = future.value
    def result(atMost: Duration)(implicit permit: CanAwait): A        = future.result(atMost)
    def ready(atMost: Duration)(implicit permit: CanAwait): this.type = {
      future.ready(atMost)
      this
    }
  }

  private final class Catching(executor: ExecutionContext) extends ExecutionContext {
    def execute(task: Runnable): Unit =
      executor.execute { () =>
        try task.run()
        catch { case Survivable(e) => log.error(s"a callback of `$name` failed", e) }
      }
    def reportFailure(cause: Throwable): Unit = executor.reportFailure(cause)
  }
}

private[server] object Announcement {

  /** Announces to user code the result of `own`, which is the server's own. */
  def of[A](own: Future[A], name: String, log: Log): Announcement[A] = {
    val announcement = new Announcement[A](name, log)
    own.onComplete(announcement.complete(_))(ExecutionContext.parasitic)
    announcement
  }
}
