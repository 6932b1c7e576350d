package needletail.server

import scala.concurrent.{ExecutionContext, Future}

import needletail.io.{Address, TlsIdentity}
import needletail.server.operations.Statistics
import needletail.server.tcp.{Announcement, TcpServer}

/** A server that was started. Its methods may be called from any thread. */
final class RunningServer private[server] (server: TcpServer, admin: Option[TcpServer]) {

  /** The address it listens on, with the actual port. */
  def address: Address = server.address

  /** The port it listens on; 0 for a Unix socket. */
  def port: Int = server.port

  /**
   * A URL by which this machine can reach it, such as `http://localhost:8080`; `unix:` and the path for a Unix socket. The
   * scheme of a codec's protocol is `tcp`, or `tls`; of a gateway's, `fastcgi` or `scgi`.
   */
  def url: String = server.url

  /** The address of [[AdminConfig]], with the actual port; None if there is none. */
  def adminAddress: Option[Address] = admin.map(_.address)

  /** Whether it accepts new work. False as soon as a drain begins. */
  def isReady: Boolean = server.isReady

  /** Completes when a drain begins. Handlers use `request.connection.draining`. */
  def draining: Future[Unit] = server.drainBegun

  /** Its statistics so far. Fails with IllegalStateException if the server has stopped. */
  def statistics: Future[Statistics] = server.statistics

  /** Whether it uses TLS. */
  def isSecure: Boolean = server.isSecure

  /** Its certificates, which other servers may have too. */
  private[server] def identity: Option[TlsIdentity] = server.tls

  /**
   * Reads the certificates again, as SIGHUP makes `run` do: new connections have the new ones. If that fails, the old
   * ones stay and the log says why. Blocks while it reads.
   */
  def reload(): Unit = server.reload()

  /** Stops gracefully, as `TcpServer.drain` does. Completes when it has stopped. */
  def drain(): Future[Unit] = {
    server.drain()
    stopped
  }

  /** Stops at once: connections are cut off. Completes when it has stopped. */
  def close(): Future[Unit] = {
    server.close()
    stopped
  }

  /** As `stopped`, for the server's own callbacks: see [[Announcement]]. */
  private[server] val ended: Future[Unit] =
    admin.fold(server.ended) { a =>
      implicit val here: ExecutionContext = ExecutionContext.parasitic
      // without its administration server nothing could monitor the server
      a.ended.onComplete(how => if (how.isFailure) server.close())
      server.ended.transformWith { how =>
        a.close()
        a.ended.transform(end => if (how.isSuccess) end else how)
      }
    }

  private val end = Announcement.of(ended, "stopped", server.log)

  /** As `ended`, once the callbacks of `stopped` have been called. */
  private[server] def endTold: Future[Unit] = end.after

  /**
   * Completes when it has stopped, for whatever reason; fails if an event loop was ended by a fatal error. The
   * administration server answers until then.
   */
  val stopped: Future[Unit] = end.future
}
