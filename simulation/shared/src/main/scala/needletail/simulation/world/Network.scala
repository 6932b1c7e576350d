package needletail.simulation.world

import java.io.IOException
import scala.collection.mutable

/** The simulated network: listeners, and data in transit between two ends. */
final class Network(world: World) {
  private val listeners = mutable.Map.empty[Int, Listening]
  private var lastPort  = 40000
  private var lastName  = 0

  /** Open sockets and listeners of loops. */
  var descriptors = 0

  /** Their maximum: beyond that nothing is accepted. */
  var mostDescriptors = Int.MaxValue

  /** Whether sockets of loops know what their peers have read, as natively on Linux. */
  var tellsUnacknowledged = false

  def listen(port: Int, listening: Listening): Int = {
    val chosen = if (port == 0) { lastPort += 1; lastPort }
    else port
    if (listeners.contains(chosen)) throw new IOException("Address already in use")
    listeners(chosen) = listening
    chosen
  }

  def unlisten(port: Int): Unit = { listeners.remove(port); () }

  def newName(): String = { lastName += 1; s"10.0.${lastName / 250}.${1 + lastName % 250}:5000" }

  /** Called for each connection that a loop opens, by port and its end. */
  var onConnect: (Int, Endpoint) => Unit = (_, _) => ()

  /** Two ends of a new connection, the client's and the server's; neither has been notified. */
  def pair(): (Endpoint, Endpoint) = {
    val size = world.random.pick(Seq(300, 4096, 65536, 262144))
    val a    = new Endpoint(world, newName(), size)
    val b    = new Endpoint(world, s"10.9.9.9:80", world.random.pick(Seq(700, 16384, 262144)))
    a.peer = b
    b.peer = a
    a.index = lastName
    b.index = lastName
    (a, b)
  }

  /**
   * Connects to `port`. Returns the client's end, which is connected at once or never, or null if nothing listens
   * there.
   */
  def connect(port: Int): Endpoint = listeners.get(port) match {
    case None            => null
    case Some(listening) =>
      val (mine, theirs) = pair()
      listening.arrived(theirs)
      mine
  }
}

/** A listener on a port: notified of each new end. */
trait Listening {
  def arrived(end: Endpoint): Unit
}

/**
 * One end of a connection, as in a kernel: unread data, room for output, and how it ended. Used by sockets on loops
 * and by peers without a loop.
 */
final class Endpoint(world: World, val name: String, val capacity: Int) extends PeerConnection {
  var peer: Endpoint = null
  var index: Int     = 0

  /** Called with what this end sends. */
  var onSent: (Array[Byte], Int, Int) => Unit = null

  /** Called when something has changed that a peer without a loop may react to. */
  var onChange: () => Unit = () => ()

  // Data sent to this end: `sent` bytes in the buffer, the first `here` of which have arrived.
  private var buffer = new Array[Byte](256)
  private var first  = 0
  private var sent   = 0
  private var here   = 0
  private var busyTo = 0L // when the last bytes in transit arrive: they stay in order

  private var endSent = false // the peer has ended its output
  private var endHere = false

  var isReset  = false // by a RST of the peer, or of both by the network
  var isClosed = false // on this side
  var isSilent = false // data sent to this end never arrives, without notice

  /** Bytes that arrive here before the connection falls silent. */
  var audible = Long.MaxValue

  def hasInput: Boolean = here > 0
  def hasEnd: Boolean   = endHere && here == 0

  /** Whether the other side has ended its output, be it that some of it has not been taken. */
  def hasEndArrived: Boolean = endHere

  def canRead: Boolean = here > 0 || endHere || isReset

  /** As in Linux: when a third of the buffer is free, though less would be taken. */
  def canWrite: Boolean = isReset || peer.isRoomy

  /** Bytes that have arrived or are in transit. */
  def unread: Int = sent

  /** Bytes sent to this end that its owner has read. */
  var taken = 0L

  def takenByPeer: Long = peer.taken

  private def room: Int        = capacity - sent
  private def isRoomy: Boolean = 3L * room >= capacity && room >= step

  /** How much room the peer's kernel must have to take anything: in Linux, what it sends at once. */
  var step = 1

  private def latency: Long = if (world.random.percent(50)) 0 else world.random.longBetween(1000, 3000000)

  /** Reads up to `count` bytes that have arrived. */
  def take(bytes: Array[Byte], from: Int, count: Int): Int = {
    val n = math.min(count, here)
    var i = 0
    while (i < n) {
      bytes(from + i) = buffer((first + i) % buffer.length)
      i += 1
    }
    val wasFull = !isRoomy
    taken += n
    first = (first + n) % buffer.length
    sent -= n
    here -= n
    if (wasFull && isRoomy) peer.onChange()
    n
  }

  /** Sends to the peer as much as there is room for. */
  def put(bytes: Array[Byte], from: Int, count: Int): Int = {
    val n = if (peer.room < peer.step) 0 else math.min(count, peer.room)
    if (n > 0) {
      world.trace.bytes(bytes, from, n)
      if (onSent != null) onSent(bytes, from, n)
      peer.receive(bytes, from, n)
    }
    n
  }

  // What is sent to an end that has fallen silent, closed or not, stays in the sender's kernel.
  private def receive(bytes: Array[Byte], from: Int, count: Int): Unit = if (isClosed && audible > 0) {
    if (!isSilent) world.after(latency)(peer.reset("it was sent to a closed end")) // as a kernel does
  } else {
    if (sent + count > buffer.length) grow(sent + count)
    var i = 0
    while (i < count) {
      buffer((first + sent + i) % buffer.length) = bytes(from + i)
      i += 1
    }
    sent += count
    if (!isSilent) {
      val heard = math.min(count.toLong, audible).toInt
      audible -= heard
      onItsWay { here += heard }
      if (audible == 0) silence()
    }
  }

  private var onWay = 0 // arrivals that are to come

  private def onItsWay(arrival: => Unit): Unit = {
    val at = math.max(busyTo, world.now + latency)
    busyTo = at
    // what is due at this very time comes first
    if (at <= world.now && onWay == 0) { arrival; onChange() }
    else {
      onWay += 1
      world.at(at) {
        onWay -= 1
        if (!isReset && !isClosed) { arrival; onChange() }
      }
    }
  }

  private def grow(atLeast: Int): Unit = {
    val larger = new Array[Byte](math.max(atLeast, 2 * buffer.length))
    var i      = 0
    while (i < sent) {
      larger(i) = buffer((first + i) % buffer.length)
      i += 1
    }
    buffer = larger
    first = 0
  }

  /** Ends the output of this end. */
  def endOutput(): Unit = if (!peer.endSent) {
    peer.endSent = true
    if (!peer.isSilent) peer.onItsWay { peer.endHere = true }
  }

  /** Closes this end: orderly, unless there is unread data, which makes a kernel send a reset. */
  def close(): Unit = if (!isClosed) {
    isClosed = true
    if (!isReset) { if (sent > 0) tellReset() else endOutput() }
  }

  /** Closes this end with a reset. */
  def abort(): Unit = if (!isClosed) {
    isClosed = true
    if (!isReset) tellReset()
  }

  private def tellReset(): Unit = if (!peer.isSilent) world.after(latency)(peer.reset("by the other side"))

  /** A reset arrives; unread data may be lost. */
  def reset(why: => String): Unit = if (!isReset && !isClosed) {
    world.trace.say(world, s"connection $index: $name is reset, $why")
    isReset = true
    if (world.random.percent(50)) { sent = 0; here = 0 }
    else sent = here
    onChange()
  }

  /** The network breaks the connection on both sides. */
  def break(): Unit = {
    reset("by the network")
    peer.reset("by the network")
  }

  /** Nothing arrives any more, at neither side, without notice. */
  def silence(): Unit = {
    world.trace.say(world, s"connection $index falls silent")
    isSilent = true
    peer.isSilent = true
  }
}
