package needletail.actor

/** Something that an actor created with its [[Context]] and can cancel. */
trait Scheduled {

  /** Cancels it: the message will not be received. On the actor's loop; may be called more than once. */
  def cancel(): Unit
}

/** A message that an actor requested from its [[Context]]. Used on its loop. */
private[actor] abstract class Delivery[M] extends Scheduled {
  def message: M

  /** It has been delivered. Returns whether it is still wanted. */
  def take(): Boolean
}
