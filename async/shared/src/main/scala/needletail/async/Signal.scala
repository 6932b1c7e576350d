package needletail.async

/**
 * An event with many observers and no owner: it cannot be cancelled, and keeps nothing of observers that have
 * withdrawn. To be used on the loop that it was created for.
 */
private[needletail] final class Signal extends Pending[Unit] {

  /** Completes it and calls all observers. May be called more than once. */
  def happen(): Unit = settle(Result.unit)

  override private[async] def cancelled(): Unit = ()
}
