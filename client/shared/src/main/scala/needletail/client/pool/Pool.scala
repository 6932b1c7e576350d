package needletail.client.pool

import needletail.async.{Async, Timer}
import needletail.client.connection.{
  ClientConnection,
  ClientExchange,
  ClientLoopContext,
  ConnectionOwner,
  ExchangeQueue
}
import needletail.client.error.ClientError
import needletail.client.policy.Endpoint
import needletail.io.{Connection, Connector}

/**
 * The connections of one loop to one address of a host, and the requests that wait for one. Used on that loop only.
 *
 * A request takes the idle connection that was used last, so that surplus connections reach their idle timeout. Without
 * one, it waits for the first of two events: a connection becomes free, or a new one, opened for it if the limit allows,
 * is established.
 */
private[client] final class Pool(
    context: ClientLoopContext,
    host: Host,
    endpoint: Endpoint,
    counts: HostCounts
) extends ConnectionOwner {
  private val config  = context.config
  private val loop    = context.loop
  private val waiting = new ExchangeQueue

  private var idle: ClientConnection   = null  // the one used last; linked by `nextIdle`
  private var oldest: ClientConnection = null
  private var idleCount                = 0
  private var open                     = 0     // including those being established
  private var connecting               = 0
  private var timer: Timer             = null
  private var timerDue                 = 0L
  private var isGrowing                = false
  private var isClosed                 = false
  private var isForgotten              = false // by the registry: no connection is kept

  // With pipelining, the connections with requests in flight; null without.
  private val busy = if (config.pipelining > 1) new java.util.ArrayList[ClientConnection] else null

  /** Sends the request as soon as there is a connection for it, or fails it. */
  def submit(x: ClientExchange): Unit = {
    val c = if (x.needsFresh) null else takeIdle()
    if (c != null) dispatch(c, x)
    else if (isClosed || loop.isStopping) x.onFailed(new ClientError.ClientClosed(host.name))
    else if (open >= config.connectionsPerHost && x.needsFresh && idleCount > 0) {
      oldest.close() // makes room for a new one
      enqueue(x)
    } else if (open < config.connectionsPerHost) enqueue(x)
    else {
      // not past those that wait, one of which may need a connection that becomes unused
      val mayShare = busy != null && waiting.isEmpty && x.mayPipeline && !x.needsFresh
      val shared   = if (mayShare) takeBusy(x) else null
      if (shared != null) dispatch(shared, x)
      else if (waiting.size - connecting < config.maxQueued) enqueue(x)
      else x.onFailed(new ClientError.QueueFull(host.name, waiting.size))
    }
  }

  /** Removes a request from the queue. Returns false if it is not in it. */
  def remove(x: ClientExchange): Boolean = (x.line eq waiting) && {
    waiting.remove(x)
    counts.add(HostCounts.Waiting, -1)
    true
  }

  def freed(c: ClientConnection): Unit = {
    if (busy != null) busy.remove(c)
    counts.add(HostCounts.InFlight, -1)
    // what came behind its last response would be taken for the next one
    if (c.underWay == 0 && !waiting.isEmpty && c.mayHoldMore && !c.isQuiet) c.close()
    else serve(c)
  }

  /** Sends waiting requests on the connection; without any for it, it becomes idle, or makes room for a new one. */
  private def serve(c: ClientConnection): Unit = {
    var x = nextFor(c)
    while (x != null) {
      remove(x)
      dispatch(c, x)
      x = nextFor(c)
    }
    if (c.underWay == 0) {
      if (!c.isUsable) c.close()
      else if (isClosed || isForgotten || !waiting.isEmpty && connecting == 0) c.close()
      else putIdle(c)
    } else if (busy != null && !busy.contains(c)) { busy.add(c); () }
  }

  /**
   * The waiting request that is the connection's next; null for none. Those that need a new connection are passed over
   * while one is being established, and otherwise wait at the front until this one is unused and makes room for it; with
   * pipelining they follow on one that has answered, as otherwise each of those behind a lost request would need its own.
   */
  private def nextFor(c: ClientConnection): ClientExchange = {
    var x = waiting.first
    if (!c.isFresh && connecting > 0) while (x != null && x.needsFresh) x = x.next
    if (x != null && (c.isFresh || !x.needsFresh || busy != null && x.mayPipeline) && c.accepts(x)) x
    else null
  }

  def gone(c: ClientConnection): Unit = {
    if (c.isIdle) removeIdle(c)
    if (busy != null) busy.remove(c)
    counts.add(HostCounts.InFlight, -c.owed)
    open -= 1
    counts.add(HostCounts.Open, -1)
    if (loop.isStopping) close() else grow()
  }

  /** Closes idle connections. Requests in flight and those that wait continue; then their connections close. */
  def forget(): Unit = {
    isForgotten = true
    while (idle != null) idle.close()
  }

  /** Whether there are connections, and not only such as are being established. */
  def isConnected: Boolean = open > connecting

  /** Whether requests wait for a connection. */
  def hasWaiting: Boolean = !waiting.isEmpty

  /** Closes idle connections and fails waiting requests. Requests in flight continue; then their connections close. */
  def close(): Unit = {
    isClosed = true
    while (idle != null) idle.close()
    while (!waiting.isEmpty) takeWaiting().onFailed(new ClientError.ClientClosed(host.name))
  }

  private def dispatch(c: ClientConnection, x: ClientExchange): Unit = {
    x.needsFresh = false
    counts.add(HostCounts.InFlight, 1)
    if (busy != null && !busy.contains(c)) busy.add(c)
    c.send(x)
  }

  // Waiting

  private def enqueue(x: ClientExchange): Unit = {
    val now = loop.nowNanos
    x.queueUntil = math.min(now + context.queueNanos, x.deadline)
    waiting.append(x)
    counts.add(HostCounts.Waiting, 1)
    grow()
    if (x.line eq waiting) wakeAt(x.queueUntil, now)
  }

  private def takeWaiting(): ClientExchange = {
    val x = waiting.takeFirst()
    counts.add(HostCounts.Waiting, -1)
    x
  }

  // One timer for all waiting requests, moved only if it would fire too late. It is not cancelled when they have been
  // sent; it does nothing then.
  private def wakeAt(due: Long, now: Long): Unit =
    if (timer == null || due - timerDue < 0) {
      if (timer != null) timer.cancel()
      timerDue = due
      timer = loop.schedule(
        due - now,
        () => {
          timer = null
          expire(loop.nowNanos)
        }
      )
    }

  private def expire(now: Long): Unit = {
    var x       = waiting.first
    var soonest = Long.MaxValue
    var late    = List.empty[ClientExchange]
    while (x != null) {
      if (x.queueUntil - now <= 0) late = x :: late
      else soonest = math.min(soonest, x.queueUntil)
      x = x.next
    }
    if (soonest != Long.MaxValue) wakeAt(soonest, now)
    late.reverse.foreach { x =>
      if (remove(x)) // the failure of an earlier one may have removed it
        x.onFailed(
          if (x.deadline - now <= 0)
            new ClientError.TimedOut(
              host.name,
              s"the response was not complete ${x.limitText}: it was waiting for a connection, $why"
            )
          else new ClientError.QueueTimeout(host.name, config.queueTimeout)
        )
    }
  }

  /** Why there is no connection for a call. */
  private def why: String =
    if (connecting > 0) "while one was being opened (connect, or handshake)"
    else s"with $open of ${config.connectionsPerHost} in use"

  // Connecting

  /** Opens connections for the waiting requests, as far as the limit allows. */
  private def grow(): Unit = if (!isGrowing) { // an attempt that fails at once ends in here again
    isGrowing = true
    try while (!isClosed && connecting < waiting.size && open < config.connectionsPerHost) connect()
    finally isGrowing = false
  }

  private def connect(): Unit = {
    connecting += 1
    open += 1
    counts.add(HostCounts.Open, 1)
    Async.defer(establish()).onComplete { result =>
      connecting -= 1
      if (result.isSuccess) opened(result.get) else notOpened(result.failed.get)
    }
  }

  private def establish(): Async[Connection] =
    Connector.connect(
      endpoint.address,
      loop,
      config.socket,
      context.connectNanos,
      null,
      host.tls,
      host.handshake()
    ) {
      connection => new ClientConnection(connection, context, this, host.name)
    }

  private def opened(connection: Connection): Unit = connection.handler match {
    case c: ClientConnection =>
      counts.add(HostCounts.Opened, 1)
      if (c.isUsable) {
        serve(c)
        if (c.underWay == 0) c.settle()
      }
    case _ => connection.close()
  }

  /** Fails one waiting request; the others may still get a connection that exists. */
  private def notOpened(cause: Throwable): Unit = {
    open -= 1
    counts.add(HostCounts.Open, -1)
    if (!waiting.isEmpty) takeWaiting().onFailed(host.notReached(cause))
    if (loop.isStopping) close() else grow()
  }

  // Idle connections

  private def takeIdle(): ClientConnection = {
    var c = idle
    while (c != null && !(c.isUsable && c.isQuiet)) {
      removeIdle(c)
      c.close()
      c = idle
    }
    if (c != null) removeIdle(c)
    c
  }

  private def takeBusy(x: ClientExchange): ClientConnection = {
    var best: ClientConnection = null
    var i                      = 0
    while (i < busy.size) {
      val c = busy.get(i)
      if (c.accepts(x) && (best == null || c.underWay < best.underWay)) best = c
      i += 1
    }
    best
  }

  private def putIdle(c: ClientConnection): Unit = if (!c.isIdle) {
    c.isIdle = true
    c.prevIdle = null
    c.nextIdle = idle
    if (idle != null) idle.prevIdle = c else oldest = c
    idle = c
    idleCount += 1
    counts.add(HostCounts.Idle, 1)
  }

  private def removeIdle(c: ClientConnection): Unit = {
    if (c.prevIdle != null) c.prevIdle.nextIdle = c.nextIdle else idle = c.nextIdle
    if (c.nextIdle != null) c.nextIdle.prevIdle = c.prevIdle else oldest = c.prevIdle
    c.nextIdle = null
    c.prevIdle = null
    c.isIdle = false
    idleCount -= 1
    counts.add(HostCounts.Idle, -1)
  }
}
