package needletail.io.platform

import needletail.async.Loop
import needletail.io.dns.DnsResolver

import java.io.IOException
import java.net.InetAddress
import java.util.concurrent.{CountDownLatch, Executor}

/*
 * What a platform implements: Platform, Poller, Socket and ListenSocket, and besides them
 *
 *   abstract class Descriptor             something that the kernel knows by a number and a Poller can watch; it has
 *                                         the fields in which the platform's Poller keeps what it knows of it
 *     def close(): Unit                   throws nothing; may be repeated
 *     var interest: Int                   what a Poller watches it for; set by the Poller
 *   class DiskFile extends Closeable      an open file; for several threads, one of which closes it after the others
 *     def size(): Long                    bytes; -1 if that is not known
 *     def read(position: Long, bytes: Array[Byte], from: Int, count: Int): Int
 *                                         bytes read, 0 at the end; blocks
 *     def fetch(position: Long, count: Int): Int
 *                                         blocks until that part is in the system's memory, so that Socket.send need
 *                                         not wait for the disk; returns how many bytes of it are
 *   object DiskFile
 *     def open(path: Path): DiskFile      for reading; blocks
 *   object SystemPlatform extends Platform
 *                                         the one of a running program. The simulation is another one, in memory
 *   trait TlsPlatform                     the platform's part of the object Tls
 *     val isKnown: Boolean                whether there is TLS on this platform
 *     def load(config: TlsServerConfig): TlsServerContext
 *     def load(config: TlsClientConfig): TlsClientContext
 *                                         reads the files of a configuration; blocks; see TlsContext.scala
 *   object NameService
 *     def lookUp(host: String): Array[InetAddress]
 *                                         the addresses of a name, at least one, in the system's order; an IP address
 *                                         stands for itself. Blocks for a name; throws UnknownHostException
 *   object Heap
 *     def limit: Long                     the collector's limit, in bytes
 *   object Signals                        public, see there
 *
 * Everything else in this package is portable; these classes are the only ones that call the operating system, and
 * they decide nothing. They know of the portable code only what the abstract classes name, the options, and
 * PlatformLoop. Calls that fail throw java.io.IOException, and leave no descriptor behind. None of them blocks, except
 * Poller.poll and where it is said.
 */

/** What event loops are built on: sockets, readiness, time, threads and names. */
private[needletail] abstract class Platform {

  /** A poller of that kind, or the platform's default; it dispatches to `loop`. */
  def openPoller(loop: PlatformLoop, kind: PollerKind): Poller

  /** Begins to connect, from the local address `source`; from any if it is null. */
  def connectTcp(ip: InetAddress, port: Int, source: InetAddress): Socket
  def connectUnix(path: String): Socket

  /** `ip` null: all addresses, IPv6 and IPv4 where the system has both. */
  def listenTcp(ip: InetAddress, port: Int, options: ListenOptions): ListenSocket
  def listenUnix(path: String, options: ListenOptions): ListenSocket

  /** A listening descriptor that the program was started with. Throws IOException if it does not listen. */
  def inherited(descriptor: Int): ListenSocket
  def listens(descriptor: Int): Boolean

  /**
   * Calls `f` on `loop`: at once if no lookup is needed, otherwise when it is done. What it returns is run, on `loop`, if
   * `f` does not wait any more; `f` may be called even so. To be called on `loop`.
   */
  def resolve(host: String, loop: Loop)(f: Either[IOException, Array[InetAddress]] => Unit): Runnable =
    DnsResolver.system.resolve(host, loop)(f)

  /**
   * Raises the process's limit of descriptors to `wanted`, if it is lower and may be raised. Returns the limit;
   * Int.MaxValue if it is unknown.
   */
  def allowDescriptors(wanted: Int): Int = Int.MaxValue

  /** The number of descriptors that this process has open; 0 if unknown. */
  def openDescriptors: Int = 0

  /** Nanoseconds of a monotonic clock with an arbitrary origin. */
  def nanoTime(): Long = System.nanoTime()

  /** The same clock, for a loop that is about to wait. The simulation lets no time pass by reading it. */
  def nanoTimeBeforeWait(): Long = nanoTime()

  /** Processor time of the calling thread in nanoseconds; -1 if unknown. */
  def processorNanos(): Long = -1

  /**
   * How often the calling thread has given up the processor by itself, to wait for something; -1 if unknown. Not while it
   * only wants to run and others do.
   */
  def waits(): Long = -1

  /**
   * For how many nanoseconds the calling thread has wanted to run while others did; -1 if unknown. What this needs is
   * released when the poller of the thread's loop is closed. For platforms that do not know `waits`.
   */
  def delayNanos(): Long = -1

  /** Milliseconds since 1970. */
  def currentTimeMillis(): Long = System.currentTimeMillis()

  /** A source of random numbers, for delays that must differ. */
  def newRandom(): java.util.Random = new java.util.Random

  /** Starts the turns of `loop`: on a thread of its own, unless the platform runs them itself. */
  def start(loop: PlatformLoop): Unit = loop.startThread()

  /** Where the loops' blocking work runs, and handshakes are computed; null for the shared threads. */
  def blocking: Executor = null

  /** Blocks the calling thread, which is no loop's, until `done` is open. The simulation runs everything else meanwhile. */
  def block(done: CountDownLatch): Unit = done.await()
}
