package needletail.io.tls

import java.util.concurrent.atomic.{AtomicLong, AtomicLongArray}

/**
 * What became of the handshakes of all servers with one identity, for all loops together. To be read and counted on any
 * thread.
 *
 * @param all of one server: what it counts is counted there as well; null for none
 */
final class TlsCounts private[io] (all: TlsCounts = null) {
  import TlsCounts.*

  private val reloadsDone   = new AtomicLong
  private val reloadsFailed = new AtomicLong
  private val presentOnes   = new AtomicLong
  private val openOnes      = new AtomicLong
  private val completedOnes =
    new AtomicLongArray(2 * versions.size) // by version: full ones, then resumed ones
  private val failedOnes = new AtomicLongArray(HandshakeFailure.all.size)

  /** Handshakes that were completed with a new session. */
  def full: Long = versions.map(completed(_, isResumed = false)).sum

  /** Handshakes that resumed a session. */
  def resumed: Long = versions.map(completed(_, isResumed = true)).sum

  /** Handshakes that were completed with one of `TlsCounts.versions`. */
  def completed(version: String, isResumed: Boolean): Long = completedOnes.get(place(version, isResumed))

  /** Connections that ended before their handshake was complete. */
  def failed: Long = HandshakeFailure.all.map(failed(_)).sum

  /** Those of them that failed for a reason of this kind. */
  def failed(why: HandshakeFailure): Long = failedOnes.get(HandshakeFailure.all.indexOf(why))

  /** How often the certificates were read again. */
  def reloads: Long = reloadsDone.get

  /** How often that was tried in vain. */
  def failedReloads: Long = reloadsFailed.get

  /** Handshakes in progress: the client has sent something, and the handshake is neither complete nor failed. */
  def present: Long = presentOnes.get

  /** Connections without a complete handshake: those of `present`, and those whose client has sent nothing yet. */
  private[needletail] def open: Long = openOnes.get

  private[io] def opened(): Unit = {
    openOnes.incrementAndGet()
    if (all ne null) all.opened()
  }

  private[io] def began(): Unit = {
    presentOnes.incrementAndGet()
    if (all ne null) all.began()
  }

  private[io] def completed(session: TlsSession): Unit = {
    presentOnes.decrementAndGet()
    openOnes.decrementAndGet()
    completedOnes.incrementAndGet(place(session.version, session.isResumed))
    if (all ne null) all.completed(session)
  }

  private[io] def reloaded(): Unit     = { reloadsDone.incrementAndGet(); () }
  private[io] def failedReload(): Unit = { reloadsFailed.incrementAndGet(); () }

  /** A connection that has ended before there was a TLS socket for it, which would have been `opened`. */
  private[io] def refused(): Unit = {
    count(HandshakeFailure.Silent)
    if (all ne null) all.refused()
  }

  /** @param hasBegun whether the client has sent anything */
  private[io] def broken(hasBegun: Boolean, why: HandshakeFailure): Unit = {
    openOnes.decrementAndGet()
    if (hasBegun) presentOnes.decrementAndGet()
    count(if (!hasBegun && (why eq HandshakeFailure.Incomplete)) HandshakeFailure.Silent else why)
    if (all ne null) all.broken(hasBegun, why)
  }

  private def count(why: HandshakeFailure): Unit = {
    failedOnes.incrementAndGet(HandshakeFailure.all.indexOf(why))
    ()
  }
}

object TlsCounts {

  /** The versions that are counted apart; the last one stands for all others, which only an `SSLContext` can allow. */
  val versions: Seq[String] = Vector("TLSv1.2", "TLSv1.3", "other")

  private def place(version: String, isResumed: Boolean): Int = {
    val found = versions.indexOf(version)
    2 * (if (found < 0) versions.size - 1 else found) + (if (isResumed) 1 else 0)
  }
}
