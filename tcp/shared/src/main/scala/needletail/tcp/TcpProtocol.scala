package needletail.tcp

import needletail.async.Async

/**
 * A protocol as a client sees it: its codec, and what goes beyond one answer to each request, in order. Its methods are
 * called on the loop of the connection in question, of several loops at a time; they must not block.
 *
 * @tparam I messages of the server
 * @tparam O messages of the client
 */
abstract class TcpProtocol[I, O](val codec: Codec[I, O]) {

  /**
   * Called with each new connection, before it gets requests: to authenticate, to choose a version, to subscribe again.
   * If it fails, so does the attempt to connect.
   */
  def connected(session: TcpSession[I, O]): Async[Unit] = {
    val _ = session
    Async.unit
  }

  /**
   * Whether a message of the server answers no request. `awaited` is the first request in flight without its answer,
   * which this message answers otherwise; None if there is none: then a message that is not pushed ends the
   * connection, as it is unsolicited. An exception of this, too, ends the connection.
   */
  def isPush(message: I, awaited: Option[O]): Boolean = {
    val _ = (message, awaited)
    false
  }

  /** A message that answers no request. An exception of this is reported to the loop's log. */
  def pushed(session: TcpSession[I, O], message: I): Unit = { val _ = (session, message) }

  /** The connection has ended, for any reason; called once for each call of `connected`, also if that has failed. */
  def disconnected(session: TcpSession[I, O]): Unit = { val _ = session }
}

object TcpProtocol {

  /** The protocol of a codec: each request has one answer, in order, and the server sends nothing else. */
  def apply[I, O](codec: Codec[I, O]): TcpProtocol[I, O] = new TcpProtocol[I, O](codec) {}
}

/** One connection of a [[TcpClient]], used on its loop only. It ends with the connection: nothing is sent again. */
trait TcpSession[I, O] {

  /** Sends a request on this connection, within `TcpClientConfig.requestTimeout`; see `TcpClient.call`. */
  def call(request: O): Async[I]

  /** Sends a message that has no answer; see `TcpClient.send`. */
  def send(message: O): Async[Unit]

  /** Whether it is neither closed nor closing. */
  def isOpen: Boolean

  /** The server's address, as of `Connection.remoteAddress`. */
  def remoteAddress: String

  /** Closes the connection; the requests in flight fail. */
  def close(): Unit
}
