package needletail.server.overload

import needletail.async.{Rejected, TimedOut}
import needletail.http.{Around, Response}
import needletail.http.message.Status
import needletail.server.failure.MemoryExhausted

/** What has become of a request that counts for its route's limit. */
private[server] object Outcome {

  /** Its handler has answered, or the server itself has refused it or ended it after a time: the duration counts. */
  final val Answered = 0

  /** Its handler has failed: that does not show how long requests take. */
  final val Failed = 1

  /** It was cancelled, or belongs to another route. */
  final val Dropped = 2

  /**
   * Whether a handler with that result has failed: with a status of 500 or more that is not the server's own refusal.
   * Null, in place of a response, is a failure.
   */
  def isFailure(response: Response): Boolean =
    response == null || response.status.code >= 500 && !isServers(response)

  /**
   * Whether a handler that ends with that exception has failed, by the status of the response that is sent for it. It
   * has if the exception, whose methods are user code, does not tell a status.
   */
  def isFailure(cause: Throwable): Boolean = cause match {
    case _: TimedOut | _: Rejected | MemoryExhausted => false
    case _                                           =>
      Around.errorOf(cause).forall(error => error.status == null || error.status.code >= 500)
  }

  /** Whether the server refuses by it, or says that it has waited for too long. Functions around handlers may add to it. */
  private def isServers(response: Response): Boolean =
    response.isRefusal && response.status.code == Status.ServiceUnavailable.code
}
