package needletail.client.call

import scala.concurrent.Future

import needletail.async.Async

/** Sends calls on event loops. */
private[client] trait CallSender {

  /**
   * Sends a call on the calling loop: the response with its whole body. Throws IllegalStateException on other threads.
   */
  def response(call: Call): Async[ClientResponse]

  /**
   * Sends a call on the calling loop: the response with its body as a stream. Throws IllegalStateException on other
   * threads.
   */
  def stream(call: Call): Async[StreamedResponse]

  /** Runs `body` on a loop. */
  def run[A](body: => Async[A]): Future[A]

  /** Runs `body` on a loop and blocks until it completes. Throws IllegalStateException on an event loop's thread. */
  def await[A](body: => Async[A]): A
}
