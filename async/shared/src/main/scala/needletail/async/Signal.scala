package needletail.async

/**
 * An event that many wait for and none of them owns: it cannot be cancelled, and keeps nothing of those who have lost
 * interest. To be used on the loop that it was made for.
 */
private[needletail] final class Signal extends Pending[Unit] {

  /** It has happened: all who wait are told. May be repeated. */
  def happen(): Unit = settle(Result.unit)

  override private[async] def cancelled(): Unit = ()
}
