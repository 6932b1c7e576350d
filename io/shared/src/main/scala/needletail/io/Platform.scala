package needletail.io

/*
 * What a platform supplies. Everything else in this package is portable; these classes are the only ones that
 * talk to the operating system, and they decide nothing. Calls that fail throw java.io.IOException, and leave no
 * descriptor behind. None of them blocks, except Poller.poll and where it is said.
 *
 *   abstract class Descriptor             something the kernel knows by a number and a Poller can watch
 *     def close(): Unit                   throws nothing; may be repeated
 *     var interest: Int                   what a Poller watches it for; the Poller's to set
 *
 *   class Socket extends Descriptor       a stream, TCP or Unix
 *     def read(bytes: Array[Byte], from: Int, count: Int): Int
 *                                         one system call: octets read, 0 for "none now", -1 for the end
 *     def write(bytes: Array[Byte], from: Int, count: Int): Int
 *                                         one system call (on the JVM one for each 64 KiB): octets taken, 0 to count
 *     def finishConnect(): Boolean        after the readiness it awaits; throws what the connection failed with
 *     def awaits: Int                     the readiness by which connecting goes on: to write, or for TLS either
 *     def isSecure: Boolean               is it secured by TLS?
 *     def holdsInput: Boolean             is there input here that no readiness will tell of? With TLS only
 *     def shutdownOutput(): Unit          sends the end of the stream
 *     def resetOnClose(): Unit            SO_LINGER 0: closing drops what is queued and sends RST
 *     def configure(options: ConnectionOptions): Unit
 *     def remoteAddress, localAddress: String
 *                                         as AddressText renders them, a Unix path, or "" when there is none
 *   object Socket
 *     def connectTcp(ip: InetAddress, port: Int, source: InetAddress): Socket
 *                                         begins to connect, from a local address or, null, from any
 *     def connectUnix(path: String): Socket
 *
 *   final class ListenSocket extends Descriptor
 *     def accept(): Socket                null when there is none now; skips connections that died in the queue;
 *                                         an IOException means that descriptors or memory are short
 *     def port: Int                       the real one; 0 for a Unix socket
 *     def localAddress: String
 *   object ListenSocket
 *     def inherited(descriptor: Int): ListenSocket
 *                                         of those the program was started with; an IOException if it does not listen
 *     def listens(descriptor: Int): Boolean
 *     def tcp(ip: InetAddress, port: Int, options: ListenOptions): ListenSocket
 *                                         ip null: all addresses, IPv6 and IPv4 where the system has both
 *     def unix(path: String, options: ListenOptions): ListenSocket
 *
 *   class Poller                          level-triggered readiness; one thread's own but for wakeUp
 *     def name: String                    what it stands on, for who asks
 *     def register(d: Descriptor, source: Pollable, interest: Int): Unit
 *                                         begins to watch; for one watched already: replaces source and interest
 *     def setInterest(d: Descriptor, interest: Int): Unit
 *                                         a system call at most, none if nothing changes; 0 watches nothing,
 *                                         not even for hang-ups
 *     def forget(d: Descriptor): Unit     before it is closed; events of this turn may still come
 *     def poll(timeoutMillis: Int): Unit  waits (0: does not, -1: without end), then calls loop.dispatch for each
 *                                         source that is ready; errors and hang-ups make it ready at least for all it
 *                                         waits for, so that a read or write tells what happened
 *     def wakeUp(): Unit                  from any thread: the present or next poll returns at once
 *     def foreach(f: Pollable => Unit): Unit
 *     def close(): Unit
 *   object Poller
 *     def open(loop: EventLoop, kind: PollerKind): Poller
 *                                         of that kind, or what the platform has instead
 *
 *   trait TlsPlatform                     what the object Tls has, see there
 *
 *   object NameService
 *     def lookUp(host: String): Array[InetAddress]
 *                                         a name's addresses, at least one, in the system's order; an address written
 *                                         out is itself. Blocks for a name; throws UnknownHostException
 *
 *   object Signals                        public, see there
 */

/** What a [[Pollable]] waits for and is ready for. */
private[io] object Interest {
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
private[io] trait Pollable extends Fallible {

  /** Ready for the bits of [[Interest]] set in `ready`; may come once more in the turn in which it was forgotten. */
  private[io] def onReady(ready: Int): Unit

  /** The loop ends: give back all descriptors. */
  private[io] def onLoopEnd(): Unit
}
