package needletail.server.connection

import scala.collection.mutable.ArrayBuffer

import needletail.io.EventLoop

/** Finds connections of a loop whose client gets no further in the TLS handshake. */
private[server] final class StalledHandshakes(loop: EventLoop, connections: LoopConnections) {
  import StalledHandshakes._

  private var lookedAt = loop.platform.nanoTime()
  private var took     = 0L

  /**
   * Observes all connections. Returns at most `most` that are stalled for `Patience`, by calls of this: those that are
   * stalled longest, the oldest among equals. Does not look if that would take more than a small part of the loop's time.
   */
  def longest(most: Int, withSilent: Boolean): Seq[ServedConnection] = {
    val now = loop.platform.nanoTime()
    if (now - lookedAt < Math.min(took * Rest, MostRest)) Nil
    else {
      val stalled = ArrayBuffer.empty[Stalled]
      connections.foreach { c =>
        val nanos = c.connection.handshakeStall(withSilent)
        if (nanos >= Patience) stalled += new Stalled(c, nanos)
        ()
      }
      lookedAt = loop.platform.nanoTime()
      took = lookedAt - now
      // the list begins with the newest, and sorting is stable
      stalled.reverseIterator.toVector.sortBy(-_.nanos).take(most).map(_.who)
    }
  }
}

private[server] object StalledHandshakes {
  private final class Stalled(val who: ServedConnection, val nanos: Long)

  /** How long a client may get no further, as `Connection.handshakeStall` counts, in nanoseconds. */
  final val Patience = 500L * 1000 * 1000

  /** After a look, how many times as long as it took it rests. */
  private final val Rest = 20L

  /** The longest rest in nanoseconds: a look takes long also when others interrupt it. */
  private final val MostRest = 250L * 1000 * 1000
}
