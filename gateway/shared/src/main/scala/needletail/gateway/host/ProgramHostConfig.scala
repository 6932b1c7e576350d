package needletail.gateway.host

import scala.concurrent.duration._

import needletail.async.Setting
import needletail.http.Handler
import needletail.server.operations.Log

/**
 * Settings common to CGI, FastCGI and SCGI programs.
 *
 * @param timeout how long a program may do nothing while it is waited for, that is neither read its request, also after
 *   it has responded, nor write: then 504 if its head has not arrived, otherwise the response is cut off; and the program is ended. Of a CGI
 *   program it is only seen that it has read a whole piece. Once the kernel has taken all of a request, how fast it is
 *   read is not known. Time in which a FastCGI connection is not read, as the client of another of its requests does
 *   not read, does not count. Also how long it may go on writing what is discarded: output beyond Content-Length, after
 *   a local redirect, or of a response without content. Keep it below the server's `handlerTimeout`, which results in a
 *   503
 * @param maxTime how long one request may take in all
 * @param maxHead bytes of the head of a program's response; beyond: 502
 * @param bufferRequests whether a request's content is collected before a program is started or a server is asked, so
 *   that a client that sends slowly keeps the place from nobody. If false, content of known length is passed on as it
 *   arrives, so that a program can answer before all of it is there, and only as fast as it arrives: as many slow
 *   clients as there are places then block the mount, each for up to the server's `handlerTimeout`, or `maxTime` once the
 *   program has begun to respond. Content without Content-Length is always collected, as programs need its length
 * @param maxSpool bytes of a request's content that are collected. What exceeds it is passed on as it arrives; without
 *   Content-Length: 413
 * @param spoolMemory how many of these bytes are kept in memory; the rest is in a temporary file
 * @param maxSpoolTotal bytes in the temporary files of all requests to one mount. What exceeds it is passed on as it
 *   arrives; without Content-Length: 503 with Retry-After
 * @param spoolDirectory the directory of that file; None: the system's directory for temporary files
 * @param passAuthorization whether programs see Authorization; RFC 3875 section 4.1.18 advises against it
 * @param serverName the value of SERVER_NAME; None: the host of the request
 * @param variables additional variables of each request
 * @param redirects the handler of local redirects (RFC 3875 section 6.2.2), for instance all routes of the program;
 *   None: the same routes, and a path that is not below theirs is sent to the client, as 302
 * @param maxRedirects successive local redirects for one request; beyond: 502
 * @param log takes what programs write to standard error, and the reasons for malformed responses
 * @param metrics where requests to these programs are counted
 */
final case class ProgramHostConfig(
    timeout: FiniteDuration = 20.seconds,
    maxTime: FiniteDuration = 10.minutes,
    maxHead: Int = 32 * 1024,
    bufferRequests: Boolean = true,
    maxSpool: Long = 16L * 1024 * 1024,
    spoolMemory: Int = 128 * 1024,
    maxSpoolTotal: Long = 256L * 1024 * 1024,
    spoolDirectory: Option[String] = None,
    passAuthorization: Boolean = false,
    serverName: Option[String] = None,
    variables: Map[String, String] = Map.empty,
    redirects: Option[() => Handler] = None,
    maxRedirects: Int = 10,
    log: Log = Log.standardError,
    metrics: Option[HostMetrics] = None
) {
  private def check(): Unit = {
    val is = Setting("ProgramHostConfig")
    is.positive("timeout", timeout)
    is.positive("maxTime", maxTime)
    is.positive("maxHead", maxHead)
    is.notNegative("maxSpool", maxSpool)
    is.notNegative("spoolMemory", spoolMemory)
    is.check("maxSpoolTotal", maxSpoolTotal, maxSpoolTotal >= maxSpool, s"at least maxSpool ($maxSpool)")
    is.notNegative("maxRedirects", maxRedirects)
  }
  check()
}

/**
 * How the programs of a directory are run.
 *
 * @param processes maximum of concurrent processes, including those whose response is complete but that still run
 * @param queue requests that may wait for a process to end; beyond: 503 with Retry-After
 * @param queueTime how long they may wait; then 503 with Retry-After
 * @param killGrace time between SIGTERM and SIGKILL, to the whole process group, when a program is ended
 * @param environment of each program, in addition to CGI's variables; nothing of this process is inherited
 */
final case class CgiConfig(
    processes: Int = 32,
    queue: Int = 64,
    queueTime: FiniteDuration = 2.seconds,
    killGrace: FiniteDuration = 1.second,
    environment: Map[String, String] = Map("PATH" -> "/usr/local/bin:/usr/bin:/bin"),
    host: ProgramHostConfig = ProgramHostConfig()
) {
  private def check(): Unit = {
    val is = Setting("CgiConfig")
    is.positive("processes", processes)
    is.notNegative("queue", queue)
    is.notNegative("queueTime", queueTime)
    is.notNegative("killGrace", killGrace)
  }
  check()
}
