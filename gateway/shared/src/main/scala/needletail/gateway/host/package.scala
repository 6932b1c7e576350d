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
}
