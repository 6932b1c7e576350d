package needletail.client

import needletail.http.{Method, TimeLimit}
import needletail.io.Address

/**
 * What makes calls: a [[Client]] of URLs, a [[Service]] of paths. An implicit request, or an implicit limit, bounds
 * the time of the calls made where it is in scope.
 */
abstract class Calls private[client] () {

  /** @throws java.lang.IllegalArgumentException for what is no URL or path, and for CONNECT */
  def call(method: Method, where: String)(implicit limit: TimeLimit = TimeLimit.none): Call

  final def get(where: String)(implicit limit: TimeLimit = TimeLimit.none): Call    = call(Method.GET, where)
  final def head(where: String)(implicit limit: TimeLimit = TimeLimit.none): Call   = call(Method.HEAD, where)
  final def delete(where: String)(implicit limit: TimeLimit = TimeLimit.none): Call =
    call(Method.DELETE, where)
  final def post(where: String)(implicit limit: TimeLimit = TimeLimit.none): Call  = call(Method.POST, where)
  final def put(where: String)(implicit limit: TimeLimit = TimeLimit.none): Call   = call(Method.PUT, where)
  final def patch(where: String)(implicit limit: TimeLimit = TimeLimit.none): Call = call(Method.PATCH, where)
}

/**
 * A host that is asked often: its calls need a path only. Nothing has to be done for it when it is of no more use, as a
 * client keeps `maxHosts` hosts and services and forgets the one that was used least recently; `close` does so at once.
 */
final class Service private[client] (val client: Client, host: Host) extends Calls with AutoCloseable {

  /** A call of that path and query, which must be percent-encoded already; else IllegalArgumentException. */
  def call(method: Method, path: String)(implicit limit: TimeLimit = TimeLimit.none): Call =
    Url.target(path) match {
      case Right(target) => client.callOf(host, method, target, limit)
      case Left(why)     => throw new IllegalArgumentException(s"$why: '$path'")
    }

  def statistics: HostStatistics = host.statistics

  /**
   * Has the client forget it, for all who have it: its unused connections are closed, those in use when they are done
   * with, and it is gone from the client's figures. Whoever uses it again begins anew.
   */
  def close(): Unit = client.forget(host)

  override def toString: String = s"Service(${host.name})"
}

private[client] object Service {

  /** What a client knows a service by. */
  final case class Key(origin: String, addresses: List[Address])
}
