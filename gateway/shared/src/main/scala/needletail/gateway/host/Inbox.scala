package needletail.gateway.host

import needletail.async.{Async, Promise}
import needletail.http.ByteStream

/**
 * What has come over a connection for one request and has not been asked for yet, in order. Bounded by who fills it,
 * which stops reading while `isFull`.
 *
 * @param room called when there is room again after it was full
 */
private[host] final class Inbox(most: Int, room: () => Unit) {
  private val pieces                               = new java.util.ArrayDeque[Array[Byte]]
  private var size                                 = 0
  private var wanted: Promise[Option[Array[Byte]]] = null
  private var over                                 = false
  private var failure: Throwable                   = null // why it is over, where that was not in order
  private var total                                = 0L

  def isFull: Boolean = !over && size >= most

  /** Has anything come at all? */
  def hasCome: Boolean = total > 0

  /** Is nothing more to come? */
  def isOver: Boolean = over

  /** The array is handed over. */
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

  /** Nothing more comes; `cause` is null where that is in order. What has come is still handed out. */
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

  /** Nobody asks for it any more. */
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
      else if (wanted != null) Async.fail(new IllegalStateException("the last piece has not come yet"))
      else {
        val promise = new Promise[Option[Array[Byte]]]
        wanted = promise
        promise.onCancel(() => if (wanted eq promise) wanted = null)
        promise
      }
    def cancel(): Unit = drop()
  }
}
