package needletail.gateway

import needletail.gateway.host.incoming.Mount
import needletail.routing.Routes

/**
 * A server as the host of other people's programs: CGI, FastCGI and SCGI.
 *
 * {{{
 * val routes = Routes(
 *   cgi("/cgi-bin", "/srv/cgi-bin"),
 *   GET / "hello" to "hello".ok
 * )
 * }}}
 * They are routes like any other: priorities, bulkheads and overload control apply, a request's content is collected
 * before a program runs for it, responses are streamed with back-pressure, and a client that goes away stops what runs
 * for it. No event loop waits for a program.
 */
package object host {

  /**
   * Runs the programs in `directory`, in any language, one process for each request (RFC 3875): `/cgi-bin/a/b/c` runs
   * the file `a`, or `b` in the directory `a`, with the rest as PATH_INFO. A program runs in its file's directory,
   * with no environment but `config`'s and CGI's own, and its standard error goes to the log.
   *
   * 404 if there is no such file, or a symbolic link leads out of the directory; 403 if it is not executable; 502 if
   * a program's response is malformed, 504 if it does not respond in time, 503 with Retry-After if there is no room
   * for another one.
   */
  def cgi(path: String, directory: String, config: CgiConfig = CgiConfig()): Routes =
    new CgiHost(new Mount(path), directory, config).routes

  /**
   * Forwards requests to FastCGI servers, such as php-fpm: at an address, at several, or processes of this program
   * ([[Workers]]). Each server's connections are bounded and kept for the next request.
   *
   * 502 if no server can be reached, or one disconnects before its response; 504 if it does not respond in time, and
   * a process of [[Workers]] is then restarted; 503 with Retry-After if there is no room for another request. A
   * request is repeated only if none can have been processed, that is while connecting, and, if its method is safe and
   * it has no content, if the connection was lost before any of the response arrived: at most twice.
   */
  def fastcgi(path: String, upstream: Upstream, config: UpstreamConfig = UpstreamConfig()): Routes =
    new FastCgiHost(new Mount(path), upstream, config).routes

  /** Forwards requests to SCGI servers, each on a connection of its own. */
  def scgi(path: String, upstream: Upstream, config: UpstreamConfig = UpstreamConfig()): Routes =
    new ScgiHost(new Mount(path), upstream, config).routes
}
