package needletail.io

import java.io.IOException
import java.util.concurrent.RejectedExecutionException

/**
 * A socket that a [[Listener]] has accepted and that belongs to no loop yet. Whoever gets it either starts or closes
 * it, else its descriptor is lost. One thread's at a time.
 */
final class AcceptedSocket private[io] (socket: Socket) {

  private var started = false // the loop it went to owns it then

  /** As [[Connection.remoteAddress]]. */
  def remoteAddress: String = socket.remoteAddress

  /** Nothing happens after `start`. */
  def close(): Unit = if (!started) socket.close()

  /** Closes with RST; for a peer that is to learn at once that it was refused. Nothing happens after `start`. */
  def abort(): Unit =
    if (!started) {
      try socket.resetOnClose()
      catch { case _: IOException => () } // gone already
      socket.close()
    }

  /**
   * Takes the socket to `loop`, from any thread; there `makeHandler` is called with the connection and then data may
   * come. If the loop has ended, the socket is closed.
   *
   * @param tls
   *   by which it is secured; null for a plain one
   */
  def start(
      loop: EventLoop,
      options: ConnectionOptions,
      tls: TlsIdentity = null
  )(makeHandler: Connection => ConnectionHandler): Unit = {
    if (started) throw new IllegalStateException("started already")
    started = true
    if (loop.inLoop) startHere(loop, options, tls, makeHandler)
    else
      try loop.execute(() => startHere(loop, options, tls, makeHandler))
      catch { case _: RejectedExecutionException => socket.close() }
  }

  private def startHere(
      loop: EventLoop,
      options: ConnectionOptions,
      tls: TlsIdentity,
      makeHandler: Connection => ConnectionHandler
  ): Unit =
    if (!loop.isAlive) socket.close()
    else {
      val configured =
        try {
          socket.configure(options)
          true
        } catch { case _: IOException => false } // the peer is gone already
      if (configured) {
        val stream = if (tls eq null) socket else tls.over(socket)
        new Connection(loop, stream, options).begin(makeHandler)
      } else socket.close()
    }
}
