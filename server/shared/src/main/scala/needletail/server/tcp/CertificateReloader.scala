package needletail.server.tcp

import java.io.IOException
import java.nio.file.Path
import java.util.concurrent.RejectedExecutionException

import needletail.async.{Async, Survivable}
import needletail.io.{EventLoop, TlsIdentity}
import needletail.server.operations.Log

/**
 * Reads a server's certificates, keys, authorities and lists again, which other servers may have too, and logs which of
 * their files have changed, and errors in them.
 */
private[server] final class CertificateReloader(identity: TlsIdentity, loop: EventLoop, log: Log) {
  import CertificateReloader._

  private val expiries = new ExpiryWarnings(identity, log)

  /**
   * Warns of certificates and lists that are not valid, or will soon not be: again and again, as who renews them may have
   * stopped. Looks after the files if that is configured.
   */
  def start(): Unit = {
    loaded()
    if (identity.checkNanos > 0) later(identity.checkNanos, () => check())
  }

  private def now: Long = loop.platform.currentTimeMillis()

  @volatile private var looks = 0 // how often a look was planned: only the latest one counts

  private def loaded(): Unit = {
    expiries.loaded(now)
    lookLater()
  }

  /** When something has expired or will in an hour or a day, and now and then: others may read the files. */
  private def lookLater(): Unit = {
    val number = synchronized { looks += 1; looks }
    val at     = now
    val nanos  = expiries.next(at).fold(WarnNanos)(next => math.min(next - at, WarnNanos / 1000000) * 1000000)
    later(
      nanos,
      () =>
        if (number == looks) {
          expiries.look(now)
          lookLater()
        }
    )
  }

  /** Reads them; if that fails, the old ones stay in use and the reason is logged. Blocks. */
  def reload(): Unit = {
    identity.failures.forget()
    tryTo {
      identity.reload()
      true
    }
  }

  /**
   * Logs the reason of failures that follow one another once an hour, unless it is another one: once for all servers
   * that have the identity.
   *
   * @param read returns whether it has read them: it need not if another server has
   */
  private def tryTo(read: => Boolean): Unit =
    try {
      if (read) {
        log.info(s"the TLS files have been reloaded; ${changes(identity.reloaded)}")
        loaded()
      }
    } catch {
      case e: IOException => if (identity.failures.isNew(e.getMessage)) log.warn(s"$Kept: ${e.getMessage}")
      case Survivable(e)  => if (identity.failures.isNew(e.toString)) log.error(Kept, e)
    }

  private def later(nanos: Long, work: Runnable): Unit =
    try
      loop.execute { () =>
        loop.schedule(nanos, work)
        ()
      }
    catch { case _: RejectedExecutionException => () } // the server has stopped

  private def check(): Unit = {
    val begun = loop.nowNanos
    Async.blocking(tryTo(identity.reloadIfDue(begun))).onComplete { result =>
      result.failed.foreach(e => log.error("the TLS files could not be checked", e))
      later(identity.checkNanos, () => check())
    }
  }
}

private[server] object CertificateReloader {
  private final val Kept      = "the TLS files were not reloaded, what was read before stays in use"
  private final val WarnNanos = 600L * 1000 * 1000 * 1000

  private def changes(files: Seq[Path]): String =
    if (files.isEmpty) "none has changed"
    else files.mkString("", ", ", if (files.size == 1) " has changed" else " have changed")
}
