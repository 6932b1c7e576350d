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
   * come. If the loop has ended, or the peer has gone meanwhile, the socket is closed and `makeHandler` not called.
   *
   * @param tls
   *   by which it is secured; null for a plain one
   * @param gone
   *   run exactly once, when the descriptor has been given back: at the connection's end, or when there never was one,
   *   whatever it failed at. On the loop, or in the calling thread where the loop has ended. Null for nothing; it must
   *   not throw
   */
  def start(
      loop: EventLoop,
      options: ConnectionOptions,
      tls: TlsIdentity = null,
      gone: Runnable = null
  )(makeHandler: Connection => ConnectionHandler): Unit = {
    if (started) throw new IllegalStateException("started already")
    started = true
    if (loop.inLoop) startHere(loop, options, tls, gone, makeHandler)
    else
      try loop.execute(() => startHere(loop, options, tls, gone, makeHandler))
      catch { case _: RejectedExecutionException => giveBack(gone) }
  }

  private def startHere(
      loop: EventLoop,
      options: ConnectionOptions,
      tls: TlsIdentity,
      gone: Runnable,
      makeHandler: Connection => ConnectionHandler
  ): Unit = {
    var connection: Connection = null // from then on it sees to its end itself
    try
      if (loop.isAlive) {
        socket.configure(options)
        val stream = if (tls eq null) socket else tls.over(socket)
        connection = new Connection(loop, stream, options, gone)
      }
    catch { case _: IOException => () } // the peer is gone already
    finally if (connection eq null) giveBack(gone)
    if (connection ne null) connection.begin(makeHandler)
  }

  private def giveBack(gone: Runnable): Unit =
    try socket.close()
    finally if (gone ne null) gone.run()
}
