package needletail.simulation

import java.io.IOException
import scala.collection.mutable

/** The wires of a world: who listens where, and what is under way between two ends. */
final class Network(world: World) {
  private val listeners = mutable.Map.empty[Int, Listening]
  private var lastPort  = 40000
  private var lastName  = 0

  /** Sockets and listeners that somebody on a loop has open. */
  var descriptors = 0

  /** How many there may be: beyond that nothing is accepted. */
  var mostDescriptors = Int.MaxValue

  def listen(port: Int, listening: Listening): Int = {
    val chosen = if (port == 0) { lastPort += 1; lastPort }
    else port
    if (listeners.contains(chosen)) throw new IOException("Address already in use")
    listeners(chosen) = listening
    chosen
  }

  def unlisten(port: Int): Unit = { listeners.remove(port); () }

  def newName(): String = { lastName += 1; s"10.0.${lastName / 250}.${1 + lastName % 250}:5000" }

  /** Two ends of a new connection, the client's and the server's; nobody has been told of it. */
  def pair(): (End, End) = {
    val size = world.dice.pick(Seq(300, 4096, 65536, 262144))
    val a    = new End(world, newName(), size)
    val b    = new End(world, s"10.9.9.9:80", world.dice.pick(Seq(700, 16384, 262144)))
    a.peer = b
    b.peer = a
    a.index = lastName
    b.index = lastName
    (a, b)
  }

  /** Connects to `port`: the client's end, which is connected at once or never, or null where nobody listens. */
  def connect(port: Int): End = listeners.get(port) match {
    case None            => null
    case Some(listening) =>
      val (mine, theirs) = pair()
      listening.arrived(theirs)
      mine
  }
}

/** Whoever listens on a port: told of each new end. */
trait Listening {
  def arrived(end: End): Unit
}

/**
 * One end of a connection, as a kernel has it: what has come and was not read, whether more may be sent, and how it
 * ended. Used by sockets on loops and by peers that have none.
 */
final class End(world: World, val name: String, capacity: Int) {
  var peer: End  = null
  var index: Int = 0

  /** Called when something has changed that a peer without a loop may want to see. */
  var onChange: () => Unit = () => ()

  // What has been sent to this end: `sent` bytes in the buffer, the first `here` of which have come.
  private var buffer = new Array[Byte](256)
  private var first  = 0
  private var sent   = 0
  private var here   = 0
  private var busyTo = 0L // when the last bytes on the way arrive: they don't overtake one another

  private var endSent = false // the peer has ended its output
  private var endHere = false

  var isReset  = false // by a RST of the peer, or of both by the network
  var isClosed = false // on this side
  var isSilent = false // what is sent to this end never arrives, nor does it say so

  def hasInput: Boolean = here > 0
  def hasEnd: Boolean   = endHere && here == 0
  def canRead: Boolean  = here > 0 || endHere || isReset

  /** As Linux has it: when a third of the buffer is free, though less would be taken. */
  def canWrite: Boolean = isReset || peer.isRoomy

  /** Bytes that have come or are on their way. */
  def unread: Int = sent

  /** How many bytes of what was sent to this end its owner has taken. */
  var taken = 0L

  private def room: Int        = capacity - sent
  private def isRoomy: Boolean = 3L * room >= capacity

  private def latency: Long = if (world.dice.chance(50)) 0 else world.dice.longBetween(1000, 3000000)

  /** Takes up to `count` bytes that have come. */
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

  /** Sends what there is room for to the peer. */
  def put(bytes: Array[Byte], from: Int, count: Int): Int = {
    val n = math.min(count, peer.room)
    if (n > 0) {
      world.trace.bytes(bytes, from, n)
      peer.receive(bytes, from, n)
    }
    n
  }

  private def receive(bytes: Array[Byte], from: Int, count: Int): Unit = if (isClosed) {
    if (!isSilent) world.after(latency)(peer.reset("it was sent to a closed end")) // the kernel answers so
  } else {
    if (sent + count > buffer.length) grow(sent + count)
    var i = 0
    while (i < count) {
      buffer((first + sent + i) % buffer.length) = bytes(from + i)
      i += 1
    }
    sent += count
    if (!isSilent) onItsWay { here += count }
  }

  private def onItsWay(arrival: => Unit): Unit = {
    val at = math.max(busyTo, world.now + latency)
    busyTo = at
    if (at <= world.now) { arrival; onChange() }
    else
      world.at(at) {
        if (!isReset && !isClosed) { arrival; onChange() }
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

  /** No more will be sent from here. */
  def endOutput(): Unit = if (!peer.endSent) {
    peer.endSent = true
    if (!peer.isSilent) peer.onItsWay { peer.endHere = true }
  }

  /** Closes this end: orderly, unless what has come was not read, which the kernel answers with a reset. */
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

  /** A reset arrives; what has come and was not read may go with it. */
  def reset(why: => String): Unit = if (!isReset && !isClosed) {
    world.trace.say(world, s"connection $index: $name is reset, $why")
    isReset = true
    if (world.dice.chance(50)) { sent = 0; here = 0 }
    else sent = here
    onChange()
  }

  /** The network itself breaks the connection, on both sides. */
  def break(): Unit = {
    reset("by the network")
    peer.reset("by the network")
  }

  /** Nothing arrives any more, on neither side, and nobody is told. */
  def silence(): Unit = {
    world.trace.say(world, s"connection $index falls silent")
    isSilent = true
    peer.isSilent = true
  }
}
