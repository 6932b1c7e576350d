package needletail.actor

import scala.concurrent.duration._

import needletail.async.Setting

/** What happens to a message if the mailbox is full. */
sealed trait Overflow
object Overflow {

  /** The message is refused: `send` returns false, and `ActorStats.rejected` grows. */
  case object RejectNewest extends Overflow

  /** It replaces the oldest waiting message; `send` returns true, and `ActorStats.dropped` grows. */
  case object DropOldest extends Overflow
}

/**
 * The settings of an actor. A value out of range throws IllegalArgumentException.
 *
 * @param name     for messages; need not be unique. Without one, messages name the class that the actor was spawned in
 * @param mailbox  how many messages may wait, at least 1; by default the maximum of requests in flight of a server, so
 *   that requests that arrive all at once may ask the same actor
 * @param overflow what happens to one more
 * @param restarts how often the actor is restarted after a failure, within `within`; one more failure stops it. 0: the
 *   first failure stops it
 * @param within   the time in which restarts are counted, above 0
 * @param batch    how many messages it receives, at least 1, before its loop's other tasks run
 * @param onFailure called with each failure, on the loop. None: an [[ActorFailed]], which names the actor and has the
 *   failure as its cause, is thrown on the loop, which logs it
 */
final case class ActorSettings(
    name: String = ActorSettings.Unnamed,
    mailbox: Int = 16384,
    overflow: Overflow = Overflow.RejectNewest,
    restarts: Int = 10,
    within: FiniteDuration = FiniteDuration(1, MINUTES),
    batch: Int = 64,
    onFailure: Option[Throwable => Unit] = None
) {
  {
    val is = Setting("ActorSettings")
    is.positive("mailbox", mailbox)
    is.positive("batch", batch)
    is.notNegative("restarts", restarts)
    is.positive("within", within)
  }
}

object ActorSettings {
  private[actor] final val Unnamed = "actor"
}

/**
 * What is thrown on an actor's loop when the actor has failed and has no `ActorSettings.onFailure`; the loop logs it.
 * Its cause is what the actor threw. A loop for tests throws it in the test, with further ones in `getSuppressed`.
 */
final class ActorFailed private[actor] (what: String, cause: Throwable)
    extends RuntimeException(s"the actor $what", cause, true, false)
