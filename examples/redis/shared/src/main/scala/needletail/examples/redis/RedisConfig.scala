package needletail.examples.redis

import needletail.io.platform.ConnectionOptions
import needletail.tcp.TcpClientConfig

/**
 * The settings of a [[Redis]] client.
 *
 * @param user the user to authenticate as; None: `default`
 * @param password None: without authentication
 * @param database the number of the database that is used
 * @param maxValue bytes of the longest answer
 * @param client connections, pipelining, timeouts, TLS
 */
final case class RedisConfig(
    user: Option[String] = None,
    password: Option[String] = None,
    database: Int = 0,
    maxValue: Int = 16 * 1024 * 1024,
    client: TcpClientConfig = TcpClientConfig(socket = ConnectionOptions(keepAlive = true))
) {
  override def toString: String = s"RedisConfig(user $user, database $database)" // without the password
}
