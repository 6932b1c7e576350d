package needletail.io

import java.io.IOException
import java.util.concurrent.RejectedExecutionException

import needletail.io.platform.{ConnectionOptions, Socket}
import needletail.io.proxyprotocol.{AwaitedHeaders, ProxyHeader, TrustedProxies}
import needletail.io.tls.TlsCounts

/**
 * A socket that a [[Listener]] has accepted and that belongs to no loop yet. Its owner must either start or close it,
 * otherwise its descriptor leaks. Not thread-safe.
 */
final class AcceptedSocket private[io] (socket: Socket, isUnix: Boolean) {

  private var started = false // then the loop owns it

  /** As [[Connection.remoteAddress]]. */
  def remoteAddress: String = socket.remoteAddress

  /** Closes it; does nothing after `start`. */
  def close(): Unit = if (!started) socket.close()

  /** Closes it with RST, so that the peer learns at once that it was refused; does nothing after `start`. */
  def abort(): Unit =
    if (!started) {
      try socket.resetOnClose()
      catch { case _: IOException => () } // gone already
      socket.close()
    }

  /**
   * Makes it a connection of `loop`, from any thread. `makeHandler` is called there with the connection, before any
   * data. If the loop has ended, or the peer has gone, the socket is closed and `makeHandler` is not called.
   *
   * @param tls
   *   the identity to secure it with; null for a plain connection
   * @param toPlain
   *   what is sent to a client that does not speak TLS although `tls` is set; null for nothing
   * @param proxies
   *   whose connections begin with a PROXY header, which is read first; null for nobody's
   * @param awaited
   *   has the connection while that header is awaited; may be null
   * @param gone
   *   run exactly once, when the descriptor has been closed: at the end of the connection, or when none could be made,
   *   for whatever reason. On the loop, or on the calling thread if the loop has ended. Null for nothing; must not throw
   * @param counts
   *   where its handshake is counted; null for those of `tls`
   */
  def start(
      loop: EventLoop,
      options: ConnectionOptions,
      tls: TlsIdentity = null,
      toPlain: Array[Byte] = null,
      proxies: TrustedProxies = null,
      awaited: AwaitedHeaders = null,
      gone: Runnable = null,
      counts: TlsCounts = null
  )(makeHandler: Connection => ConnectionHandler): Unit = {
    if (started) throw new IllegalStateException("started already")
    started = true
    val its = if ((counts ne null) || (tls eq null)) counts else tls.counts
    if (loop.inLoop) startHere(loop, options, tls, its, toPlain, proxies, awaited, gone, makeHandler)
    else
      try loop.execute(() => startHere(loop, options, tls, its, toPlain, proxies, awaited, gone, makeHandler))
      catch { case _: RejectedExecutionException => giveBack(its, gone) }
  }

  private def startHere(
      loop: EventLoop,
      options: ConnectionOptions,
      tls: TlsIdentity,
      counts: TlsCounts, // null without TLS
      toPlain: Array[Byte],
      proxies: TrustedProxies,
      awaited: AwaitedHeaders,
      gone: Runnable,
      makeHandler: Connection => ConnectionHandler
  ): Unit = {
    val begun                             = loop.nowNanos
    def opened(header: ProxyHeader): Unit = {
      // the handshake has what the header has left of their time
      val left   = options.handshakeNanos - (loop.nowNanos - begun)
      val itsOwn =
        if ((header eq null) || (tls eq null)) options else options.copy(handshakeNanos = Math.max(1L, left))
      open(loop, itsOwn, tls, counts, toPlain, header, gone, makeHandler)
    }
    if (!loop.isAlive) giveBack(counts, gone)
    else if ((proxies ne null) && owesHeader(proxies, counts, gone))
      new ProxiedSocket(loop, socket, options, awaited, opened, () => giveBack(counts, gone)).begin()
    else opened(null)
  }

  private def owesHeader(proxies: TrustedProxies, counts: TlsCounts, gone: Runnable): Boolean =
    try proxies.trusts(isUnix, socket.remoteAddress)
    catch {
      case e: Throwable =>
        giveBack(counts, gone)
        throw e
    }

  private def open(
      loop: EventLoop,
      options: ConnectionOptions,
      tls: TlsIdentity,
      counts: TlsCounts, // null without TLS
      toPlain: Array[Byte],
      header: ProxyHeader,
      gone: Runnable,
      makeHandler: Connection => ConnectionHandler
  ): Unit = {
    var connection: Connection = null // once set, it runs `gone` itself
    try {
      socket.configure(options)
      val stream = if (tls eq null) socket else tls.over(socket, toPlain, counts)
      connection = new Connection(loop, stream, options, gone, header)
    } catch { case _: IOException => () } // the peer is gone already
    finally if (connection eq null) giveBack(counts, gone)
    if (connection ne null) connection.begin(makeHandler)
  }

  private def giveBack(counts: TlsCounts, gone: Runnable): Unit =
    try {
      if (counts ne null) counts.refused()
      socket.close()
    } finally if (gone ne null) gone.run()
}
