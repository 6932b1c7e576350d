package needletail.tcp

import java.util.concurrent.ConcurrentHashMap

import scala.concurrent.{ExecutionContext, Future}
import scala.concurrent.duration.FiniteDuration

import needletail.async.{Async, Refused, Setting}
import needletail.io.{Address, EventLoop, EventLoops, LoopStates, TlsPeer}

/**
 * A client of any protocol in which answers come in the order of the requests, for one server: pooled connections,
 * pipelining, a bound for every queue and a limit for every wait.
 *
 * {{{
 *   val client = TcpClient(codec, Address.Tcp("127.0.0.1", 7000))
 *
 *   client.call("PING")     // on an event loop, such as a handler's: an Async, over connections of that loop
 *   client.future("PING")   // on any other thread: a Future, over connections of the client's own loops
 * }}}
 *
 * When a connection ends, requests of which no byte was written are sent on another one; the others fail with a
 * [[TcpClientError]] whose `mayHaveArrived` is true, because only the caller knows whether they may be repeated. A
 * request that timed out keeps its place: its answer is dropped when it comes, and is never another's.
 *
 * The first use on a loop is the time when its connections are opened. One client is enough for a server.
 */
final class TcpClient[I, O] private (
    val address: Address,
    protocol: TcpProtocol[I, O],
    val config: TcpClientConfig,
    lent: EventLoops
) extends AutoCloseable {
  private val tls: TlsPeer = (config.tls, address) match {
    case (None, _)                         => null
    case (Some(tls), Address.Tcp(host, _)) => tls.to(host)
    case (Some(_), other)                  =>
      Setting("TcpClientConfig").check("tls", s"set for $other", holds = false, "None except for TCP")
      null
  }
  (config.proxy, address) match {
    case (Some(proxy), to: Address.Tcp) =>
      val _ = proxy.handshake(to) // throws now what it would for each connection
    case _ => ()
  }
  @volatile private var isDraining = false

  /** The loops that requests from before the drain may still be queued on. */
  private val undrained = ConcurrentHashMap.newKeySet[EventLoop]

  private val states = new LoopStates[TcpClient.OnLoop[I, O]](
    "the client",
    "needletail-tcp",
    config.loops,
    lent,
    loop => {
      val on = new TcpClient.OnLoop(new ClientContext(loop, protocol, address, tls, config, new ClientCounts))
      if (isDraining && !undrained.contains(loop)) { val _ = on.pool.drain() }
      on.pool.begin()
      on
    },
    _.pool.close()
  )

  /**
   * Sends a request; the result is its answer, or a [[TcpClientError]]. Cancelling it does not revoke a request that was sent.
   * To be called on an event loop's own thread.
   *
   * @throws java.lang.IllegalStateException on any other thread
   */
  def call(request: O): Async[I] = call(request, config.requestTimeout)

  /** The same, with another time limit instead of `requestTimeout`. */
  def call(request: O, limit: FiniteDuration): Async[I] = submit(request, limit, answers = true)

  /**
   * Sends a message that has no answer. Completes when it is on its way, which does not mean that it will arrive. To be
   * called on an event loop's own thread.
   *
   * @throws java.lang.IllegalStateException on any other thread
   */
  def send(message: O): Async[Unit] = submit(message, config.requestTimeout, answers = false).map(_ => ())

  /** As `call`, from any thread, on a loop of the client. */
  def future(request: O): Future[I] = run(call(request))

  /** As `call` with a limit, from any thread, on a loop of the client. */
  def future(request: O, limit: FiniteDuration): Future[I] = run(call(request, limit))

  /**
   * Runs `body` on a loop of the client, from any thread. Fails with `Closed` if the client is closed, also while `body`
   * runs on a loop of the client, and if a fatal error, even of `body`, ends the loop.
   */
  def run[A](body: => Async[A]): Future[A] = states.run(body, closedError)

  /**
   * Runs `body` on a loop of the client and blocks until it completes. Interrupting the thread cancels it.
   *
   * @throws TcpClientError.Closed if the client is closed, as for `run`
   * @throws java.lang.IllegalStateException on an event loop's thread, which must not block
   */
  def await[A](body: => Async[A]): A = states.await(body, closedError)

  private def closedError = () => new TcpClientError.Closed(address.toString, written = false)

  /** Opens a connection on each loop of the client, if `keepConnected` is set; otherwise the first request does. */
  def connect(): Unit = { val _ = run(Async.attempt { here; () }) }

  /** The statistics, summed over all loops. From any thread. */
  def statistics: TcpClientStatistics = ClientCounts.sum(states.all.map(_.counts))

  /**
   * Refuses further requests, waits for those made before, each within its limit, and closes. From any thread. The
   * client's own loops end as well.
   */
  def drain(): Future[Unit] = drained

  private lazy val drained: Future[Unit] = {
    implicit val here: ExecutionContext = ExecutionContext.parasitic
    val loops                           = states.loops
    loops.foreach(undrained.add)
    isDraining = true
    val behind = loops.map(loop => Async.run(loop)(Async.attempt(drainOn(loop))).recover { case _ => () })
    for {
      _ <- Future.sequence(behind)
      _ <- states.eachAsync(_.pool.drain())
    } yield close()
  }

  /** What was queued on that loop before the drain has run. */
  private def drainOn(loop: EventLoop): Unit = {
    undrained.remove(loop)
    states.of(loop).foreach(_.pool.drain())
  }

  /**
   * Fails the requests that wait or are in flight with `Closed`, and closes the connections; later requests fail. The
   * client's own loops end. Returns when that is done, or after five seconds if user code blocks a loop; on an event
   * loop's thread, at once.
   */
  def close(): Unit = states.close()

  private def submit(request: O, limit: FiniteDuration, answers: Boolean): Async[I] = {
    val on = here
    val x  = new Exchange(request, limit, answers, isFixed = false, on.context)
    on.pool.submit(x)
    Refused.later(x.promise)
  }

  private def here: TcpClient.OnLoop[I, O] =
    states.here("this must be called on an event loop's own thread; use future or client.run elsewhere")
}

object TcpClient {

  /** A client for a codec's messages, each request with one answer. It connects when it is first used. */
  def apply[I, O](codec: Codec[I, O], address: Address): TcpClient[I, O] =
    apply(TcpProtocol(codec), address, TcpClientConfig())

  /** The same, with settings. */
  def apply[I, O](codec: Codec[I, O], address: Address, config: TcpClientConfig): TcpClient[I, O] =
    apply(TcpProtocol(codec), address, config)

  /**
   * A client for a protocol.
   *
   * @throws java.lang.IllegalArgumentException if TLS is set for a Unix socket, or if the proxy cannot be asked for the
   *   host, as it is neither a name nor an address
   */
  def apply[I, O](protocol: TcpProtocol[I, O], address: Address, config: TcpClientConfig): TcpClient[I, O] =
    new TcpClient(address, protocol, config, null)

  /** A client whose requests from other threads run on these loops, which it does not stop. */
  def apply[I, O](
      protocol: TcpProtocol[I, O],
      address: Address,
      config: TcpClientConfig,
      loops: EventLoops
  ): TcpClient[I, O] = new TcpClient(address, protocol, config, loops)

  private final class OnLoop[I, O](val context: ClientContext[I, O]) {
    val pool                 = new ClientPool(context)
    def counts: ClientCounts = context.counts
  }
}
