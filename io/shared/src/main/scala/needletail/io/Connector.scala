package needletail.io

import needletail.async.{Async, Promise, Survivable}

import java.io.IOException
import java.net.{ConnectException, InetAddress, SocketTimeoutException, UnknownHostException}
import scala.util.{Failure, Success}

/** Connects to servers, never blocking the loop. */
object Connector {

  /**
   * Connects to `address`; on `loop` `makeHandler` is called with the connection, and then the result is complete.
   * To be called on `loop`'s own thread. Of a name's several addresses each is tried in the system's order, within
   * `timeoutNanos` for all of it, the look-up of the name included. Cancelling closes what has been opened.
   *
   * Fails with an IOException that names the address; its cause is what the system said.
   *
   * @param source the address of this machine to connect from, where that is TCP; null leaves it to the system
   * @param tls whom to secure a TCP connection with: it stands when the handshake is over; null for a plain one
   */
  def connect(
      address: Address,
      loop: EventLoop,
      options: ConnectionOptions = ConnectionOptions.default,
      timeoutNanos: Long = 10L * 1000 * 1000 * 1000,
      source: InetAddress = null,
      tls: TlsPeer = null
  )(makeHandler: Connection => ConnectionHandler): Async[Connection] = {
    if (!loop.inLoop) throw new IllegalStateException("connect must be called on the event loop's own thread")
    val attempt = new Attempt(address, loop, options, timeoutNanos, source, tls, makeHandler)
    attempt.begin()
    attempt.result
  }

  private final class Attempt(
      address: Address,
      loop: EventLoop,
      options: ConnectionOptions,
      timeoutNanos: Long,
      source: InetAddress,
      tls: TlsPeer,
      makeHandler: Connection => ConnectionHandler
  ) extends Pollable {
    val result = new Promise[Connection]

    private var socket: Socket              = null // the one under way
    private var targets: Array[InetAddress] = null // of a TCP address
    private var tried                       = 0
    private var lastFailure: IOException    = null
    private var over                        = false
    private val timeout                     = loop.schedule(timeoutNanos, () => giveUp(timedOut()))

    result.onCancel(() => stop())

    def begin(): Unit = address match {
      case inherited: Address.Inherited =>
        giveUp(new IOException(s"$inherited listens: nobody can connect to it by that name"))
      case Address.Unix(path) => open(() => loop.platform.connectUnix(path))
      case tcp: Address.Tcp   =>
        loop.platform.resolve(if (tcp.isWildcard) "localhost" else tcp.host, loop) {
          case Right(found) =>
            if (!over) {
              targets = found
              tryNext(tcp.port)
            }
          case Left(e) => giveUp(e)
        }
    }

    private def tryNext(port: Int): Unit =
      if (tried == targets.length) giveUp(lastFailure)
      else {
        val ip = targets(tried)
        tried += 1
        open { () =>
          val plain = loop.platform.connectTcp(ip, port, source)
          if (tls eq null) plain else tls.tls.over(plain, tls.name, port)
        }
      }

    private def open(connect: () => Socket): Unit =
      try {
        socket = connect()
        if (socket.finishConnect()) connected()
        else loop.watch(socket, this, socket.awaits)
      } catch { case e: IOException => next(e) }

    private def next(e: IOException): Unit =
      if (!over) {
        lastFailure = e
        drop()
        address match {
          case tcp: Address.Tcp => tryNext(tcp.port)
          case _                => giveUp(e)
        }
      }

    private def connected(): Unit = {
      socket.configure(options)
      val c = new Connection(loop, socket, options)
      socket = null // the connection's now
      over = true
      timeout.cancel()
      val made =
        try Success(c.begin(makeHandler))
        catch { case Survivable(e) => Failure(e) } // makeHandler's; the connection has been closed
      result.complete(made.map(_ => c))
      ()
    }

    private def giveUp(e: IOException): Unit =
      if (!over) {
        stop()
        result.fail(clear(e))
        ()
      }

    private def stop(): Unit = {
      over = true
      timeout.cancel()
      drop()
    }

    private def drop(): Unit =
      if (socket ne null) {
        loop.releaseAtTurnEnd(socket)
        socket = null
      }

    private def timedOut(): IOException =
      new SocketTimeoutException(s"no answer within ${timeoutNanos / 1000000} ms")

    private def clear(e: IOException): IOException = {
      val why = e match {
        case _: UnknownHostException   => "unknown host"
        case _ if e.getMessage eq null => e.toString
        case _                         => e.getMessage
      }
      val text  = s"cannot connect to $address: $why"
      val named = e match {
        case _: SocketTimeoutException => new SocketTimeoutException(text)
        case _                         => new ConnectException(text)
      }
      named.initCause(e)
      named
    }

    private[needletail] def onReady(ready: Int): Unit =
      if (!over && (socket ne null))
        try
          if (socket.finishConnect()) connected()
          else if (socket.awaits != socket.interest) loop.setInterest(socket, socket.awaits)
        catch { case e: IOException => next(e) }

    private[needletail] def failed(cause: Throwable): Unit = {
      stop()
      result.fail(cause)
      ()
    }

    private[needletail] def onLoopEnd(): Unit = giveUp(new IOException("the event loop has ended"))
  }
}
