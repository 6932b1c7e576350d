package needletail.load.engine.worker

/** A request's view of its connection. */
private[engine] abstract class ConnectionSlot {

  /** When the last answer on it ended, by the loop's clock. */
  final var lastAnswer = 0L

  def isUsable: Boolean

  /** Closes the connection, if there is one. */
  def close(): Unit
}
