package needletail.client

import scala.concurrent.Future

import needletail.async.{Async, Setting}
import needletail.client.call.{Call, ClientLoops}
import needletail.client.config.ClientConfig
import needletail.client.pool.{Host, HostRegistry, HostStatistics}
import needletail.client.url.{Origin, Url}
import needletail.http.admission.TimeLimit
import needletail.http.message.{Headers, Method}
import needletail.io.{Address, EventLoops}

/**
 * An HTTP/1.1 client: pooled connections, a limit on every wait, retries within a budget, and a circuit breaker for
 * each host.
 *
 * {{{
 *   val client = Client()
 *   val users  = client.service("http://users:8081")
 *
 *   // on an event loop, such as a handler's: does not block, and is cancelled with the request
 *   def page(id: Long)(implicit request: Request): Async[String] = for {
 *     user            <- users.get("/users/" + id).text
 *     (orders, stock) <- client.get(ordersUrl).text zip client.get(stockUrl).text
 *   } yield user + orders + stock
 *
 *   // on a virtual thread, or any other thread that may block
 *   val user = users.get("/users/1").await().text
 * }}}
 *
 * One client is enough for a program. A call made on an event loop runs on that loop, over connections of that loop. A
 * call made on another thread runs on a loop of the client, or on one of the loops given to it.
 */
final class Client private (val config: ClientConfig, lent: EventLoops)
    extends Calls
    with AutoCloseable {
  private val hosts: HostRegistry = new HostRegistry(config, host => loops.forget(host))
  private val loops: ClientLoops  = new ClientLoops(config, lent, hosts)

  /**
   * A call of a URL: `http://host:port/path?query`, or `http+unix://%2Frun%2Fapp.sock/path` for a Unix socket.
   *
   * @throws java.lang.IllegalArgumentException if it is not such a URL, and for CONNECT
   */
  def call(method: Method, url: String)(implicit limit: TimeLimit = TimeLimit.none): Call =
    Url.parse(url) match {
      case Right(parsed) => callOf(hosts.of(parsed.origin), method, parsed.target, limit)
      case Left(why)     => throw new IllegalArgumentException(s"$why: '${Url.shown(url)}'")
    }

  /**
   * A host that is called by path; `url` is its base URL, `http://host:port`.
   *
   * @throws java.lang.IllegalArgumentException if it is not such a URL
   */
  def service(url: String): Service = new Service(this, hosts.of(originOf(url)))

  /**
   * A service with several addresses, over which its calls are balanced; `url` determines the Host header. The same URL
   * and addresses give the same service: breaker, pools and statistics are shared.
   *
   * @throws java.lang.IllegalArgumentException if there is no address, or `url` is not a base URL such as `http://host:port`
   */
  def service(url: String, addresses: Address*): Service = {
    Setting("Client.service").check("addresses", "empty", addresses.nonEmpty, "one address or more")
    new Service(this, hosts.of(originOf(url), addresses))
  }

  /**
   * Runs `body` on a loop, from any thread. Fails with IllegalStateException if the client is closed, also while `body`
   * runs on a loop of the client, and if a fatal error, even of `body`, ends the loop.
   */
  def run[A](body: => Async[A]): Future[A] = loops.run(body)

  /**
   * Runs `body` on a loop and blocks until it completes. Interrupting the thread cancels it.
   *
   * @throws java.lang.IllegalStateException on an event loop's thread, which must not block; and if the client is
   *   closed, as for `run`
   */
  def await[A](body: => Async[A]): A = loops.await(body)

  /** The statistics of every known host, by name. From any thread. */
  def statistics: Seq[HostStatistics] = known.map(_.statistics)

  /** Every known host, by name. */
  private[client] def known: Seq[Host] = hosts.all

  /**
   * Closes unused connections and fails the calls that wait; later calls fail with `ClientError.ClientClosed`. Calls in
   * progress complete on loops of others; the client's own loops are stopped, and calls on them aborted. Returns when
   * that is done, or after five seconds if user code blocks a loop. May be called more than once.
   */
  def close(): Unit = loops.close()

  /** A call of a host, which the registry may have forgotten. Throws IllegalArgumentException for CONNECT. */
  private[client] def callOf(host: Host, method: Method, target: String, limit: TimeLimit): Call = {
    if (method eq Method.CONNECT) throw new IllegalArgumentException("CONNECT is not implemented")
    new Call(
      loops,
      hosts.current(host),
      method,
      target,
      Headers.empty,
      null,
      null,
      -1,
      limit,
      null,
      0,
      config.cookies.orNull
    )
  }

  private[client] def forget(host: Host): Unit = hosts.forget(host)

  private def originOf(url: String): Origin =
    Url.origin(url).fold(why => throw new IllegalArgumentException(s"$why: '${Url.shown(url)}'"), identity)
}

object Client {

  /** A client with loops of its own, started when first needed. */
  def apply(config: ClientConfig = ClientConfig()): Client = new Client(config, null)

  /** A client whose calls from other threads run on these loops, which it does not stop. */
  def apply(config: ClientConfig, loops: EventLoops): Client = new Client(config, loops)
}
