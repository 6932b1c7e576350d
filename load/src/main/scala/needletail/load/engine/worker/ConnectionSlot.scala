package needletail.load.engine.worker

/** What a request knows of the connection that it was sent on. */
private[engine] abstract class ConnectionSlot {

  /** When the last answer on it ended, by `System.nanoTime`. */
  final var lastAnswer = 0L

  def isUsable: Boolean

  /** Closes the connection, if there is one. */
  def close(): Unit
}
