package needletail.io

import java.io.IOException
import java.net.InetAddress
import java.util.concurrent.Executor

/*
 * What a platform supplies: the classes of this file, and besides them
 *
 *   abstract class Descriptor             something the kernel knows by a number and a Poller can watch; it has what
 *                                         the platform's Poller keeps of it
 *     def close(): Unit                   throws nothing; may be repeated
 *     var interest: Int                   what a Poller watches it for; the Poller's to set
 *   object SystemPlatform extends Platform
 *                                         the one of a running program. The simulation is another one, in memory
 *   trait TlsPlatform                     what the object Tls has, see there
 *   object NameService
 *     def lookUp(host: String): Array[InetAddress]
 *                                         a name's addresses, at least one, in the system's order; an address written
 *                                         out is itself. Blocks for a name; throws UnknownHostException
 *   object Heap
 *     def limit: Long                     bytes that the collector may take in all
 *   object Signals                        public, see there
 *
 * Everything else in this package is portable; these classes are the only ones that talk to the operating system, and
 * they decide nothing. Calls that fail throw java.io.IOException, and leave no descriptor behind. None of them blocks,
 * except Poller.poll and where it is said.
 */

/** What event loops stand on: sockets, readiness, time, threads and names. */
private[needletail] abstract class Platform {

  /** A poller of that kind, or what the platform has instead. */
  def openPoller(loop: EventLoop, kind: PollerKind): Poller

  /** Begins to connect, from a local address or, null, from any. */
  def connectTcp(ip: InetAddress, port: Int, source: InetAddress): Socket
  def connectUnix(path: String): Socket

  /** `ip` null: all addresses, IPv6 and IPv4 where the system has both. */
  def listenTcp(ip: InetAddress, port: Int, options: ListenOptions): ListenSocket
  def listenUnix(path: String, options: ListenOptions): ListenSocket

  /** Of the descriptors that the program was started with; an IOException if it does not listen. */
  def inherited(descriptor: Int): ListenSocket
  def listens(descriptor: Int): Boolean

  /** Calls `f` on `loop`: at once where nothing is to be looked up, else when that is done. */
  def resolve(host: String, loop: EventLoop)(f: Either[IOException, Array[InetAddress]] => Unit): Unit =
    Names.system.resolve(host, loop)(f)

  /**
   * Raises the number of descriptors that this process may have to `wanted`, where it is lower and may be raised, and
   * answers how many that is now; Int.MaxValue where nobody knows.
   */
  def allowDescriptors(wanted: Int): Int = Int.MaxValue

  /** How many descriptors this process has; 0 where nobody knows. */
  def openDescriptors: Int = 0

  /** Nanoseconds of a clock that never goes back; its zero is anywhere. */
  def nanoTime(): Long = System.nanoTime()

  /** What the processor has done for the thread that asks, in nanoseconds; -1 where it is not known. */
  def processorNanos(): Long = -1

  /** Milliseconds since 1970. */
  def currentTimeMillis(): Long = System.currentTimeMillis()

  /** Chance, for delays that must not be the same for all. */
  def newRandom(): java.util.Random = new java.util.Random

  /** Has a thread of its own run `loop.live()`. */
  def start(loop: EventLoop): Unit = loop.startThread()

  /** Where the loops' blocking work runs; null for the threads that all share. */
  def blocking: Executor = null
}

/** A stream, TCP or Unix. */
private[needletail] abstract class Socket extends Descriptor {

  /** One system call: bytes read, 0 for "none now", -1 for the end. */
  def read(bytes: Array[Byte], from: Int, count: Int): Int

  /** One system call (on the JVM one for each 64 KiB): bytes taken, 0 to `count`. */
  def write(bytes: Array[Byte], from: Int, count: Int): Int

  /** After the readiness it awaits; throws what the connection failed with. */
  def finishConnect(): Boolean

  /** The readiness by which connecting goes on: to write, or for TLS either. */
  def awaits: Int = Interest.Write

  /** Is it secured by TLS? */
  def isSecure: Boolean = false

  /** Is there input here that no readiness will tell of? With TLS only. */
  def holdsInput: Boolean = false

  /** Bytes that it holds of what has come, as they are no whole record of TLS yet or found no room. */
  def heldBytes: Int = 0

  /** Is TLS's handshake not over yet? */
  def isShakingHands: Boolean = false

  /**
   * Has it something of its own to send that the kernel has not taken? Then it reads nothing until `sendOwed`, or a
   * write, has sent it. With TLS only.
   */
  def owesOutput: Boolean = false

  /** One system call: sends what it can of that. */
  def sendOwed(): Unit = ()

  /** Sends the end of the stream; with TLS as far as the kernel takes it now, the rest is owed. */
  def shutdownOutput(): Unit

  /** SO_LINGER 0: closing drops what is queued and sends RST. */
  def resetOnClose(): Unit

  def configure(options: ConnectionOptions): Unit

  /**
   * SO_KEEPALIVE: has the kernel ask a peer that was silent for so long whether it is there, and give up after three
   * questions without an answer, a third of that time apart. Does nothing where the protocol has no such thing.
   */
  def probeWhenSilent(idleSeconds: Int): Unit = ()

  /** As AddressText renders it, a Unix path, or "" when there is none. */
  def remoteAddress: String
  def localAddress: String
}

private[needletail] abstract class ListenSocket extends Descriptor {

  /**
   * Null when there is none now; skips connections that died in the queue; an IOException means that descriptors or
   * memory are short.
   */
  def accept(): Socket

  /** The real one; 0 for a Unix socket. */
  def port: Int
  def localAddress: String
}

/** Level-triggered readiness; one thread's own but for `wakeUp`. */
private[needletail] abstract class Poller {

  /** What it stands on, for who asks. */
  def name: String

  /** Begins to watch; for one watched already: replaces source and interest. */
  def register(d: Descriptor, source: Pollable, interest: Int): Unit

  /** A system call at most, none if nothing changes; 0 watches nothing, not even for hang-ups. */
  def setInterest(d: Descriptor, interest: Int): Unit

  /** Before it is closed; events of this turn may still come. */
  def forget(d: Descriptor): Unit

  /**
   * Waits for events, `timeoutMillis` at most (0: does not, -1: without end), then calls `loop.dispatch` for each
   * source that is ready. Errors and hang-ups make it ready at least for all it waits for, so that a read or write
   * tells what happened.
   */
  def poll(timeoutMillis: Int): Unit

  /** From any thread: the present or next poll returns at once. */
  def wakeUp(): Unit
  def foreach(f: Pollable => Unit): Unit
  def close(): Unit
}

/** What a [[Pollable]] waits for and is ready for. */
private[needletail] object Interest {
  // The values that both epoll and java.nio have, which saves translating them.
  final val None  = 0
  final val Read  = 1 // or accept
  final val Write = 4 // or connect
}

/** What can fail with an exception that its owner must hear of; see `EventLoop.survive`. */
private[needletail] trait Fallible {

  /** What was called here threw `cause`, which has been reported. */
  private[needletail] def failed(cause: Throwable): Unit
}

/** What a Poller watches a descriptor for. */
private[needletail] trait Pollable extends Fallible {

  /** Ready for the bits of [[Interest]] set in `ready`; may come once more in the turn in which it was forgotten. */
  private[needletail] def onReady(ready: Int): Unit

  /** The loop ends: give back all descriptors. */
  private[needletail] def onLoopEnd(): Unit
}
