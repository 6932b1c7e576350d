package needletail.gateway.host.backend

import needletail.async.{Async, AsyncPromise}
import needletail.http.ByteStream

/**
 * Bytes of a response that have arrived over a connection and were not requested yet, in order. The producer keeps it
 * bounded, by reading no more while `isFull`.
 *
 * @param most bytes that make it full
 * @param room called when there is room again after it was full
 */
private[host] final class AnswerBuffer(most: Int, room: () => Unit) {
  private val pieces                                    = new java.util.ArrayDeque[Array[Byte]]
  private var size                                      = 0
  private var wanted: AsyncPromise[Option[Array[Byte]]] = null
  private var over                                      = false
  private var failure: Throwable                        = null // why it ended early; null if it did not
  private var total                                     = 0L

  def isFull: Boolean = !over && size >= most

  /** Whether anything has arrived. */
  def hasReceived: Boolean = total > 0

  /** Whether the response has ended. */
  def isOver: Boolean = over

  /** Adds a piece, whose array then belongs to this buffer. Pieces after the end are dropped. */
  def add(piece: Array[Byte]): Unit = if (!over && piece.length > 0) {
    total += piece.length
    if (wanted == null) {
      pieces.add(piece)
      size += piece.length
    } else {
      val promise = wanted
      wanted = null
      promise.succeed(Some(piece))
      ()
    }
  }

  /**
   * Ends the response: completely if `cause` is null, otherwise with that failure. What has arrived is still
   * delivered.
   */
  def end(cause: Throwable): Unit = if (!over) {
    over = true
    failure = cause
    if (wanted != null) {
      val promise = wanted
      wanted = null
      if (cause == null) promise.succeed(None) else promise.fail(cause)
      ()
    }
  }

  /** Drops what has arrived, and ends: it is no longer needed. */
  def drop(): Unit = {
    pieces.clear()
    size = 0
    end(null)
  }

  val stream: ByteStream = new ByteStream {
    def next(): Async[Option[Array[Byte]]] =
      if (!pieces.isEmpty) {
        val wasFull = isFull
        val piece   = pieces.poll()
        size -= piece.length
        if (wasFull && !isFull) room()
        Async.value(Some(piece))
      } else if (failure != null) Async.fail(failure)
      else if (over) Async.value(None)
      else if (wanted != null && !wanted.isCompleted) ByteStream.tooSoon
      else {
        val promise = new AsyncPromise[Option[Array[Byte]]]
        wanted = promise
        promise.onCancel(() => if (wanted eq promise) wanted = null)
        promise
      }
    def cancel(): Unit = AnswerBuffer.this.drop()
  }
}
