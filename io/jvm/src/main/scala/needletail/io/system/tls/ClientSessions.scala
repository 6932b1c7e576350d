package needletail.io.system.tls

import java.security.cert.X509Certificate
import javax.net.ssl.{SSLContext, SSLEngine, SSLPeerUnverifiedException}

/**
 * The `SSLContext` of a client's next connection, whose sessions are resumed by engines that look at no certificate then.
 * Each context knows only sessions that it has made itself, and nobody can ask it for one of them. So it is replaced when
 * the first certificate expires that any of its sessions relies on; and for each connection from when another list of
 * revoked certificates counts. The JDK itself forgets sessions a day after their full handshake.
 *
 * @param make    takes microseconds
 * @param trusted those that are trusted
 * @param change  when another list counts, in milliseconds since 1970
 * @param millis  the time, in milliseconds since 1970
 */
private[tls] final class ClientSessions(
    make: () => SSLContext,
    trusted: Seq[X509Certificate],
    change: Option[Long],
    millis: () => Long
) {
  import ClientSessions.*

  @volatile private var present = made()

  private def made(): Made = new Made(make(), endOf(trusted))

  /** When the first of these expires that has not expired yet: a session made now does not rely on those that have. */
  private def endOf(certificates: Seq[X509Certificate]): Long = {
    val now = millis()
    certificates.map(_.getNotAfter.getTime).filter(_ > now).minOption.getOrElse(Long.MaxValue)
  }

  /** On any thread. */
  def next(): Made = {
    val known = present
    if (!isOver(known)) known
    else
      synchronized {
        if (isOver(present)) present = made()
        present
      }
  }

  private def isOver(known: Made): Boolean = {
    val now = millis()
    now >= known.until || change.exists(now >= _)
  }

  /** A context and its sessions. */
  final class Made(val context: SSLContext, trustedUntil: Long) {
    @volatile private[ClientSessions] var until = trustedUntil

    /** The handshake of this engine of the context is complete, whose session may be resumed. */
    def completed(engine: SSLEngine): Unit = relyOn(chainOf(engine))

    /** One of its sessions relies on these certificates. */
    def relyOn(chain: Seq[X509Certificate]): Unit = {
      val end = endOf(chain)
      if (end < until) synchronized { until = Math.min(until, end) }
    }
  }
}

private[tls] object ClientSessions {

  /** What the server has shown; others than those that were verified end sessions too early, not too late. */
  private def chainOf(engine: SSLEngine): Seq[X509Certificate] =
    try engine.getSession.getPeerCertificates.toSeq.collect { case one: X509Certificate => one }
    catch { case _: SSLPeerUnverifiedException => Nil }
}
