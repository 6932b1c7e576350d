package needletail.client.config

import scala.concurrent.duration._

import needletail.async.Setting
import needletail.client.cookies.CookieJar
import needletail.http.text.Grammar
import needletail.io.Tls
import needletail.io.platform.ConnectionOptions

/**
 * The settings of a [[Client]]. The defaults are safe for calls of untrusted servers. Connections belong to the loop
 * that opened them, so limits of connections and queues apply to each loop.
 *
 * @param loops event loops of the client, for calls from other threads; 0: as many as processors. Started when first
 *   needed
 * @param connectionsPerHost open connections to each address of a host, on each loop
 * @param maxQueued calls that may wait for a connection to an address, on each loop; more fail with `QueueFull`
 * @param queueTimeout longest wait of a call for a connection, including one that is being established; then it fails
 *   with `QueueTimeout`
 * @param connectTimeout longest time to establish a connection, name lookup included
 * @param requestTimeout longest time from the beginning of a call, or from when the system has taken all of its streamed
 *   content, to the end of its response, or of its head if the
 *   response is streamed; retries and redirections included. Then it fails with `TimedOut`
 * @param attemptTimeout the same for each attempt of a call that may be retried; None: the time left for the call
 * @param bodyTimeout longest pause within a streamed body, whether the sender or the reader causes it
 * @param idleTimeout time after which an unused connection is closed; should be shorter than the server's, so that
 *   requests are not sent on connections that the server is closing
 * @param continueTimeout longest wait for 100 (Continue) of a call with `expectContinue`; then its body is sent
 * @param maxHead bytes of a response's head; a longer one fails with `TooLarge`
 * @param maxHeaders field lines of a response's head; more fail with `TooLarge`
 * @param maxBodyInMemory bytes of a body that is not streamed; a longer one fails with `TooLarge`
 * @param maxUnreadBody bytes of an unwanted body that are read and discarded to keep the connection open; it is closed
 *   if there are more
 * @param maxPendingOutput bytes of a streamed request body that may be buffered before the next piece is read
 * @param maxRedirects redirects that are followed in one call; 0: the redirect is returned as the response
 * @param pipelining requests on one connection whose responses are outstanding; 1: no pipelining. Only idempotent
 *   requests without streamed bodies share a connection
 * @param maxHosts hosts and services whose pools and statistics are kept; beyond, the least recently used is forgotten
 * @param decoding decodes compressed responses, which calls then request; None: they are not requested, and responses are
 *   returned as they are
 * @param cookies stores the cookies that servers set and sends them back; None: cookies are ordinary headers
 * @param proxies the HTTP proxies that calls go through
 * @param userAgent value of the User-Agent header of calls that do not set it; None: no such header
 * @param retry when failed calls are retried
 * @param breaker when calls of a host are rejected because it fails
 * @param balancing how a service's address is chosen, and when one is ejected
 * @param socket options of the connections' sockets
 * @param tls the certificates that are trusted, for https
 * @throws java.lang.IllegalArgumentException if a setting is out of range
 */
final case class ClientConfig(
    loops: Int = 0,
    connectionsPerHost: Int = 64,
    maxQueued: Int = 1024,
    queueTimeout: FiniteDuration = 5.seconds,
    connectTimeout: FiniteDuration = 3.seconds,
    requestTimeout: FiniteDuration = 10.seconds,
    attemptTimeout: Option[FiniteDuration] = None,
    bodyTimeout: FiniteDuration = 30.seconds,
    idleTimeout: FiniteDuration = 30.seconds,
    continueTimeout: FiniteDuration = 1.second,
    maxHead: Int = 32 * 1024,
    maxHeaders: Int = 100,
    maxBodyInMemory: Int = 1024 * 1024,
    maxUnreadBody: Int = 64 * 1024,
    maxPendingOutput: Int = 256 * 1024,
    maxRedirects: Int = 5,
    pipelining: Int = 1,
    maxHosts: Int = 1024,
    decoding: Option[ContentDecoding] = None,
    cookies: Option[CookieJar] = None,
    proxies: Proxies = Proxies.none,
    userAgent: Option[String] = None,
    retry: RetryConfig = RetryConfig(),
    breaker: BreakerConfig = BreakerConfig(),
    balancing: BalancingConfig = BalancingConfig(),
    socket: ConnectionOptions = ConnectionOptions(),
    tls: Tls = Tls.system
) {
  private def check(): Unit = {
    val is = Setting("ClientConfig")
    is.between("loops", loops, 0, 1024)
    is.positive("connectionsPerHost", connectionsPerHost)
    is.notNegative("maxQueued", maxQueued)
    is.positive("queueTimeout", queueTimeout)
    is.positive("connectTimeout", connectTimeout)
    is.positive("requestTimeout", requestTimeout)
    attemptTimeout.foreach(is.positive("attemptTimeout", _))
    is.positive("bodyTimeout", bodyTimeout)
    is.positive("idleTimeout", idleTimeout)
    is.positive("continueTimeout", continueTimeout)
    is.between("maxHead", maxHead, 1, 48 * 1024) // a head must fit into a loop's read buffer
    is.check(
      "maxHead",
      maxHead,
      maxHead <= socket.maxLeftover,
      s"at most socket.maxLeftover (${socket.maxLeftover})"
    )
    is.positive("maxHeaders", maxHeaders)
    is.notNegative("maxBodyInMemory", maxBodyInMemory)
    is.notNegative("maxUnreadBody", maxUnreadBody)
    is.positive("maxPendingOutput", maxPendingOutput)
    is.notNegative("maxRedirects", maxRedirects)
    is.positive("pipelining", pipelining)
    is.positive("maxHosts", maxHosts)
    is.check(
      "decoding",
      decoding.fold("")(_.accepts),
      decoding.forall(d => Grammar.isFieldValue(d.accepts)),
      "a value of Accept-Encoding"
    )
    is.check(
      "userAgent",
      userAgent,
      userAgent.forall(Grammar.isFieldValue),
      "a field value, without control characters"
    )
  }
  check()
}
