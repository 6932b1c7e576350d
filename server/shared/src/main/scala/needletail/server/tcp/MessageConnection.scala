package needletail.server.tcp

import needletail.async.Async
import needletail.http.ConnectionInfo

/**
 * One connection of a server of a codec (`Server.withCodec`): what is known of its client, and messages that the server
 * sends of its own accord, beside the answers.
 *
 * `send` and `close` may be called from any thread. What other threads than the connection's loop ask for is done on the
 * loop, soon, and for each thread in order.
 *
 * With TLS, `security` and `peer` are None until the handshake is complete, so in the function that is called for each
 * connection; in the one that answers messages they are known.
 *
 * @tparam O messages that the server sends
 */
trait MessageConnection[-O] extends ConnectionInfo {

  /**
   * Sends a message that is not an answer. Returns false if it is not taken: the connection is closed, or has ended its
   * output (after `close` that is at the end of its loop's turn, or once the awaited answer has been sent), or more than
   * `ServerConfig.maxPendingOutput` bytes wait for the client. With TLS, what is sent before the handshake is complete
   * waits for that. What another thread sends is taken, and dropped if the connection closes before its loop comes to
   * it. Throws what the codec's `encode` throws, which is called on the calling thread.
   */
  def send(message: O): Boolean

  /** Closes the connection after the messages sent so far, and the answer that is awaited, if there is one. */
  def close(): Unit

  /**
   * Completes when the connection is closed, whoever has closed it. To be called on the connection's loop, as in the
   * function that answers messages: fails with IllegalStateException on another thread. Cancelling it has no effect.
   */
  def closed: Async[Unit]
}
