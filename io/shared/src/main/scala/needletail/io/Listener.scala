package needletail.io

import needletail.async.{Survivable, Timer}
import needletail.io.dns.DnsResolver
import needletail.io.platform.{Interest, ListenOptions, ListenSocket, Platform, Pollable, Socket}

import java.io.IOException
import java.net.{BindException, InetAddress, UnknownHostException}
import java.util.concurrent.RejectedExecutionException

/**
 * Accepts connections on its loop, a bounded number in each turn, and passes each to a callback.
 *
 * When descriptors or memory run out it stops accepting, so that connections wait in the kernel's backlog. It tries
 * again when a connection of the same loop has closed, or after 100 ms.
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

  private var started      = false // registered with the loop
  private var paused       = false
  private var retry: Timer = null  // not null: descriptors have run out, and nothing is accepted for now
  private var closed       = false
  private var lastComplaint = Long.MinValue // on the loop's clock

  private val onDescriptorReturned: Runnable = () => descriptorReturned()

  /** Where it listens, with the port that the system chose if 0 was requested. */
  val address: Address = requested match {
    case tcp: Address.Tcp     => tcp.copy(port = socket.port)
    case unix: Address.Unix   => unix
    case _: Address.Inherited => Listener.named(socket.localAddress)
  }

  private val isUnix = address match {
    case _: Address.Unix => true
    case _               => false
  }

  /** The bound address as the system names it: `127.0.0.1:8080`, `[::]:8080` or a Unix path. */
  val localAddress: String = socket.localAddress

  /** Stops accepting: connections wait in the backlog. To be called on the loop's thread. */
  def pause(): Unit = {
    paused = true
    update()
  }

  /** Accepts again, even if descriptors had run out, as there may be one now. To be called on the loop's thread. */
  def resume(): Unit = {
    paused = false
    if (retry ne null) descriptorReturned() else update()
  }

  /** Stops listening and removes a Unix socket's file. From any thread. May be called more than once. */
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

  /** Begins to accept. From any thread, once. */
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

  /** Before the descriptor is closed: afterwards the file could be another process's. */
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
        case e: IOException => // the kernel is out of memory for now
          started = false
          complain(e)
          loop.schedule(RetryNanos, () => startHere())
          ()
      }
    }

  private def update(): Unit =
    if (started && !closed)
      loop.setInterest(socket, if (paused || (retry ne null)) Interest.None else Interest.Read)

  private[needletail] def onReady(ready: Int): Unit =
    if (ready != Interest.Failure) acceptSome(options.acceptBatch)

  /**
   * Accepts what waits in the backlog, before a `close`, which would reset it. To be called on the loop's thread. What
   * waits at an inherited socket is left to other processes that have it.
   */
  private[needletail] def acceptWaiting(): Unit = requested match {
    case _: Address.Inherited => ()
    case _ => acceptSome(Math.max(options.backlog, options.backlog + 1)) // Linux queues one more
  }

  private def acceptSome(most: Int): Unit = {
    var left = most
    while (left > 0 && !closed && !paused && (retry eq null)) {
      left -= 1
      val accepted = acceptOne()
      if (accepted eq null) left = 0
      else handOver(new AcceptedSocket(accepted, isUnix))
    }
  }

  /** A failure ends that connection only: in a drain nobody would accept those behind it. */
  private def handOver(accepted: AcceptedSocket): Unit =
    try onAccept(accepted)
    catch {
      case e: Throwable =>
        accepted.close()
        if (!Survivable(e)) throw e
        loop.report("a connection could not be set up, and was closed", e)
    }

  private def acceptOne(): Socket =
    try socket.accept()
    catch {
      case e: IOException =>
        if (!closed) {
          complain(e)
          retry = loop.schedule(RetryNanos, () => descriptorReturned())
          loop.descriptorWaiters.add(onDescriptorReturned)
          update()
          onShortage()
        }
        null
    }

  /** Accepts again: a descriptor of the same loop was closed, or it is time to retry. */
  private def descriptorReturned(): Unit =
    if (retry ne null) {
      retry.cancel()
      retry = null
      update()
    }

  /** Reports at most once a minute, as the machine is busy when this happens. */
  private def complain(e: IOException): Unit = {
    val now = loop.nowNanos
    if (lastComplaint == Long.MinValue || now - lastComplaint > ComplaintNanos) {
      lastComplaint = now
      // The stack trace is of no use. Dropped here, as loading an exception class without one could need a
      // descriptor.
      e.setStackTrace(new Array[StackTraceElement](0))
      loop.report(s"cannot accept connections on $address for now", e)
    }
  }

  /** `onAccept` threw. The listener continues. */
  private[needletail] def failed(cause: Throwable): Unit = ()

  private[needletail] def onLoopEnd(): Unit = closeHere()
}

object Listener {
  private final val RetryNanos     = 100L * 1000 * 1000
  private final val ComplaintNanos = 60L * 1000 * 1000 * 1000

  /**
   * Binds on the calling thread and accepts on `loop`, where it calls `onAccept`, which must start or close each socket.
   *
   * @throws java.io.IOException if it cannot listen there; the message names the address
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
   * As `bind`, but accepts nothing before `begin` is called.
   *
   * @param onShortage
   *   called on `loop` whenever a connection could not be accepted because descriptors or memory ran out
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
          UnixSocketFile.prepare(path, options, platform)
          platform.listenUnix(path, options)
        case Address.Inherited(descriptor) => platform.inherited(descriptor)
      }
    catch {
      case e: IOException =>
        val clear = new BindException(s"cannot listen on $address: ${reason(e)}")
        clear.initCause(e)
        throw clear
    }

  /** The address for text in the form of [[AddressText]], or for a path. */
  private def named(text: String): Address = {
    val colon = text.lastIndexOf(':')
    if (colon < 0 || text.startsWith("/")) Address.Unix(text)
    else
      Address.Tcp(text.substring(0, colon).stripPrefix("[").stripSuffix("]"), text.substring(colon + 1).toInt)
  }

  /** IPv4 first if a name has both, as `localhost` does: most clients try that. */
  private def resolve(host: String): InetAddress = {
    val all = DnsResolver.blocking(host)
    all.find(_.getAddress.length == 4).getOrElse(all(0))
  }

  private def reason(e: IOException): String = e match {
    case _: UnknownHostException   => "unknown host"
    case _ if e.getMessage eq null => e.toString
    case _                         => e.getMessage
  }
}
