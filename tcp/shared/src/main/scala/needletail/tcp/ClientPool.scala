package needletail.tcp

import java.util.ArrayList

import scala.collection.mutable.LinkedHashSet
import scala.util.{Failure, Success}

import needletail.async.{Async, AsyncPromise, Backoff, Timer}
import needletail.io.{Connection, Connector}
import needletail.io.loop.FailureLog

/**
 * The connections of one loop to the server, and the requests that wait for one. Used on that loop only.
 *
 * A request goes to the connection with the fewest in flight, but behind one that has timed out only if there is no
 * other connection, and none can be opened. One connection at a time is being opened: when there is
 * none, and when all are in use. After a failure the next attempt waits; requests fail meanwhile if there is no
 * connection at all. A connection that ends early without having answered anything, except while it was set up, counts as
 * a failure, too, from the second in a row on, so that a server which accepts and hangs up is not called in a circle.
 */
private[tcp] final class ClientPool[I, O](context: ClientContext[I, O])
    extends ConnectionOwner[I, O]
    with ExchangePlace {
  private val config  = context.config
  private val loop    = context.loop
  private val counts  = context.counts
  private val backoff = new Backoff(
    config.reconnectDelay.toNanos,
    config.maxReconnectDelay.toNanos,
    loop.platform.newRandom()
  )
  private val ready = new ArrayList[ClientConnection[I, O]] // set up, and open
  // of Scala: an iterator of Java's copies the set on Native
  private val again   = new LinkedHashSet[Exchange[I, O]] // put back by connections that ended; they go first
  private val waiting = new LinkedHashSet[Exchange[I, O]]

  private var attempt: Async[ClientConnection[I, O]] = null // connecting, or setting up
  private var failures                               = 0    // in a row
  private var retryAt                     = 0L    // when the next attempt may begin, if failures > 0
  private var lastFailure: Throwable      = null
  private var retry: Timer                = null
  private var drained: AsyncPromise[Unit] = null  // null until it is draining
  private var isEnding                    = false // drained, and its connections are being closed or are so
  private var isClosed                    = false

  /** Sends the request as soon as there is a place for it, or fails it. */
  def submit(x: Exchange[I, O]): Unit = {
    counts.add(ClientCounts.Requests, 1)
    if (loop.isStopping || isClosed || drained != null) x.fail(context.closed(written = false))
    else {
      val c = if (queued == 0) leastBusy() else null
      if (c != null && !isAvoided(c)) {
        if (c.underWay > 0) grow()
        c.send(x)
      } else if (queued >= config.maxQueued)
        x.fail(context.queueFull(s"$queued requests are waiting already"))
      else {
        enqueue(waiting, x)
        grow()
        if (isDown) failWaiting()
      }
    }
  }

  /** Opens a connection, if it is to have one without a request for it. */
  def begin(): Unit = if (config.keepConnected) grow()

  private def queued: Int = again.size + waiting.size

  private def enqueue(queue: LinkedHashSet[Exchange[I, O]], x: Exchange[I, O]): Unit = {
    x.place = this
    queue.add(x)
    counts.add(ClientCounts.Waiting, 1)
  }

  private def takeWaiting(): Exchange[I, O] = {
    val queue = if (again.isEmpty) waiting else again
    val x     = queue.head
    queue.remove(x)
    x.place = null
    counts.add(ClientCounts.Waiting, -1)
    x
  }

  // ExchangePlace: the queue

  def abandoned(x: Exchange[_, _]): Unit = {
    val _ = takeBack(x)
    checkDrained()
  }
  def timedOut(x: Exchange[_, _]): Unit    = checkDrained()
  def takeBack(x: Exchange[_, _]): Boolean = {
    val own = x.asInstanceOf[Exchange[I, O]] // as this is its place
    if (again.remove(own) || waiting.remove(own)) counts.add(ClientCounts.Waiting, -1)
    true
  }
  def progressOf(x: Exchange[_, _]): String =
    if (ready.isEmpty) "there was no connection yet" else "it was waiting for a place on a connection"

  // ConnectionOwner

  def freed(c: ClientConnection[I, O]): Unit = {
    while (queued > 0 && c.accepts && !isAvoided(c)) c.send(takeWaiting())
    checkDrained()
  }

  def gone(c: ClientConnection[I, O], unwritten: List[Exchange[I, O]], error: TcpClientError): Unit = {
    val wasReady = ready.remove(c)
    if (wasReady) {
      counts.add(ClientCounts.Open, -1)
      if (c.wasUseful) failures = 0
      else failed(error, pauses = failures > 0) // once is no pattern
    }
    unwritten.foreach { x =>
      if (isClosed || loop.isStopping) x.fail(context.closed(written = false))
      else {
        counts.add(ClientCounts.Resent, 1)
        enqueue(again, x)
      }
    }
    serve()
    checkDrained()
  }

  // Connections

  private def leastBusy(): ClientConnection[I, O] = {
    var best: ClientConnection[I, O] = null
    var i                            = 0
    while (i < ready.size) {
      val c = ready.get(i)
      if (c.accepts && (best == null || isBetter(c, best))) best = c
      i += 1
    }
    best
  }

  private def isBetter(c: ClientConnection[I, O], than: ClientConnection[I, O]) =
    if (c.isHeldUp != than.isHeldUp) than.isHeldUp else c.underWay < than.underWay

  /** Whether a request rather waits for a connection that is being opened, or can be. */
  private def isAvoided(c: ClientConnection[I, O]) =
    c.isHeldUp && (attempt != null || ready.size < config.connections && mayConnect && isInUse)

  /** Sends waiting requests where there is a place, and opens connections if there is none. */
  private def serve(): Unit =
    if (loop.isStopping) close()
    else {
      var c = if (queued > 0) leastBusy() else null
      while (c != null && !isAvoided(c)) {
        c.send(takeWaiting())
        c = if (queued > 0) leastBusy() else null
      }
      if (queued > 0 || (config.keepConnected && ready.isEmpty)) grow()
      if (isDown) failWaiting()
    }

  /** Whether there is no connection, and none is being opened. */
  private def isDown = ready.isEmpty && attempt == null

  private def mayConnect = attempt == null && (failures == 0 || retryAt - loop.nowNanos <= 0)

  private def grow(): Unit =
    if (attempt == null && ready.size < config.connections && !loop.isStopping && isInUse) {
      if (mayConnect) connect() else if (isWanted) connectLater()
    }

  /** Whether a connection is to be opened after a pause. Requests wait for it only if there are others: else they fail. */
  private def isWanted = config.keepConnected || queued > 0 && !ready.isEmpty

  /** Whether it may open connections; while it drains, only for waiting requests. */
  private def isInUse = !isClosed && (drained == null || queued > 0)

  private def connectLater(): Unit = if (retry == null)
    retry = loop.schedule(
      math.max(0L, retryAt - loop.nowNanos),
      () => {
        retry = null
        if (queued > 0 || config.keepConnected && ready.isEmpty) grow()
      }
    )

  private def connect(): Unit = {
    counts.add(ClientCounts.Open, 1)
    attempt = new AsyncPromise[ClientConnection[
      I,
      O
    ]] // it may connect at once, and end so: meanwhile, no other one begins
    val opening =
      try open()
      catch {
        case fatal: Throwable =>
          attempt = null
          notOpened(fatal)
          throw fatal
      }
    attempt = opening
    if (isClosed) opening.cancel() // meanwhile
    loop.atEnd(cancelAttempt)
    opening.onComplete { result =>
      loop.notAtEnd(cancelAttempt)
      attempt = null
      result match {
        case Success(c) if c.isOpen =>
          counts.add(ClientCounts.Opened, 1)
          ready.add(c)
        case Success(_) => notOpened(endedAtOnce)
        case Failure(e) => notOpened(e)
      }
      serve()
      checkDrained()
    }
  }

  private val cancelAttempt: Runnable = () => if (attempt != null) attempt.cancel()

  private def open(): Async[ClientConnection[I, O]] =
    Async.defer( // what it throws must not leave the attempt under way for good
      Connector.connect(
        context.nextHop,
        loop,
        config.socket,
        context.connectNanos,
        tls = context.tls,
        through = context.handshake()
      )(connection => new ClientConnection(connection, context, this))
    ).flatMap(prepared)

  private def prepared(connection: Connection): Async[ClientConnection[I, O]] = connection.handler match {
    case c: ClientConnection[_, _] =>
      val mine = c.asInstanceOf[ClientConnection[I, O]]
      mine.prepare().map(_ => mine).andFinally(if (!mine.isPrepared) mine.close()) // cancelled, too
    case _ => Async.fail(endedAtOnce)
  }

  private def notOpened(cause: Throwable): Unit = {
    counts.add(ClientCounts.Open, -1)
    counts.add(ClientCounts.NotOpened, 1)
    failed(cause, pauses = true)
  }

  private def endedAtOnce = context.lost("the connection ended at once", null, written = false)

  private def failed(cause: Throwable, pauses: Boolean): Unit = {
    failures = math.min(failures + 1, 1000)
    retryAt = loop.nowNanos
    if (pauses) retryAt += math.max(ClientPool.LeastPause, backoff.nanos(failures))
    lastFailure = cause
  }

  private def down(): TcpClientError =
    if (isClosed) context.closed(written = false)
    else {
      val cause = lastFailure
      val text  = cause match {
        case null                  => "there is no connection"
        case error: TcpClientError => error.what
        case other                 => FailureLog.messageOf(other)
      }
      context.cannotConnect(text, cause)
    }

  private def failWaiting(): Unit = if (queued > 0) {
    val error = down()
    while (queued > 0) takeWaiting().fail(error)
  }

  // The end

  /** Fails waiting requests and those in flight, and closes the connections; later requests fail. */
  def close(): Unit = {
    isClosed = true
    if (retry != null) retry.cancel()
    retry = null
    failWaiting()
    if (attempt != null) attempt.cancel()
    while (!ready.isEmpty) ready.get(ready.size - 1).closeClient()
    checkDrained()
  }

  /** Refuses further requests; completes when those made before are over, and the connections closed. */
  def drain(): Async[Unit] = {
    if (drained == null) drained = new AsyncPromise[Unit]
    checkDrained()
    drained.shield
  }

  private def checkDrained(): Unit = if (drained != null && !isEnding && queued == 0 && isQuiet) {
    isEnding = true // each connection that is closed asks again
    close()
    drained.succeed(())
    ()
  }

  private def isQuiet = {
    var quiet = true
    var i     = 0
    while (i < ready.size) {
      quiet &= ready.get(i).isQuiet
      i += 1
    }
    quiet
  }
}

private object ClientPool {

  /** The shortest pause after a failure, in nanoseconds. */
  private final val LeastPause = 1000L * 1000
}
