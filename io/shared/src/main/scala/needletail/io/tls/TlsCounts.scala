package needletail.io.tls

import java.util.concurrent.atomic.AtomicLong

/** What became of a server's handshakes, for all loops together. To be read and counted on any thread. */
final class TlsCounts private[io] () {
  private val reloadsDone   = new AtomicLong
  private val reloadsFailed = new AtomicLong
  private val fullOnes      = new AtomicLong
  private val resumedOnes   = new AtomicLong
  private val failedOnes    = new AtomicLong
  private val presentOnes   = new AtomicLong

  /** Handshakes that were completed with a new session. */
  def full: Long = fullOnes.get

  /** Handshakes that resumed a session. */
  def resumed: Long = resumedOnes.get

  /** Connections that ended before their handshake was complete. */
  def failed: Long = failedOnes.get

  /** How often the certificates were read again. */
  def reloads: Long = reloadsDone.get

  /** How often that was tried in vain. */
  def failedReloads: Long = reloadsFailed.get

  /** Handshakes in progress: the client has sent something, and the handshake is neither complete nor failed. */
  def present: Long = presentOnes.get

  private[io] def began(): Unit = { presentOnes.incrementAndGet(); () }

  private[io] def completed(isResumed: Boolean): Unit = {
    presentOnes.decrementAndGet()
    (if (isResumed) resumedOnes else fullOnes).incrementAndGet()
    ()
  }

  private[io] def reloaded(): Unit     = { reloadsDone.incrementAndGet(); () }
  private[io] def failedReload(): Unit = { reloadsFailed.incrementAndGet(); () }

  /** @param hasBegun whether the client has sent anything */
  private[io] def broken(hasBegun: Boolean): Unit = {
    if (hasBegun) presentOnes.decrementAndGet()
    failedOnes.incrementAndGet()
    ()
  }
}
