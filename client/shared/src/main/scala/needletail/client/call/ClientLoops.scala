package needletail.client.call

import scala.concurrent.Future

import needletail.async.Async
import needletail.client.config.ClientConfig
import needletail.client.connection.ClientLoopContext
import needletail.client.error.ClientError
import needletail.client.pool.{Host, HostRegistry, PerLoopClient}
import needletail.io.{EventLoops, LoopStates}

/**
 * The event loops that a client's calls run on: its own or those lent to it, for calls from other threads, and any
 * loop that a call is made on.
 *
 * @param lent loops for calls from other threads; null: the client starts loops of its own
 */
private[client] final class ClientLoops(config: ClientConfig, lent: EventLoops, hosts: HostRegistry)
    extends CallSender {
  private val states = new LoopStates[PerLoopClient](
    "the client",
    "needletail-client",
    config.loops,
    lent,
    loop => new PerLoopClient(hosts, new ClientLoopContext(loop, config)),
    _.close()
  )

  def response(call: Call): Async[ClientResponse] = new BufferedCallExecution(here, call).begin()

  def stream(call: Call): Async[StreamedResponse] = new StreamingCallExecution(here, call).begin()

  def future(call: Call): Future[ClientResponse] = states.run(response(call), closedError(call))

  def await(call: Call): ClientResponse = states.await(response(call), closedError(call))

  private def closedError(call: Call) = () => new ClientError.ClientClosed(call.hostName).of(call.name)

  /** Runs `body` on a loop. Fails with IllegalStateException if the client is closed. */
  def run[A](body: => Async[A]): Future[A] = states.run(body)

  /** Runs `body` on a loop and blocks until it completes. Throws IllegalStateException on an event loop's thread. */
  def await[A](body: => Async[A]): A = states.await(body)

  /** Closes the host's unused connections on every loop. */
  def forget(host: Host): Unit = states.each(_.forget(host))

  /**
   * Closes unused connections, fails the calls that wait, and stops the client's own loops. Returns when that is done;
   * on an event loop's thread, at once.
   */
  def close(): Unit = states.close()

  /** The calling loop's state. Throws IllegalStateException on a thread that is not an event loop's. */
  private def here: PerLoopClient =
    states.here(
      "this must be called on an event loop's own thread; use future, await or client.run elsewhere"
    )
}
