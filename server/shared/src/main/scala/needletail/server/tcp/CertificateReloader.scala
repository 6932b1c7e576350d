package needletail.server.tcp

import java.io.IOException
import java.util.concurrent.RejectedExecutionException

import needletail.async.Async
import needletail.io.{EventLoop, TlsIdentity}
import needletail.server.operations.Log

/** Reloads a server's certificates, and logs errors in them. */
private[server] final class CertificateReloader(identity: TlsIdentity, loop: EventLoop, log: Log) {

  /** Warns of certificates that are not valid, and looks after the files if that is configured. */
  def start(): Unit = {
    warn()
    if (identity.checkNanos > 0) later()
  }

  /** Reads them; if that fails, the old ones stay in use and the reason is logged. Blocks. */
  def reload(): Unit =
    try {
      identity.reload()
      log.info("the certificates have been reloaded")
      warn()
    } catch {
      case e: IOException =>
        log.warn(s"the certificates were not reloaded, the old ones stay in use: ${e.getMessage}")
    }

  private def warn(): Unit = {
    val now = System.currentTimeMillis
    for (c <- identity.certificates)
      if (now > c.notAfter) log.warn(s"the certificate of ${c.subject} has expired")
      else if (now < c.notBefore) log.warn(s"the certificate of ${c.subject} is not valid yet")
  }

  private def later(): Unit =
    try
      loop.execute { () =>
        loop.schedule(identity.checkNanos, () => check())
        ()
      }
    catch { case _: RejectedExecutionException => () } // the server has stopped

  private def check(): Unit =
    Async.blocking(if (identity.isOutdated) reload()).onComplete { result =>
      result.failed.foreach(e => log.error("the certificate files could not be checked", e))
      later()
    }
}
