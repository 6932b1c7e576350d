package needletail.client

import needletail.client.call.Call
import needletail.client.pool.{Host, HostStatistics}
import needletail.client.url.Url
import needletail.http.admission.TimeLimit
import needletail.http.message.Method

/**
 * A host that is called by path. It need not be closed: a client keeps `maxHosts` hosts and services and drops the
 * least recently used one.
 */
final class Service private[client] (val client: Client, host: Host) extends Calls with AutoCloseable {

  /**
   * A call of a path and query.
   *
   * @param path percent-encoded
   * @throws java.lang.IllegalArgumentException if it is not, and for CONNECT
   */
  def call(method: Method, path: String)(implicit limit: TimeLimit = TimeLimit.none): Call =
    Url.target(path) match {
      case Right(target) => client.callOf(host, method, target, limit)
      case Left(why)     => throw new IllegalArgumentException(s"$why: '$path'")
    }

  /** Its statistics, from any thread. */
  def statistics: HostStatistics = host.statistics

  /**
   * Removes the service from the client, for all its users: unused connections are closed now, the others when
   * their calls are complete, and its statistics are discarded. A later call starts afresh.
   */
  def close(): Unit = client.forget(host)

  override def toString: String = s"Service(${host.name})"
}
