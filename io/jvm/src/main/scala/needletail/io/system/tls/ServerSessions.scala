package needletail.io.system.tls

import java.util.concurrent.TimeUnit.SECONDS
import javax.net.ssl.SSLContext

/**
 * The `SSLContext` of a server's next connection, whose sessions can be resumed for a limited time from their full
 * handshake on. The JDK only limits the time from the last resumption, and accepts a ticket for as long as it keeps the
 * key, which is up to an hour longer. But each context knows only sessions that it has made itself, so it is replaced
 * when it is as old as a session may become.
 */
private[tls] final class ServerSessions(make: () => SSLContext, lifetimeSeconds: Int, nanoTime: () => Long) {
  private final class Made(val context: SSLContext, val at: Long)
  @volatile private var present = made()

  /** On any thread. */
  def context(): SSLContext = {
    val now = present
    if (!isOld(now)) now.context
    else
      synchronized {
        if (isOld(present)) present = made()
        present.context
      }
  }

  private def isOld(made: Made): Boolean = nanoTime() - made.at >= SECONDS.toNanos(lifetimeSeconds.toLong)

  private def made(): Made = {
    val at      = nanoTime()
    val context = make()
    context.getServerSessionContext.setSessionTimeout(lifetimeSeconds)
    new Made(context, at)
  }
}
