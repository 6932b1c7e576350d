package needletail.io

import needletail.async.{Async, AsyncPromise, Survivable, Timer}
import needletail.io.loop.LoopWork
import needletail.io.platform.{ConnectionOptions, Interest, Pollable, Socket}
import needletail.io.tls.TlsRefusal

import java.io.IOException
import java.net.{ConnectException, InetAddress, SocketTimeoutException, UnknownHostException}
import scala.util.{Failure, Success, Try}

/** Connects to servers, never blocking the loop. */
object Connector {

  /**
   * Connects to `address`, calls `makeHandler` with the connection, and then completes the result. To be called on the
   * thread of `loop`.
   *
   * The addresses of a name are tried in the system's order, with IPv6 and IPv4 alternating. The next one is tried
   * when the one before has failed or has not answered for 250 ms; the first that connects is used (RFC 8305).
   *
   * Fails with an IOException that names the address and has the system's exception as its cause; after
   * `timeoutNanos`, which includes the name's lookup, with a SocketTimeoutException. Cancelling closes what has been
   * opened.
   *
   * @param source the local address to connect from by TCP; null leaves it to the system
   * @param tls    the peer to secure a TCP connection with: connecting then includes the handshake; null for a plain
   *   one
   * @param through what to agree with the proxy that `address` is of, before TLS begins; null if it is of none. It is
   *   agreed with one of the proxy's addresses only: the first that connects
   */
  def connect(
      address: Address,
      loop: EventLoop,
      options: ConnectionOptions = ConnectionOptions.default,
      timeoutNanos: Long = 10L * 1000 * 1000 * 1000,
      source: InetAddress = null,
      tls: TlsPeer = null,
      through: ProxyHandshake = null
  )(makeHandler: Connection => ConnectionHandler): Async[Connection] = {
    if (!loop.inLoop) throw new IllegalStateException("connect must be called on the event loop's own thread")
    if (loop.isStopping) Async.fail(new IOException("the event loop is ending"))
    else {
      val attempt = new Attempt(address, loop, options, timeoutNanos, source, tls, through, makeHandler)
      attempt.prepare()
      attempt.result
    }
  }

  /** How long to wait for an address before the next one is tried too (RFC 8305 section 5). */
  private[io] final val StaggerNanos = 250L * 1000 * 1000

  /** How soon to look whether another attempt has read what TLS needs. */
  private final val PreparingNanos = 10L * 1000 * 1000

  /** Addresses of one name that are tried at the same time. */
  private final val MaxRoutes = 8

  /** Addresses of one name that are tried at all. */
  private[io] final val MaxAddresses = 32

  /**
   * Orders the addresses with IPv6 and IPv4 alternating, beginning with the first: if one family does not work, the
   * other is tried soon (RFC 8305 section 4).
   */
  private[io] def inTurn(found: Array[InetAddress]): Array[InetAddress] = {
    val length          = found(0).getAddress.length
    val (first, second) = found.partition(_.getAddress.length == length)
    val pairs           = first.zipAll(second, null, null)
    pairs.flatMap { case (a, b) => Array(a, b) }.filter(_ ne null)
  }

  private final class Attempt(
      address: Address,
      loop: EventLoop,
      options: ConnectionOptions,
      timeoutNanos: Long,
      source: InetAddress,
      tls: TlsPeer,
      through: ProxyHandshake,
      makeHandler: Connection => ConnectionHandler
  ) extends LoopWork {
    val result = new AsyncPromise[Connection]

    private var routes: List[Route]         = Nil  // being tried
    private var targets: Array[InetAddress] = Array.empty
    private var tried                       = 0
    private var stagger: Timer              = null
    private var waiting: Timer              = null // for another attempt to read what TLS needs
    private var lookUp: Runnable            = null // ends the wait for the addresses
    private var lastFailure: IOException    = null
    private var over                        = false
    private val timeout                     = loop.schedule(timeoutNanos, () => giveUp(timedOut()))

    result.onCancel(() => stop())
    loop.unendedWork.begins(this)

    private[needletail] def loopEnded(): Unit = giveUp(hasEnded)

    private def hasEnded = new IOException("the event loop has ended")

    /** Begins when what TLS needs has been read, by another thread: one for all attempts that wait for it. */
    def prepare(): Unit = if ((tls eq null) || tls.isPrepared) begin() else prepare(System.nanoTime)

    private def prepare(since: Long): Unit =
      Async.blocking(tls.prepare()).onComplete { done =>
        if (!over)
          if (done.getOrElse(true)) begin()
          else waiting = loop.schedule(PreparingNanos, () => lookAgain(since))
      }

    private def lookAgain(since: Long): Unit =
      if (tls.isPrepared || tls.hasFailedSince(since)) begin() else prepare(since)

    private def begin(): Unit =
      try resolve()
      catch { case Survivable(e) => failed(e) }

    private def resolve(): Unit = address match {
      case inherited: Address.Inherited =>
        giveUp(new IOException(s"$inherited can only be listened on"))
      case Address.Unix(path) => if (!begins(loop.platform.connectUnix(path))) giveUp(lastFailure)
      case tcp: Address.Tcp if (tcp.isWildcard) =>
        giveUp(
          new IOException("it stands for all addresses of a machine and can only be listened on")
        )
      case tcp: Address.Tcp =>
        val looking = loop.platform.resolve(tcp.host, loop) {
          case Right(found) =>
            if (!over) {
              targets = inTurn(found).take(MaxAddresses)
              tryNext(tcp.port)
            }
          case Left(e) => giveUp(e)
        }
        if (!over) lookUp = looking
    }

    /** Tries the next address, and the one after it in a while; at once if it fails at once. */
    private def tryNext(port: Int): Unit = {
      stopStagger()
      var hasBegun = false
      while (!hasBegun && !over && tried < targets.length) {
        val ip = targets(tried)
        tried += 1
        hasBegun = begins {
          val plain = loop.platform.connectTcp(ip, port, source)
          if ((tls eq null) || (through ne null)) plain else tls.over(plain, port)
        }
      }
      if (!over)
        if (tried < targets.length)
          stagger = loop.schedule(StaggerNanos, () => if (!over && routes.length < MaxRoutes) tryNext(port))
        else if (routes.isEmpty) giveUp(lastFailure)
    }

    private def stopStagger(): Unit = if (stagger ne null) {
      stagger.cancel()
      stagger = null
    }

    /** Begins to connect. False if that has failed at once. */
    private def begins(connect: => Socket): Boolean = {
      var route: Route = null
      try {
        route = new Route(connect)
        routes ::= route
        route.begin()
        true
      } catch {
        case e: IOException =>
          leave(route, e)
          false
        case Survivable(e) =>
          failed(e)
          true
      }
    }

    private def failed(e: Throwable): Unit = {
      stop()
      result.fail(e)
      ()
    }

    private def lost(route: Route, e: IOException): Unit =
      if (!over) {
        leave(route, e)
        address match {
          case tcp: Address.Tcp => tryNext(tcp.port)
          case _                => giveUp(e)
        }
      }

    /** Drops a route, null if there is none yet, that has failed so. */
    private def leave(route: Route, e: IOException): Unit = {
      if (!lastFailure.isInstanceOf[TlsRefusal]) lastFailure = e // which says more than another route's
      if (route ne null) drop(route)
    }

    /** No other address is tried any more. */
    private def keepOnly(route: Route): Unit = {
      stopStagger()
      routes.foreach(other => if (other ne route) drop(other))
    }

    /** The first that connects is used; the others are closed. */
    private def connected(route: Route): Unit = {
      route.socket.configure(options)
      routes = routes.filterNot(_ eq route)
      stop()
      val c                     = new Connection(loop, route.socket, options) // its own now
      val made: Try[Connection] =
        try {
          c.begin(makeHandler)
          Success(c)
        } catch { // makeHandler's; the connection has been closed
          case Survivable(e) => Failure(e)
          case e: Throwable  =>
            result.fail(e)
            throw e
        }
      if (!result.complete(made)) made.foreach(_.close()) // cancelled by `makeHandler`
    }

    private def giveUp(e: IOException): Unit =
      if (!over) {
        stop()
        result.fail(clear(e))
        ()
      }

    private def stop(): Unit = {
      over = true
      loop.unendedWork.ends(this)
      timeout.cancel()
      stopStagger()
      if (waiting ne null) waiting.cancel()
      if (lookUp ne null) lookUp.run()
      routes.foreach(drop)
    }

    private def drop(route: Route): Unit = {
      routes = routes.filterNot(_ eq route)
      if (route.socket ne null) loop.releaseAtTurnEnd(route.socket)
    }

    private def timedOut(): IOException =
      new SocketTimeoutException(s"no answer within ${timeoutNanos / 1000000} ms")

    private def clear(e: IOException): IOException = {
      val why = e match {
        case _: UnknownHostException   => "unknown host"
        case _ if e.getMessage eq null => e.toString
        case _                         => e.getMessage
      }
      val way   = if (through eq null) "to" else "through the proxy"
      val text  = s"cannot connect $way $address: $why"
      val named = e match {
        case _: SocketTimeoutException => new SocketTimeoutException(text)
        case _                         => new ConnectException(text)
      }
      named.initCause(e)
      named
    }

    /** An attempt to connect to one of the addresses. */
    private final class Route(plain: Socket) extends Pollable {
      var socket: Socket = plain // null once TLS has failed to take it over

      private var exchange = if (through eq null) null else new ProxyExchange(through)
      private var isThere  =
        false // whether the proxy has been reached: another of its addresses would say the same

      def begin(): Unit =
        if (exchange ne null) loop.watch(socket, this, socket.awaits)
        else if (socket.finishConnect()) connected(this)
        else loop.watch(socket, this, socket.awaits)

      private def isWanted = !over && routes.exists(_ eq this)

      private[needletail] def onReady(ready: Int): Unit =
        if (isWanted)
          try
            if (exchange ne null) converse()
            else {
              val isConnected = socket.finishConnect()
              // unless a trust manager has cancelled it meanwhile
              if (isWanted) if (isConnected) connected(this) else await(socket.awaits)
            }
          catch { case e: IOException => if (isThere) giveUp(e) else lost(this, e) }

      private def converse(): Unit =
        if (!isThere && !socket.finishConnect()) await(socket.awaits)
        else {
          if (!isThere) {
            isThere = true
            keepOnly(this) // while the proxy connects to the server, which may take it long
          }
          pass(exchange.goOn(socket))
        }

      private def await(interest: Int): Unit =
        if (interest != socket.interest) loop.setInterest(socket, interest)

      /** Goes on once the proxy has let it through. */
      private def pass(awaited: Int): Unit =
        if (awaited != Interest.None) await(awaited)
        else {
          exchange = null
          if (tls eq null) connected(this)
          else {
            loop.unwatch(plain)
            socket = null // which closes it if it fails
            socket = tls.over(plain, through.port)
            begin()
          }
        }

      private[needletail] def failed(cause: Throwable): Unit = Attempt.this.failed(cause)

      private[needletail] def onLoopEnd(): Unit = giveUp(hasEnded)
    }
  }
}
