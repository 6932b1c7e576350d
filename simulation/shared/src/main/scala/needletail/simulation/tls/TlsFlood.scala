package needletail.simulation.tls

import needletail.simulation.service.Service
import needletail.simulation.world.{Endpoint, World}

/**
 * A client that asks for new keys, or another handshake, again and again. It may read nothing meanwhile.
 *
 * @param room       how many bytes the network takes for it
 * @param mayDiscard whether the server may have begun to end the connection: then it reads on for a while, and discards
 *   what it reads
 */
final class TlsFlood(
    world: World,
    end: Endpoint,
    line: TlsPeerConnection,
    kind: TlsFlood.Kind,
    room: Int,
    mayDiscard: () => Boolean
) {
  import TlsFlood._

  private var left    = kind.rounds
  private var isBegun = false
  private val scratch = new Array[Byte](16384)
  private val data    = new Array[Byte](kind.data)
  private val giveUp  = world.now + Patience

  var isOver = false

  line.onChange = () => act()
  world.at(giveUp)(over())

  private def act(): Unit = if (!isOver) {
    if (line.engine.isSecured && !isBegun) {
      isBegun = true
      if (kind.data > 0) {
        val head =
          s"POST /echo HTTP/1.1\r\nHost: a\r\nX-Size: 0\r\nContent-Length: ${kind.data * kind.rounds}\r\n\r\n"
        line.put(Service.ascii(head), 0, head.length)
      }
    }
    while (isBegun && left > 0 && line.canWrite) {
      left -= 1
      line.beginAnew()
      if (kind.data > 0) line.put(data, 0, data.length)
    }
    if (
      isBegun && left == 0 && kind.data == 0 && kind.rounds > 1 && !isAwaited && world.faults.stalls + world.faults.preempted == 0
    ) {
      isAwaited = true
      expectEnd()
    }
    if (kind.reads) while (line.hasInput && line.take(scratch, 0, scratch.length) > 0) ()
    check()
    if (hasEnded) over()
  }

  private def hasEnded = end.isReset || end.hasEndArrived

  private def check(): Unit =
    if (
      kind.data > 0 && !kind.reads && room <= SmallRoom && end.takenByPeer > Most && !isFound && !mayDiscard()
    ) {
      isFound = true
      world.found(
        s"a client that does not read has had ${end.takenByPeer} bytes of requests for new keys read"
      )
    }
  private var isFound = false

  private def over(): Unit = if (!isOver) {
    isOver = true
    line.abort()
  }

  /**
   * When all of the flood is read, the connection must have ended, unless the network takes no more of the answers: the
   * server waits for that, and may have the rest of the flood in its buffer.
   */
  private def expectEnd(): Unit = if (!isOver) {
    if (hasEnded) over()
    else if (end.peer.unread == 0 && hasAllArrived && !end.isSilent && end.peer.canWrite)
      world.found(s"a flood of ${kind.rounds} requests for new keys has not ended its connection")
    else {
      hasAllArrived = end.peer.unread == 0
      world.after(SoonNanos)(expectEnd())
    }
  }
  private var isAwaited     = false
  private var hasAllArrived = false // a while ago

  /** Whether it has been told that it may not begin another handshake, or cannot know. */
  def isRefused: Boolean =
    !isBegun || left > 0 || end.isReset || end.isSilent || line.engine.failure != null
}

object TlsFlood {
  final case class Kind(rounds: Int, data: Int, reads: Boolean)

  /** Requests for new keys alone. */
  def keys(reads: Boolean): Kind = Kind(100, 0, reads)

  /** Requests for new keys, each with a piece of a request, from a client that reads nothing. */
  val mixed: Kind = Kind(600, 1200, reads = false)

  /** One more handshake, with TLS 1.2. */
  val handshake: Kind = Kind(1, 0, reads = true)

  /**
   * In this time a loop that has been given bytes acts on them, unless it is kept from running; and what a client that is
   * refused still sends has been read for as long as `lingerTimeout`.
   */
  private final val SoonNanos = 2500L * 1000 * 1000

  private final val Patience = 100L * 1000 * 1000 * 1000

  /** The most that the network takes for a client, in bytes, where `Most` holds. */
  private final val SmallRoom = 4096

  /**
   * Encrypted bytes that may be read of `mixed`: the server reads until the network takes no more of its answers, one of
   * 27 bytes to each request. So it has seen at most 152 requests of 27 bytes, each with 1,222 bytes of data; besides it
   * has read the handshake, the head, and as much as its buffer has room for.
   */
  private final val Most = 153 * (27 + 1222) + 10000 + 65536
}
