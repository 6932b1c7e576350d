package needletail.gateway

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
 * They are routes like any other: priorities, bulkheads and overload control apply, bodies are streamed both ways with
 * back-pressure, and a client that goes away stops what runs for it. No event loop waits for a program.
 */
package object host {

  /**
   * Runs the programs in `directory`, in any language, one process for each request (RFC 3875): `/cgi-bin/a/b/c` runs
   * the file `a`, or `b` in the directory `a`, with the rest as PATH_INFO. A program runs in its file's directory, with
   * no environment but `config`'s and CGI's own, and what it writes to standard error goes to the log.
   *
   * 404 where there is no such file, or a symbolic link leads out of the directory; 403 where it is not executable; 502
   * where a program fails to answer as CGI asks, 504 where it does not answer in time, 503 with Retry-After where there
   * is no room for one more.
   */
  def cgi(path: String, directory: String, config: CgiConfig = CgiConfig()): Routes =
    new CgiHost(new Mount(path), directory, config).routes

  /**
   * Hands requests on to FastCGI servers, php-fpm for instance: at an address, at several, or processes of ours
   * ([[Workers]]). Each server's connections are bounded and kept for the next request.
   *
   * 502 where no server can be reached, or one breaks off before its answer; 504 where it does not answer in time, and
   * a process of ours is then started anew; 503 with Retry-After where there is no room for one more request. A request
   * is made again only where none can have been begun: while connecting, and, for safe methods without content, when a
   * kept connection turns out to be closed.
   */
  def fastcgi(path: String, upstream: Upstream, config: UpstreamConfig = UpstreamConfig()): Routes =
    new FastCgiHost(new Mount(path), upstream, config).routes

  /** The same for servers that speak SCGI, which has one connection for each request. */
  def scgi(path: String, upstream: Upstream, config: UpstreamConfig = UpstreamConfig()): Routes =
    new ScgiHost(new Mount(path), upstream, config).routes
}
