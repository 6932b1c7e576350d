package needletail.server

import scala.concurrent.duration._

import needletail.async.Setting
import needletail.http.{Grammar, MetricSource}
import needletail.io.{Address, PollerKind, TlsIdentity}

/**
 * Every setting of a [[Server]], with a default that is safe on an open network.
 *
 * @param address where to listen; port 0 lets the system pick
 * @param loops event loops, each one thread; 0: as many as there are processors
 * @param poller which of the system's interfaces the loops wait with; `NEEDLETAIL_POLLER` in the environment says it
 *   for `Auto`
 * @param maxConnections open connections at once; above 85 % of it idle ones are closed after `crowdedIdleTimeout`,
 *   at it new ones wait in the kernel's backlog. Where the system allows fewer descriptors than that takes, the limit is
 *   raised (`RLIMIT_NOFILE`) or, where it can't be, fewer connections are accepted, which the log tells
 * @param crowdedIdleTimeout how long a connection may idle while the server is crowded
 * @param backlog connections the kernel may hold for us (it has a cap of its own)
 * @param reusePort SO_REUSEPORT: several processes may listen on the port
 * @param maxTarget octets of the request target; beyond: 414
 * @param maxHead octets of the request line and all fields; beyond: 431
 * @param maxHeaders field lines; beyond: 431
 * @param relaxedTarget let through characters that RFC 3986 forbids in a target but browsers send (`|`, `{`, …)
 * @param maxBody octets of content, streamed or not; beyond: 413
 * @param maxBodyInMemory octets that `request.body.bytes` and `request.text` collect; beyond: 413
 * @param maxDrain octets of content nobody read that are read and dropped to keep the connection; beyond: it closes
 * @param headTimeout from the first octet of a request to the end of its head; then 408. As much for a TLS handshake,
 *   from when the connection was accepted; then it is closed
 * @param bodyTimeout longest pause inside a body that is being read; then 408
 * @param minBodyRate octets for each second a body must come with while it is waited for; 0: any; then 408
 * @param bodyGrace how long a body is waited for before its rate is judged
 * @param idleTimeout how long a connection may wait for its next request; then it is closed
 * @param writeTimeout longest time a peer may take none of what it asked for; then the connection is reset. Progress is
 *   seen in steps of what the kernel sends as one, some 100 KiB: a peer that takes that much in this time is safe
 * @param handlerTimeout from the whole head to the head of the response; then 503, and what the handler waits for
 *   is cancelled
 * @param halfCloseGrace once a client has ended its side, how long its requests may still take to be answered; then
 *   they are cancelled and the connection is closed. What is being streamed goes on as long as it is taken
 * @param maxPipelined requests of one connection in progress at once; beyond, its reading stops
 * @param maxPendingOutput octets accepted for a peer that does not read; beyond, nothing is read from it or made for it
 * @param memoryBudget bytes of memory that may be held for clients in all, shared evenly by the loops: bodies that are
 *   collected, what was read and not used yet, what waits to be written. A quarter is for who holds 16 KiB at most.
 *   Beyond it bodies are refused with 503, streams wait for those who read them, and connections that stall while
 *   memory is held for them are ended; a body of more than three quarters of a loop's share gets 413. At least
 *   256 KiB; 0: a quarter of what the heap may grow to
 * @param lingerTimeout after the last reply, how long what the peer still sends is read and dropped, so that it
 *   gets to see the reply
 * @param drainDelay on draining, from readiness going to new connections being refused, for load balancers to notice
 * @param drainGrace on draining, how long an idle connection may still bring a request that was on its way
 * @param drainTimeout on draining, when what is still under way is cut off
 * @param streamKeepAlive once a streamed response has waited for its next piece, how long its connection may be silent
 *   before the kernel asks whether the client is still there (SO_KEEPALIVE), in whole seconds: one that went without a
 *   word is found after twice that; 0: it is not asked
 * @param blockedLoop a loop that does one thing for longer than this is reported, with the route it is at: something
 *   blocks or computes where it should not, and all other connections of the loop wait; 0: no such reports
 * @param admin `/health`, `/ready` and `/metrics` on an address of their own; None: nowhere
 * @param operations the same for routes of yours
 * @param metrics whose figures stand in `/metrics` behind the server's own: clients', yours
 * @param overload when and whom to refuse when there is more to do than can be done
 * @param serverHeader value of a Server header on every response; None: no such header
 * @param accessLog told of every answered request; None costs nothing
 * @param log told of what went wrong inside
 * @param tls who the server is, for clients that ask by https; None: plain HTTP. On the JVM
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
    maxDrain: Int = 256 * 1024,
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
    tls: Option[TlsIdentity] = None
) {
  private def check(): Unit = {
    val is = Setting("ServerConfig")
    is.between("loops", loops, 0, 1024)
    is.between("maxConnections", maxConnections, 1, 16 * 1024 * 1024)
    is.positive("backlog", backlog)
    is.positive("maxTarget", maxTarget)
    // a head must fit a loop's read buffer
    is.check(
      "maxHead",
      maxHead,
      maxHead >= maxTarget && maxHead <= 48 * 1024,
      s"maxTarget ($maxTarget) to 49152"
    )
    is.positive("maxHeaders", maxHeaders)
    is.notNegative("maxBody", maxBody)
    is.notNegative("maxBodyInMemory", maxBodyInMemory)
    is.notNegative("maxDrain", maxDrain)
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
      "0 to 32767 seconds" // what TCP_KEEPIDLE takes
    )
    is.notNegative("blockedLoop", blockedLoop)
    is.check(
      "serverHeader",
      serverHeader,
      serverHeader.forall(Grammar.isFieldValue),
      "a field value, without control characters"
    )
    is.check(
      "memoryBudget",
      memoryBudget,
      memoryBudget == 0 || memoryBudget >= ServerConfig.LeastMemory,
      s"0 or at least ${ServerConfig.LeastMemory} bytes"
    )
  }
  check()

  private[server] def tcp: TcpSettings = TcpSettings(
    address,
    loops,
    poller,
    maxConnections,
    backlog,
    reusePort,
    idleTimeout.toNanos,
    crowdedIdleTimeout.toNanos,
    drainDelay.toNanos,
    drainTimeout.toNanos,
    blockedLoop.toNanos,
    log,
    tls,
    memoryBudget,
    headTimeout.toNanos
  )

  /** The same with that port on the same host. Throws IllegalArgumentException where it listens on no port. */
  def withPort(port: Int): ServerConfig = address match {
    case Address.Tcp(host, _) => copy(address = Address.Tcp(host, port))
    case other                =>
      throw new IllegalArgumentException(
        s"ServerConfig.address is $other, which has no port that could be $port"
      )
  }
}

object ServerConfig {
  private final val LeastMemory = 256L * 1024
}
