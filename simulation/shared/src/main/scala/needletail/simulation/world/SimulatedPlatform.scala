package needletail.simulation.world

import java.io.IOException
import java.net.{InetAddress, UnknownHostException}
import java.util.concurrent.{CountDownLatch, Executor}

import needletail.async.Loop
import needletail.io._
import needletail.io.platform.{
  Descriptor,
  Interest,
  ListenSocket,
  Platform,
  PlatformLoop,
  Pollable,
  Poller,
  Socket
}

/** The platform of a simulation: see `io`'s Platform.scala for the contract of each method. */
private[needletail] final class SimulatedPlatform(world: World) extends Platform {
  private val pollers = new java.util.IdentityHashMap[PlatformLoop, SimulatedPoller]

  def openPoller(loop: PlatformLoop, kind: PollerKind): Poller = {
    val poller = new SimulatedPoller(world, loop)
    pollers.put(loop, poller)
    poller
  }

  def connectTcp(ip: InetAddress, port: Int, source: InetAddress): Socket = {
    val random = world.random
    if (random.percent(world.faults.connectFails))
      random.below(3) match {
        case 0 => throw new IOException("Network is unreachable")
        case 1 => new SimulatedSocket(world, null, random.longBetween(0, 200000000L)) // refused, then
        case _ => new SimulatedSocket(world, null, Long.MaxValue / 4)                 // silence
      }
    else {
      val end = world.network.connect(port)
      if (end != null) world.network.onConnect(port, end)
      val late = if (world.faults.isNone || random.percent(50)) 0L
      else random.longBetween(0, random.pick(Seq(2000000L, 300000000L)))
      new SimulatedSocket(world, end, late)
    }
  }

  def connectUnix(path: String): Socket = throw new IOException("No such file or directory")

  def listenTcp(ip: InetAddress, port: Int, options: ListenOptions): ListenSocket =
    new SimulatedListenSocket(world, port)
  def listenUnix(path: String, options: ListenOptions): ListenSocket =
    throw new IOException("this world has no files")

  def inherited(descriptor: Int): ListenSocket = throw new IOException("it is not a listening socket")
  def listens(descriptor: Int): Boolean        = false

  override def resolve(host: String, loop: Loop)(
      f: Either[IOException, Array[InetAddress]] => Unit
  ): Runnable = {
    if (host.forall(c => c == '.' || (c >= '0' && c <= '9'))) f(Right(Array(InetAddress.getByName(host))))
    else
      world.after(world.random.longBetween(0, 50000000L)) {
        val found =
          if (world.random.percent(world.faults.connectFails)) Left(new UnknownHostException(host))
          else Right(Array(InetAddress.getByAddress(host, Array[Byte](10, 9, 9, 9))))
        try loop.execute(() => f(found))
        catch { case _: java.util.concurrent.RejectedExecutionException => () } // it has ended
      }
    () => ()
  }

  override def nanoTime(): Long           = world.readClock()
  override def nanoTimeBeforeWait(): Long = world.now
  override def processorNanos(): Long     = world.processorNanos
  override def waits(): Long              = world.waits
  override def delayNanos(): Long         = world.delayNanos
  override def currentTimeMillis(): Long  = 784111777000L + world.now / 1000000

  override def start(loop: PlatformLoop): Unit = {
    val poller = pollers.get(loop)
    world.begin(loop, () => poller)
  }

  override def newRandom(): java.util.Random = new java.util.Random(world.random.next())

  override def blocking: Executor = world.otherThreads

  override def block(done: CountDownLatch): Unit = world.block(done)
}

private[needletail] final class SimulatedPoller(world: World, loop: PlatformLoop) extends Poller {
  private var watched = new Array[SimulatedDescriptor](16)
  private var count   = 0
  private var batch   = new Array[SimulatedDescriptor](16)

  def name: String = "simulation"

  private def indexOf(d: Descriptor): Int = {
    var i = 0
    while (i < count && (watched(i).seenAs ne d)) i += 1
    if (i < count) i else -1
  }

  def register(d: Descriptor, source: Pollable, interest: Int): Unit = {
    val s = (d match {
      case tls: Socket => tls.carrier
      case other       => other
    }).asInstanceOf[SimulatedDescriptor]
    if (s.gone) throw new IOException("Bad file descriptor")
    if (world.random.perMille(world.faults.configFails / 10)) throw new IOException("Cannot allocate memory")
    if (indexOf(d) < 0) {
      if (count == watched.length) watched = java.util.Arrays.copyOf(watched, 2 * count)
      watched(count) = s
      count += 1
    }
    s.watcher = source
    s.seenAs = d
    d.interest = interest
  }

  def setInterest(d: Descriptor, interest: Int): Unit = {
    if (indexOf(d) < 0) world.found(s"interest of a descriptor that is not watched: $d")
    d.interest = interest
  }

  def forget(d: Descriptor): Unit = {
    val i = indexOf(d)
    if (i >= 0) {
      count -= 1
      watched(i) = watched(count)
      watched(count) = null
    }
  }

  /** Whether there is something to report to a loop that waits. */
  def hasReady: Boolean = {
    var i = 0
    while (i < count && (watched(i).readiness & watched(i).seenAs.interest) == 0) i += 1
    i < count
  }

  def poll(timeoutMillis: Int): Unit = {
    // what is ready now, in random order; some of it only the next time, and some that is not ready
    var n = 0
    var i = 0
    if (batch.length < count) batch = new Array[SimulatedDescriptor](watched.length)
    while (i < count) {
      val d     = watched(i)
      val ready = d.readiness & d.seenAs.interest
      val tells =
        if (ready != 0) timeoutMillis != 0 || !world.random.percent(10)
        else d.seenAs.interest != 0 && world.random.perMille(world.faults.spurious)
      if (tells) {
        batch(n) = d
        n += 1
      }
      i += 1
    }
    world.random.shuffle(batch, n)
    i = 0
    while (i < n) {
      val d     = batch(i)
      val bits  = d.readiness & d.seenAs.interest
      val ready = if (bits != 0) bits else d.seenAs.interest
      batch(i) = null
      if (ready != 0) {
        loop.dispatch(d.watcher, ready)
        world.checkMemory(loop, SimulatedPoller.OneAdds)
      }
      i += 1
    }
  }

  def wakeUp(): Unit = world.wakeUp(loop)

  def foreach(f: Pollable => Unit): Unit = java.util.Arrays.copyOf(watched, count).foreach(d => f(d.watcher))

  def close(): Unit = ()
}

private object SimulatedPoller {

  /** Bytes that one connection may add to what is held before memory is reclaimed. */
  final val OneAdds = 128L * 1024
}

/** What a simulated poller keeps for a descriptor. */
private[needletail] trait SimulatedDescriptor {
  def readiness: Int
  def gone: Boolean
  var watcher: Pollable = null

  /** What the loop watches: itself, or the socket that secures it by TLS. */
  var seenAs: Descriptor = null
}

/**
 * A socket of a loop over one end of a connection.
 *
 * @param end null for one that will be refused
 * @param connects how many nanoseconds from now it is connected, or refused
 */
private[needletail] final class SimulatedSocket(world: World, end: Endpoint, connects: Long)
    extends Socket
    with SimulatedDescriptor {
  private val connectedAt = world.now + connects
  private var connected   = connects == 0 && (end ne null)
  private var resets      = false

  world.network.descriptors += 1
  if (!connected) world.at(connectedAt)(()) // so that time advances to it

  var gone = false

  def readiness: Int =
    if (gone) 0
    else if (!connected) { if (world.now >= connectedAt) Interest.Write else 0 }
    else (if (end.canRead) Interest.Read else 0) | (if (end.canWrite) Interest.Write else 0)

  private def broken(): Unit = {
    if (gone) throw new IOException("Bad file descriptor")
    if (world.random.perMille(world.faults.resets)) end.break()
  }

  private def part(count: Int): Int =
    if (!world.random.percent(world.faults.shortReads)) count
    else if (world.random.percent(50)) world.random.skewed(count)
    else 1 + world.random.below(count)

  def read(bytes: Array[Byte], from: Int, count: Int): Int = {
    broken()
    if (end.hasInput) {
      val n = end.take(bytes, from, part(count))
      world.trace.say(world, s"connection ${end.index}: read $n bytes")
      n
    } else if (end.isReset) throw new IOException("Connection reset by peer")
    else if (end.hasEnd) -1
    else 0
  }

  def write(bytes: Array[Byte], from: Int, count: Int): Int = {
    broken()
    if (end.isReset) throw new IOException("Broken pipe")
    val n = end.put(bytes, from, part(count))
    world.trace.say(world, s"connection ${end.index}: wrote $n of $count bytes")
    n
  }

  def finishConnect(): Boolean = {
    if (!connected && world.now >= connectedAt) {
      if (end eq null) throw new IOException("Connection refused")
      connected = true
    }
    connected
  }

  def shutdownOutput(): Unit = {
    if (end.isReset) throw new IOException("Transport endpoint is not connected")
    end.endOutput()
  }

  override def unacknowledged: Int = if (world.network.tellsUnacknowledged) end.peer.unread else -1

  def resetOnClose(): Unit = resets = true

  def configure(options: ConnectionOptions): Unit =
    if (world.random.perMille(world.faults.configFails)) throw new IOException("Invalid argument")

  def remoteAddress: String = if (end eq null) "" else end.peer.name
  def localAddress: String  = if (gone) "" else "10.9.9.9:80"

  override def close(): Unit = if (!gone) {
    gone = true
    world.network.descriptors -= 1
    if (end ne null) {
      world.trace.say(world, s"connection ${end.index}: closed${if (resets) " with a reset" else ""}")
      if (resets) end.abort() else end.close()
    }
  }
}

private[needletail] final class SimulatedListenSocket(world: World, requested: Int)
    extends ListenSocket
    with SimulatedDescriptor {
  private val backlog = new java.util.ArrayDeque[Endpoint]

  val port: Int = world.network.listen(requested, end => { backlog.add(end); () })
  world.network.descriptors += 1

  var gone                 = false
  def readiness: Int       = if (gone || backlog.isEmpty) 0 else Interest.Read
  def localAddress: String = s"10.9.9.9:$port"

  def accept(): Socket =
    if (backlog.isEmpty) null
    else if (world.network.descriptors >= world.network.mostDescriptors)
      throw new IOException("Too many open files")
    else if (world.random.perMille(world.faults.acceptFails)) {
      if (world.random.percent(50)) throw new IOException("Too many open files")
      backlog.poll().break() // it broke in the queue: skipped
      accept()
    } else new SimulatedSocket(world, backlog.poll(), 0)

  override def close(): Unit = if (!gone) {
    gone = true
    world.network.descriptors -= 1
    world.network.unlisten(port)
    while (!backlog.isEmpty) backlog.poll().abort()
  }
}
