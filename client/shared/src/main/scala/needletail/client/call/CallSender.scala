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

  /** As `response`, from any thread. Fails with `ClientClosed` if the client is closed. */
  def future(call: Call): Future[ClientResponse]

  /**
   * As `response`, blocking. Throws `ClientClosed` if the client is closed, and IllegalStateException on an event loop's
   * thread.
   */
  def await(call: Call): ClientResponse
}
