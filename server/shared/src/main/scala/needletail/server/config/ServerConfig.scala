package needletail.server.config

import scala.concurrent.duration._

import needletail.async.Setting
import needletail.http.text.Grammar
import needletail.io.{Address, TlsIdentity}
import needletail.io.platform.PollerKind
import needletail.io.proxyprotocol.TrustedProxies
import needletail.metrics.MetricSource
import needletail.server.operations.{AccessLog, Log, Operations}
import needletail.server.overload.OverloadConfig

/**
 * Every setting of a [[Server]]. The defaults are safe on an open network.
 *
 * @param address where to listen; with port 0 the system chooses the port
 * @param loops event loops, each a thread; 0: one for each processor
 * @param poller the system interface that the loops wait with; for `Auto` the environment variable
 *   `NEEDLETAIL_POLLER` can name it
 * @param maxConnections open connections. Above 85 % of it idle connections are closed after `crowdedIdleTimeout`; at
 *   it new ones wait in the kernel's backlog. If the process may not open enough descriptors, the limit
 *   (`RLIMIT_NOFILE`) is raised; if that fails, fewer connections are accepted, and a warning is logged
 * @param crowdedIdleTimeout how long a connection may be idle while the server is crowded
 * @param backlog connections that the kernel may queue; it has a limit of its own
 * @param reusePort SO_REUSEPORT: several processes may listen on the port
 * @param maxTarget bytes of a request target; beyond: 414. With 1, the only path is `/`
 * @param maxHead bytes of the request line and all field lines; beyond: 431. At least 64, as smaller ones would refuse
 *   every request, and at least `maxTarget`
 * @param maxHeaders field lines; beyond: 431. With 1, requests have no field but Host, which they must have
 * @param relaxedTarget accept characters that RFC 3986 forbids in a target but browsers send (`|`, `{`, …)
 * @param maxBody bytes of a request body, streamed or not; beyond: 413
 * @param maxBodyInMemory bytes that `request.body.bytes` and `request.text` collect; beyond: 413
 * @param maxUnreadBody bytes of a body that no handler read which are read and discarded to keep the connection;
 *   beyond: the connection is closed
 * @param headTimeout from the first byte of a request to the end of its head; then 408
 * @param bodyTimeout longest pause within a body that is being read; then 408
 * @param minBodyRate bytes per second at which a body must arrive while it is waited for; then 408. 0: any rate
 * @param bodyGrace how long a body is waited for before its rate is judged
 * @param idleTimeout how long a connection may wait for its next request; then it is closed
 * @param writeTimeout how long a peer may read nothing of pending output; then the connection is reset. Natively on
 *   Linux, whatever its system acknowledges is progress, which it may do in steps of a sixteenth of its receive buffer.
 *   On the JVM progress is noticed in steps of what the kernel sends at once, up to 100 KiB: a peer that reads that much
 *   in this time is safe, which is 3.4 kB a second by default
 * @param handlerTimeout from the end of the head to the response; then 503, and the handler's work is cancelled. In a
 *   codec server, from a message to its answer; then the work is cancelled, and the connection is closed
 * @param halfCloseGrace how long requests may still take once the client has ended its side; then they are cancelled
 *   and the connection is closed. A response that is being streamed goes on while the client reads it
 * @param maxPipelined requests of one connection in progress at once; beyond, no more are read from it
 * @param maxPendingOutput bytes that may wait for a peer that does not read; beyond, nothing more is read from it or
 *   produced for it
 * @param memoryBudget bytes held for clients in all, shared evenly by the loops: bodies that are collected, input that
 *   is not used yet, output and replies that wait. A quarter is reserved for connections that hold 16 KiB at most. When
 *   it is used up, bodies are refused with 503, streams wait for their readers, and connections that stall while memory
 *   is held for them are closed; a body of more than three quarters of a loop's share gets 413. At least 256 KiB, and
 *   twice `maxHead` for each loop, as heads may take half of it; 0: a quarter of the maximum heap
 * @param lingerTimeout after the last response, for how long input is read and discarded so that the peer gets to
 *   read the response
 * @param drainDelay in a drain, from `/ready` answering 503 to new connections being refused; gives load balancers
 *   time to notice
 * @param drainGrace in a drain, how long an idle connection may still send a request that was on its way
 * @param drainTimeout in a drain, when remaining requests are aborted
 * @param streamKeepAlive once a streamed response waits for its next piece, how long its connection may be silent
 *   before the kernel probes whether the client is still there (SO_KEEPALIVE), in whole seconds; a client that
 *   vanished is noticed after twice that. 0: no probes
 * @param blockedLoop a loop that is busy with one thing for longer than this is logged, with the route: something
 *   blocks or computes where it must not, and all other connections of the loop wait. 0: nothing is logged
 * @param admin `/health`, `/ready` and `/metrics` on an address of their own; None: nowhere
 * @param operations the same for your own routes
 * @param metrics further metrics for `/metrics`, after the server's own: of clients, or yours
 * @param overload when to refuse requests
 * @param serverHeader value of a Server header on every response; None: no such header
 * @param accessLog called for every request that was answered; None costs nothing
 * @param log takes reports of internal errors
 * @param tls the server's certificates, to serve https, as made by `Tls.server`; None: plain HTTP
 * @param proxies whose connections begin with a PROXY header (versions 1 and 2 of HAProxy's protocol), before TLS if
 *   there is TLS: IP addresses, networks such as `10.0.0.0/8`, and `unix` for a Unix socket's peers. The header says who
 *   the client is (`request.connection.remoteAddress`); a connection of theirs without one is closed. Others are
 *   clients themselves
 * @throws java.lang.IllegalArgumentException for a value out of range, naming it
 */
final case class ServerConfig(
    address: Address = Address.Tcp("127.0.0.1", 8080),
    loops: Int = 0,
    poller: PollerKind = PollerKind.Auto,
    maxConnections: Int = 16384,
    crowdedIdleTimeout: FiniteDuration = FiniteDuration(100, MILLISECONDS),
    backlog: Int = 4096,
    reusePort: Boolean = false,
    maxTarget: Int = 8 * 1024,
    maxHead: Int = 32 * 1024,
    maxHeaders: Int = 100,
    relaxedTarget: Boolean = false,
    maxBody: Long = 64L * 1024 * 1024,
    maxBodyInMemory: Int = 1024 * 1024,
    maxUnreadBody: Int = 256 * 1024,
    headTimeout: FiniteDuration = FiniteDuration(10, SECONDS),
    bodyTimeout: FiniteDuration = FiniteDuration(20, SECONDS),
    minBodyRate: Int = 256,
    bodyGrace: FiniteDuration = FiniteDuration(30, SECONDS),
    idleTimeout: FiniteDuration = FiniteDuration(75, SECONDS),
    writeTimeout: FiniteDuration = FiniteDuration(30, SECONDS),
    handlerTimeout: FiniteDuration = FiniteDuration(30, SECONDS),
    halfCloseGrace: FiniteDuration = FiniteDuration(1, SECONDS),
    maxPipelined: Int = 16,
    maxPendingOutput: Int = 256 * 1024,
    memoryBudget: Long = 0,
    lingerTimeout: FiniteDuration = FiniteDuration(2, SECONDS),
    drainDelay: FiniteDuration = FiniteDuration(0, SECONDS),
    drainGrace: FiniteDuration = FiniteDuration(500, MILLISECONDS),
    drainTimeout: FiniteDuration = FiniteDuration(15, SECONDS),
    streamKeepAlive: FiniteDuration = FiniteDuration(60, SECONDS),
    blockedLoop: FiniteDuration = FiniteDuration(100, MILLISECONDS),
    admin: Option[AdminConfig] = None,
    operations: Option[Operations] = None,
    metrics: Seq[MetricSource] = Nil,
    overload: OverloadConfig = OverloadConfig(),
    serverHeader: Option[String] = None,
    accessLog: Option[AccessLog] = None,
    log: Log = Log.standardError,
    tls: Option[TlsIdentity] = None,
    proxies: Seq[String] = Nil
) {
  private def check(): Unit = {
    val is = Setting("ServerConfig")
    is.between("loops", loops, 0, 1024)
    is.between("maxConnections", maxConnections, 1, 16 * 1024 * 1024)
    is.positive("backlog", backlog)
    is.positive("maxTarget", maxTarget)
    // a head must fit in a loop's read buffer
    is.check(
      "maxHead",
      maxHead,
      maxHead >= math.max(maxTarget, ServerConfig.LeastHead) && maxHead <= 48 * 1024,
      if (maxTarget > ServerConfig.LeastHead) s"maxTarget ($maxTarget) to 49152"
      else s"${ServerConfig.LeastHead} to 49152"
    )
    is.positive("maxHeaders", maxHeaders)
    is.notNegative("maxBody", maxBody)
    is.notNegative("maxBodyInMemory", maxBodyInMemory)
    is.notNegative("maxUnreadBody", maxUnreadBody)
    is.notNegative("minBodyRate", minBodyRate)
    is.positive("maxPipelined", maxPipelined)
    is.positive("maxPendingOutput", maxPendingOutput)
    is.notNegative("crowdedIdleTimeout", crowdedIdleTimeout)
    is.positive("headTimeout", headTimeout)
    is.positive("bodyTimeout", bodyTimeout)
    is.notNegative("bodyGrace", bodyGrace)
    is.positive("idleTimeout", idleTimeout)
    is.positive("writeTimeout", writeTimeout)
    is.positive("handlerTimeout", handlerTimeout)
    is.notNegative("halfCloseGrace", halfCloseGrace)
    is.notNegative("lingerTimeout", lingerTimeout)
    is.notNegative("drainDelay", drainDelay)
    is.notNegative("drainGrace", drainGrace)
    is.notNegative("drainTimeout", drainTimeout)
    is.check(
      "streamKeepAlive",
      streamKeepAlive,
      streamKeepAlive != null && streamKeepAlive.length >= 0 && streamKeepAlive.toSeconds <= 32767,
      "0 to 32767 seconds" // the range of TCP_KEEPIDLE
    )
    is.notNegative("blockedLoop", blockedLoop)
    if (proxies.nonEmpty) { val _ = new TrustedProxies(proxies) }
    is.check(
      "serverHeader",
      serverHeader,
      serverHeader.forall(Grammar.isFieldValue),
      "a field value, without control characters"
    )
    val count = TcpSettings.loopCount(loops)
    val heads = 2L * maxHead * count
    is.check(
      "memoryBudget",
      memoryBudget,
      memoryBudget == 0 || memoryBudget >= math.max(ServerConfig.LeastMemory, heads),
      if (heads > ServerConfig.LeastMemory)
        s"0 or at least $heads bytes, twice maxHead ($maxHead) for each of $count loops"
      else s"0 or at least ${ServerConfig.LeastMemory} bytes"
    )
  }
  check()

  /**
   * The same configuration with that port on the same host.
   *
   * @throws java.lang.IllegalArgumentException if `address` has no port
   */
  def withPort(port: Int): ServerConfig = address match {
    case Address.Tcp(host, _) => copy(address = Address.Tcp(host, port))
    case other                =>
      throw new IllegalArgumentException(
        s"ServerConfig.address is $other, which has no port to set to $port"
      )
  }
}

object ServerConfig {

  /** The minimum of `maxHead`, in bytes: a request for `/` with a short Host fits. */
  private final val LeastHead = 64

  /** The minimum of `memoryBudget`, in bytes. */
  private final val LeastMemory = 256L * 1024
}
