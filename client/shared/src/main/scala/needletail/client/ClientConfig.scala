package needletail.client

import scala.concurrent.duration._

import needletail.async.Setting
import needletail.http.Grammar
import needletail.io.{ConnectionOptions, Tls}

/**
 * Every setting of a [[Client]], with a default that is safe towards services nobody vouches for. A connection
 * belongs to the loop that opened it, so what is counted for each host is counted on each loop.
 *
 * @param loops event loops of the client's own, for calls from threads that are none; 0: as many as processors.
 *   They are started when first needed
 * @param connectionsPerHost open connections for each address of a host, on each loop
 * @param maxQueued calls that may wait for a connection to an address, on each loop; one more fails at once
 * @param queueTimeout how long a call may wait for a connection, one that is being made included
 * @param connectTimeout how long making a connection may take, looking up the name included
 * @param requestTimeout from the beginning of a call to the end of its answer, retries and redirections included;
 *   of a streamed answer to the end of its head
 * @param attemptTimeout the same for each attempt of a call that may be repeated; none: what is left of the call's time
 * @param bodyTimeout longest pause inside a streamed body, be it that none of it comes or that nobody asks for more
 * @param idleTimeout how long an unused connection is kept; less than most servers do, which saves calls that cross
 *   with a server's closing
 * @param continueTimeout how long a call that asked for it waits for 100 (Continue) before it sends its body
 * @param maxHead octets of an answer's head; beyond: `TooLarge`
 * @param maxHeaders field lines of an answer's head; beyond: `TooLarge`
 * @param maxBodyInMemory octets of a body that is not streamed; beyond: `TooLarge`
 * @param maxDrain octets of a body nobody wants that are read and dropped to keep the connection; beyond: it closes
 * @param maxPendingOutput octets of a streamed request body that may wait for the kernel before more is asked for
 * @param maxRedirects redirections followed in one call; 0: none, the answer is the redirection itself
 * @param pipelining requests on one connection whose answers have not come; 1: no pipelining. Only idempotent
 *   requests share a connection, and none of which a body is streamed
 * @param maxHosts hosts and services whose pools and figures are kept; beyond, the one that was used least recently is forgotten
 * @param userAgent value of the User-Agent header; None: no such header
 * @param retry when a call that failed is made again
 * @param breaker when a host is not asked any more
 * @param balancing which of several addresses is asked, and which are left out for a while
 * @param socket how connections behave
 * @param tls whom to trust of servers that are asked by https
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
    maxDrain: Int = 64 * 1024,
    maxPendingOutput: Int = 256 * 1024,
    maxRedirects: Int = 5,
    pipelining: Int = 1,
    maxHosts: Int = 1024,
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
    is.between("maxHead", maxHead, 1, 48 * 1024) // a head must fit a loop's read buffer
    is.check(
      "maxHead",
      maxHead,
      maxHead <= socket.maxLeftover,
      s"at most socket.maxLeftover (${socket.maxLeftover})"
    )
    is.positive("maxHeaders", maxHeaders)
    is.notNegative("maxBodyInMemory", maxBodyInMemory)
    is.notNegative("maxDrain", maxDrain)
    is.positive("maxPendingOutput", maxPendingOutput)
    is.notNegative("maxRedirects", maxRedirects)
    is.positive("pipelining", pipelining)
    is.positive("maxHosts", maxHosts)
    is.check(
      "userAgent",
      userAgent,
      userAgent.forall(Grammar.isFieldValue),
      "a field value, without control characters"
    )
  }
  check()
}

/**
 * When a call that failed is made again: if its method is idempotent (RFC 9110 §9.2.2), the call says that it may be
 * repeated or nothing of it had left, its body is still there, no time-out has passed, and the host's budget allows it. What counts as
 * failed: no connection, one that was lost, an attempt's time-out, and the statuses 502, 503 and 504.
 *
 * A connection that its server closed just as it was taken costs nothing of this: such a request goes to a fresh
 * connection at once, if it is idempotent or none of it had left (RFC 9112 §9.3.1).
 *
 * @param attempts how often in all; 1: no retries
 * @param firstDelay the longest wait before the second attempt; doubled for each further one. The real wait is
 *   drawn evenly from zero to that, so that those who failed together do not come back together
 * @param maxDelay what the doubling ends at; a Retry-After of more is not waited for
 * @param budget retries for each call, over time: 0.2 adds at most a fifth to a host's load
 * @param reserve retries that may be made before calls have earned them
 * @param saving the most retries that calls can save up for a bad moment
 */
final case class RetryConfig(
    attempts: Int = 3,
    firstDelay: FiniteDuration = 25.millis,
    maxDelay: FiniteDuration = 2.seconds,
    budget: Double = 0.2,
    reserve: Int = 10,
    saving: Int = 100
) {
  private def check(): Unit = {
    val is = Setting("RetryConfig")
    is.positive("attempts", attempts)
    is.positive("firstDelay", firstDelay)
    is.positive("maxDelay", maxDelay)
    is.check("maxDelay", maxDelay, maxDelay >= firstDelay, s"at least firstDelay ($firstDelay)")
    is.check("budget", budget, budget >= 0 && budget <= 1, "0 to 1")
    is.notNegative("reserve", reserve)
    is.check("saving", saving, saving >= reserve, s"at least reserve ($reserve)")
  }
  check()
}

/**
 * When a host is not asked any more: after too many failures in a while it is left alone (open), then asked by a
 * few calls (half-open), and when these succeed by all (closed). No connection, a lost one, a time-out, garbage and
 * the statuses from 500 on are failures; a call that was cancelled counts as nothing.
 *
 * @param enabled is there a breaker at all?
 * @param window over which outcomes are counted
 * @param minCalls outcomes in the window before it can open
 * @param failureRatio of the outcomes in the window, at which it opens
 * @param openFor how long it stays open; doubled when the probes fail, up to ten times as long
 * @param probes calls let through while it is half-open; all must succeed to close it
 */
final case class BreakerConfig(
    enabled: Boolean = true,
    window: FiniteDuration = 10.seconds,
    minCalls: Int = 20,
    failureRatio: Double = 0.5,
    openFor: FiniteDuration = 2.seconds,
    probes: Int = 3
) {
  private def check(): Unit = {
    val is = Setting("BreakerConfig")
    is.positive("window", window)
    is.check("window", window, window >= 1.second, "at least a second")
    is.positive("minCalls", minCalls)
    is.positive("probes", probes)
    is.check("failureRatio", failureRatio, failureRatio > 0 && failureRatio <= 1, "above 0 and at most 1")
    is.positive("openFor", openFor)
  }
  check()
}

/**
 * Which of a service's several addresses is asked.
 *
 * @param policy round and round, or the one with the fewest calls under way
 * @param failures in a row after which an address is left out for a while
 * @param ejectFor how long the first time; once more as long each further time, up to ten times
 * @param maxEjected of all addresses, the share that may be left out at once; the last one never is
 */
final case class BalancingConfig(
    policy: Balancing = Balancing.LeastInFlight,
    failures: Int = 5,
    ejectFor: FiniteDuration = 5.seconds,
    maxEjected: Double = 0.5
) {
  private def check(): Unit = {
    val is = Setting("BalancingConfig")
    is.positive("failures", failures)
    is.positive("ejectFor", ejectFor)
    is.check("maxEjected", maxEjected, maxEjected >= 0 && maxEjected <= 1, "0 to 1")
  }
  check()
}

/** How an address is chosen. */
sealed abstract class Balancing

object Balancing {
  case object RoundRobin extends Balancing

  /** The fewest calls under way, counted over all loops; among equals, round and round. */
  case object LeastInFlight extends Balancing
}
