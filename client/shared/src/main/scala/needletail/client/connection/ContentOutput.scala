package needletail.client.connection

/** Where streamed request content is written: the sending side of a connection, on its loop. */
private[client] trait ContentOutput {

  /** Bytes that were written and that the kernel has not accepted yet. */
  def pendingOutput: Int

  /** Writes `count` bytes from `from` on; the array may be reused afterwards. */
  private[client] def writeContent(bytes: Array[Byte], from: Int, count: Int): Unit

  /** Writes all bytes of an array, which must not change afterwards. */
  private[client] def writeContentOwned(bytes: Array[Byte]): Unit

  /** The content has been written completely. */
  private[client] def contentComplete(): Unit

  /** The content cannot be completed: the request fails with `BadRequestBody`, and the connection ends. */
  private[client] def contentFailed(what: String, cause: Throwable): Unit

  /** Runs the task at the end of the loop's current turn. */
  private[client] def endOfTurn(task: Runnable): Unit

  /** Applies changed deadlines. */
  def settle(): Unit
}
