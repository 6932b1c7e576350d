package needletail.io.proxyprotocol

import java.io.IOException

/**
 * The connections of one loop whose PROXY header is awaited: they have no handler yet, and would otherwise outlive a
 * server that ends. Used on the loop.
 *
 * @param onFailed called for a connection that was closed because of its header, of which a part had arrived: with the
 *   peer's address, and why
 */
private[needletail] final class AwaitedHeaders(onFailed: (String, Throwable) => Unit) {
  private val waiting = new java.util.LinkedHashSet[AwaitedHeaders.Waiting]
  private var refuses = false

  /** How many there are. */
  def size: Int = waiting.size

  /** Its header is awaited from now on, unless all have been closed: then it is closed, too. */
  private[io] def add(one: AwaitedHeaders.Waiting): Unit =
    if (refuses) one.close(AwaitedHeaders.ended) else { waiting.add(one); () }

  private[io] def remove(one: AwaitedHeaders.Waiting): Unit = { waiting.remove(one); () }

  private[io] def failed(peer: String, cause: Throwable): Unit = onFailed(peer, cause)

  /** Closes those of which nothing has arrived. */
  def closeSilent(): Unit = foreach(one => if (!one.hasBegun) one.close(AwaitedHeaders.ended))

  /** Closes all, also those that are added later. */
  def closeAll(): Unit = {
    refuses = true
    foreach(_.close(AwaitedHeaders.ended))
  }

  /** Each removes itself. */
  private def foreach(f: AwaitedHeaders.Waiting => Unit): Unit =
    waiting.toArray(new Array[AwaitedHeaders.Waiting](0)).foreach(f)
}

private[io] object AwaitedHeaders {

  /** A connection whose header is awaited. */
  trait Waiting {

    /** Whether a part of the header has arrived. */
    def hasBegun: Boolean
    def close(cause: IOException): Unit
  }

  private def ended = new IOException("the server ended before a PROXY header had come")
}
