package needletail.gateway.host

import scala.concurrent.duration._

import needletail.async.Setting

/**
 * How requests are forwarded to FastCGI and SCGI servers.
 *
 * @param connections concurrent requests at each address, each on a connection of its own; 0: 32 for an address, 1 for
 *   a process of [[Workers]], which is the maximum for most of them
 * @param multiplex FastCGI: concurrent requests on one connection, if the server announces that it supports them
 *   (FCGI_MPXS_CONNS)
 * @param keep FastCGI: keep connections for the next request
 * @param idleTimeout how long a connection may wait for the next request
 * @param connectTimeout how long connecting may take, including the start of a process of [[Workers]]; then 502. If
 *   several addresses are tried in turn, each may take an equal part of the time that is left
 * @param queue requests that may wait for a connection; beyond: 503 with Retry-After
 * @param queueTime how long they may wait; then 503 with Retry-After
 * @param root the directory of the scripts, if it is on this machine: the first file on a path is the script
 *   (SCRIPT_FILENAME), the rest is PATH_INFO, and paths without a file are refused. None: the whole path below the
 *   mount is PATH_INFO
 * @param extension with `root`: the suffix of scripts' names, `.php`; other files are 404
 * @param index with `root`: the file that is used for its directory, `index.php`
 * @param front a single script for all paths, for programs with a router of their own; not with `root`
 */
final case class UpstreamConfig(
    connections: Int = 0,
    multiplex: Int = 1,
    keep: Boolean = true,
    idleTimeout: FiniteDuration = 30.seconds,
    connectTimeout: FiniteDuration = 2.seconds,
    queue: Int = 256,
    queueTime: FiniteDuration = 2.seconds,
    root: Option[String] = None,
    extension: String = "",
    index: String = "",
    front: Option[String] = None,
    host: ProgramHostConfig = ProgramHostConfig()
) {
  private def check(): Unit = {
    val is = Setting("UpstreamConfig")
    is.notNegative("connections", connections)
    is.between("multiplex", multiplex, 1, 1024)
    is.positive("idleTimeout", idleTimeout)
    is.positive("connectTimeout", connectTimeout)
    is.notNegative("queue", queue)
    is.notNegative("queueTime", queueTime)
    is.check("front", front, front.isEmpty || root.isEmpty, "None, as root is set")
  }
  check()
}
