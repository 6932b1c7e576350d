package needletail.gateway.host

import scala.concurrent.duration._

import needletail.async.Setting
import needletail.http.Handler
import needletail.server.Log

/**
 * What all three ways of running other people's programs have in common.
 *
 * @param timeout how long a program may do nothing while it is waited for: 504 before its head has come, else the
 *   answer is cut off; then the program is ended. Keep it below the server's `handlerTimeout`, which answers 503
 * @param maxTime how long one request may take in all
 * @param maxHead octets of the head of a program's answer; beyond: 502
 * @param maxSpool octets of a request's content that came without Content-Length and is collected, as programs have to
 *   be told its length; beyond: 413
 * @param spoolMemory as many of them as are kept in memory; the rest lies in a temporary file
 * @param spoolDirectory where; None: the system's directory for temporary files
 * @param passAuthorization lets programs see Authorization; RFC 3875 section 4.1.18 advises against it
 * @param serverName what SERVER_NAME says; None: what the client calls us
 * @param variables given to each request in addition
 * @param redirects what answers a local redirect (RFC 3875 section 6.2.2), for instance all routes of the program;
 *   None: the same routes, and a path that is not below theirs goes to the client, as 302
 * @param maxRedirects local redirects one after another for one request; beyond: 502
 * @param log told what programs write to standard error, and why an answer of theirs was none
 * @param metrics shows what is counted of these programs
 */
final case class HostConfig(
    timeout: FiniteDuration = 20.seconds,
    maxTime: FiniteDuration = 10.minutes,
    maxHead: Int = 32 * 1024,
    maxSpool: Long = 16L * 1024 * 1024,
    spoolMemory: Int = 128 * 1024,
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
    val is = Setting("HostConfig")
    is.positive("timeout", timeout)
    is.positive("maxTime", maxTime)
    is.positive("maxHead", maxHead)
    is.notNegative("maxSpool", maxSpool)
    is.notNegative("spoolMemory", spoolMemory)
    is.notNegative("maxRedirects", maxRedirects)
  }
  check()
}

/**
 * How the programs of a directory are run.
 *
 * @param processes programs that run at once, those included whose answer has been sent and that go on
 * @param queue requests that may wait for one of them to end; beyond: 503 with Retry-After
 * @param queueTime how long they may wait; then 503 with Retry-After
 * @param killGrace from SIGTERM to SIGKILL, to the whole process group, when a program is ended
 * @param environment of each program, beside what CGI defines; nothing of ours is handed on
 */
final case class CgiConfig(
    processes: Int = 32,
    queue: Int = 64,
    queueTime: FiniteDuration = 2.seconds,
    killGrace: FiniteDuration = 1.second,
    environment: Map[String, String] = Map("PATH" -> "/usr/local/bin:/usr/bin:/bin"),
    host: HostConfig = HostConfig()
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
