package needletail.io

import needletail.async.Timer

import java.io.IOException
import java.net.{BindException, InetAddress, UnknownHostException}
import java.util.concurrent.RejectedExecutionException

/**
 * Accepts connections on its loop, a bounded number in each turn, and hands each to a callback.
 *
 * When descriptors or memory run out it stops accepting (connections wait in the kernel's backlog), and tries again
 * when a connection of the same loop has closed, or after 100 ms.
 */
final class Listener private (
    requested: Address,
    loop: EventLoop,
    options: ListenOptions,
    socket: ListenSocket,
    onAccept: AcceptedSocket => Unit,
    onShortage: () => Unit
) extends Pollable {
  import Listener.*

  private var started       = false         // watched by the loop
  private var paused        = false
  private var retry: Timer  = null          // not null: starved, accepting nothing for now
  private var closed        = false
  private var lastComplaint = Long.MinValue // on the loop's clock

  /** Where it listens, with the real port. */
  val address: Address = requested match {
    case tcp: Address.Tcp     => tcp.copy(port = socket.port)
    case unix: Address.Unix   => unix
    case _: Address.Inherited => Listener.named(socket.localAddress)
  }

  /** The bound address as the system names it: `127.0.0.1:8080`, `[::]:8080` or a Unix path. */
  val localAddress: String = socket.localAddress

  /** Stops accepting: connections wait in the backlog. On the loop's own thread. */
  def pause(): Unit = {
    paused = true
    update()
  }

  /** Accepts again, also where descriptors were short: there may be one now. On the loop's own thread. */
  def resume(): Unit = {
    paused = false
    if (retry ne null) descriptorReturned() else update()
  }

  /** Stops listening and removes a Unix socket's file; from any thread. May be repeated. */
  def close(): Unit =
    if (loop.inLoop) closeHere()
    else
      try loop.execute(() => closeHere())
      catch { case _: RejectedExecutionException => () } // the loop has closed it as it ended

  private def closeHere(): Unit =
    if (!closed) {
      closed = true
      if (retry ne null) retry.cancel()
      removeFile()
      loop.releaseAtTurnEnd(socket)
    }

  /** Begins to accept; from any thread, once. */
  private[needletail] def begin(): Unit =
    try loop.execute(() => startHere())
    catch {
      case e: RejectedExecutionException =>
        closeUnstarted()
        throw e
    }

  private def closeUnstarted(): Unit = {
    removeFile()
    socket.close()
  }

  /** Before the descriptor is closed: afterwards the file could be another's already. */
  private def removeFile(): Unit = requested match {
    case Address.Unix(path) => UnixSocketFile.remove(path)
    case _                  => ()
  }

  private def startHere(): Unit =
    if (!loop.isAlive) closeHere()
    else if (!closed) {
      started = true
      try loop.watch(socket, this, if (paused) Interest.None else Interest.Read)
      catch {
        case e: IOException => // the kernel has no memory for it now: nobody else would ever try again
          started = false
          complain(e)
          loop.schedule(RetryNanos, () => startHere())
          ()
      }
    }

  private def update(): Unit =
    if (started && !closed)
      loop.setInterest(socket, if (paused || (retry ne null)) Interest.None else Interest.Read)

  private[needletail] def onReady(ready: Int): Unit = {
    var left = options.acceptBatch
    while (left > 0 && !closed && !paused && (retry eq null)) {
      left -= 1
      val accepted = acceptOne()
      if (accepted eq null) left = 0
      else handOver(new AcceptedSocket(accepted))
    }
  }

  private def handOver(accepted: AcceptedSocket): Unit =
    try onAccept(accepted)
    catch {
      case e: Throwable =>
        accepted.close()
        throw e
    }

  private def acceptOne(): Socket =
    try socket.accept()
    catch {
      case e: IOException =>
        if (!closed) {
          complain(e)
          retry = loop.schedule(RetryNanos, () => descriptorReturned())
          loop.awaitDescriptor(this)
          update()
          onShortage()
        }
        null
    }

  private[io] def descriptorReturned(): Unit =
    if (retry ne null) {
      retry.cancel()
      retry = null
      update()
    }

  /** Once a minute at most: this happens when the machine is busy enough. */
  private def complain(e: IOException): Unit = {
    val now = loop.nowNanos
    if (lastComplaint == Long.MinValue || now - lastComplaint > ComplaintNanos) {
      lastComplaint = now
      // Where in our code the system said so is of no interest. No class of ours for it: to load one may take a descriptor.
      e.setStackTrace(new Array[StackTraceElement](0))
      loop.report(s"cannot accept connections on $address for now", e)
    }
  }

  /** `onAccept` threw. The listener goes on: other connections may fare better. */
  private[needletail] def failed(cause: Throwable): Unit = ()

  private[needletail] def onLoopEnd(): Unit = closeHere()
}

object Listener {
  private final val RetryNanos     = 100L * 1000 * 1000
  private final val ComplaintNanos = 60L * 1000 * 1000 * 1000

  /**
   * Binds in the calling thread and accepts on `loop`, where `onAccept` is called; it starts or closes each socket.
   *
   * @throws java.io.IOException with the address in its message, if listening there is not possible
   */
  def bind(
      address: Address,
      loop: EventLoop,
      options: ListenOptions,
      onAccept: AcceptedSocket => Unit
  ): Listener = {
    val listener = prepare(address, loop, options, onAccept)
    listener.begin()
    listener
  }

  /**
   * Binds in the calling thread, as `bind` does, and accepts nothing before `begin` is called.
   *
   * @param onShortage
   *   called on `loop` whenever a connection could not be accepted, as descriptors or memory are short
   */
  private[needletail] def prepare(
      address: Address,
      loop: EventLoop,
      options: ListenOptions,
      onAccept: AcceptedSocket => Unit,
      onShortage: () => Unit = () => ()
  ): Listener =
    new Listener(address, loop, options, open(address, loop.platform, options), onAccept, onShortage)

  private def open(address: Address, platform: Platform, options: ListenOptions): ListenSocket =
    try
      address match {
        case tcp: Address.Tcp =>
          platform.listenTcp(if (tcp.isWildcard) null else resolve(tcp.host), tcp.port, options)
        case Address.Unix(path) =>
          UnixSocketFile.prepare(path, options)
          platform.listenUnix(path, options)
        case Address.Inherited(descriptor) => platform.inherited(descriptor)
      }
    catch {
      case e: IOException =>
        val clear = new BindException(s"cannot listen on $address: ${reason(e)}")
        clear.initCause(e)
        throw clear
    }

  /** Of an address as [[AddressText]] renders it, or a path. */
  private def named(text: String): Address = {
    val colon = text.lastIndexOf(':')
    if (colon < 0 || text.startsWith("/")) Address.Unix(text)
    else
      Address.Tcp(text.substring(0, colon).stripPrefix("[").stripSuffix("]"), text.substring(colon + 1).toInt)
  }

  /** IPv4 first where a name has both, as `localhost` does: that is what most clients try. */
  private def resolve(host: String): InetAddress = {
    val all = Names.blocking(host)
    all.find(_.getAddress.length == 4).getOrElse(all(0))
  }

  private def reason(e: IOException): String = e match {
    case _: UnknownHostException   => "unknown host"
    case _ if e.getMessage eq null => e.toString
    case _                         => e.getMessage
  }
}
