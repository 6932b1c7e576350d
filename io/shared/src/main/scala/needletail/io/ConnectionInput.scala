package needletail.io

import java.io.IOException

import needletail.io.loop.ReadArrays
import needletail.io.platform.{ConnectionOptions, Fallible, Interest, Socket}
import needletail.io.tls.PlainPeer

/**
 * The input side of a [[Connection]]: reads, calls the handler, keeps what it leaves, pauses and resumes. Used on the
 * connection's loop.
 */
private[io] final class ConnectionInput(connection: Connection) extends HandshakeTurns.Member {
  import ConnectionInput.*

  // Leftover bytes: the first `kept` bytes of this array; null if there are none.
  private var leftover: Array[Byte]  = null
  private var kept                   = 0
  private var paused                 = false
  private var inOnData               = false
  private var redelivery: Redelivery = null  // scheduled by resumeReading for the end of the turn
  private var readsOn                = false // a further read is scheduled for it
  private var ended                  = false // the end has been read
  private var endTold                = false // onEnd was called
  private var undecrypted            = 0     // bytes that TLS holds, as counted in the loop's memory
  private var expected               = 0     // see Connection.expectInput
  private var total                  = 0L
  private var filled                 = false // the last read took as much as there was room for
  var readsLittle                    = false // see Connection.readLittle
  var along: AnyRef                  = null  // see Connection.usesAlong

  private def loop: EventLoop            = connection.loop
  private def socket: Socket             = connection.socket
  private def options: ConnectionOptions = connection.options

  /** Bytes read so far. */
  def bytesRead: Long = total

  /** Whether the end of the stream has been read. */
  def isEnded: Boolean = ended

  /** Whether the handler has been told of it, after all bytes. */
  def isEndTold: Boolean = endTold

  def isPaused: Boolean = paused

  private def redeliver: Boolean = redelivery ne null

  /** The length of the array that holds bytes the handler has not used yet. */
  def unusedBytes: Int = if (leftover eq null) 0 else leftover.length

  /** Bytes that TLS has not decrypted or not passed on. */
  def undecryptedBytes: Int = undecrypted

  private def countUndecrypted(now: Int): Unit = if (now != undecrypted) {
    loop.memory.add((now - undecrypted).toLong)
    undecrypted = now
  }

  /** The socket is ready for reading, and the connection is open. */
  def onReady(): Unit =
    if (paused) connection.want(socket.interest & ~Interest.Read)
    else if (!ended) if (socket.computesHandshake) loop.handshakes.add(this) else receive()

  /** See `Connection.pauseReading`. */
  def pause(): Unit = paused = true

  /** See `Connection.resumeReading`. */
  def resume(): Unit =
    if (paused) {
      paused = false
      if (connection.isOpen) {
        if (inOnData || (leftover ne null) || (ended && !endTold)) {
          if (!redeliver) {
            val scheduled = new Redelivery(this)
            loop.endOfTurn(scheduled)
            redelivery = scheduled
          }
        } else if (!ended) {
          connection.want(socket.interest | Interest.Read)
          readOn()
        }
      }
    }

  private def receive(): Unit = {
    val held = kept
    val wide = expected > options.maxLeftover && mayReadWide
    val most = if (wide) math.min(expected, ReadArrays.Wide) else options.maxLeftover
    val room = if (readsLittle) math.min(most - held, Little) else most - held
    if (room <= 0) {
      // the handler has left these bytes, unless it has just resumed: then it gets them next
      if (!redeliver) paused = true
      connection.want(socket.interest & ~Interest.Read)
    } else {
      socket.fetch(connection.handler, along, connection.timer)
      val bytes = if (wide) loop.reads.wide else loop.reads.ofSize(most)
      val size  = math.min(room, bytes.length - held)
      val n     = read(bytes, held, size)
      filled = n == size
      if (n > 0) {
        expected = 0
        if (held > 0) System.arraycopy(leftover, 0, bytes, 0, held)
        if (loop.handshakes.isComputing) loop.handshakes.aside(() => deliver(bytes, held + n))
        else deliver(bytes, held + n)
        readOn()
      } else if (n == EndOfInput) {
        end()
        if (!redeliver) tellEnd()                             // otherwise after the leftover bytes
      } else if (connection.isBroken) connection.finish(null) // nothing more will come
      else readOn()
    }
  }

  /** See `Connection.expectInput`. */
  def expect(n: Int): Unit = expected = n

  /** TLS decrypts from a buffer of the usual size; and what is read may have to be kept when the peer does not read. */
  private def mayReadWide: Boolean =
    options.maxLeftover < ReadArrays.Wide && !socket.isSecure && !loop.memory.isTight

  /** One read. Returns bytes, 0 for none, or EndOfInput; an error closes the connection and counts as none. */
  def read(bytes: Array[Byte], from: Int, count: Int): Int =
    try {
      val n = socket.tryRead(bytes, from, count)
      if (n < EndOfInput) {
        readFailed(socket.failureOf(n))
        0
      } else {
        if (n > 0) total += n
        if (socket.isSecure) followTls()
        n
      }
    } catch {
      case e: IOException =>
        readFailed(e)
        0
    }

  private def readFailed(why: IOException): Unit = why match {
    case plain: PlainPeer =>
      connection.refuse(plain, plain.answer)
      followTls()
    case _ =>
      if (connection.isOpen && socket.tellsFailure()) connection.refuse(why, null) else connection.finish(why)
  }

  /** What TLS permits may have changed: after the handshake what was written before can be sent. */
  def followTls(): Unit = {
    connection.want(if (connection.isBackedUp) socket.interest | Interest.Write else socket.interest)
    if (!connection.isClosed) countUndecrypted(socket.heldBytes)
  }

  /** Called when the end of the stream has been read. */
  def end(): Unit = {
    ended = true
    connection.want(socket.interest & ~Interest.Read)
  }

  /** Reads input held by the socket itself, for which readiness is not reported again. */
  def readOn(): Unit =
    if (socket.holdsInput && connection.isOpen && !paused) readAtEndOfTurn()

  def readAtEndOfTurn(): Unit =
    if (socket.computesHandshake) loop.handshakes.add(this)
    else if (!readsOn) { // each read that leaves something asks for another
      loop.endOfTurn(new FurtherRead(this))
      readsOn = true
    }

  private def readFurther(): Unit = {
    readsOn = false
    readMore()
  }

  def compute(): Unit = if ((connection.timer eq null) || !connection.timer.closesUnanswered()) {
    readMore()
    if (connection.timer ne null) connection.timer.turnOver()
  }
  override def isFresh: Boolean   = socket.isSilent || socket.awaitedRecord == 0
  override def isTooLate: Boolean = (connection.timer ne null) && connection.timer.isUnansweredTooLong
  override def refuse(): Unit     = connection.refuseHandshake()
  private[needletail] def failed(e: Throwable): Unit = connection.failed(e)

  /** Passes on now what is to be passed on at the end of the turn, and reads, whatever readiness was reported. */
  def readNow(): Unit = {
    if (redeliver) deliverAgain(redelivery)
    readMore()
  }

  private def readMore(): Unit = if (connection.isOpen && !paused && !ended && !redeliver) receive()

  /**
   * See `Connection.isQuiet`. Not by the loop's array, which holds the input of the connection whose turn it is. Within
   * `onData` the handler has the leftover bytes.
   */
  def isQuiet: Boolean = {
    val hasAll = !ended && (inOnData || (leftover eq null)) && !socket.holdsInput
    hasAll && read(probe, 0, 1) == 0 && connection.isOpen
  }

  /** See `Connection.mayHoldMore`. */
  def mayHoldMore: Boolean = filled || socket.isSecure

  /** Passes on the bytes before `until`; the first `kept` of them are already the leftover. */
  private def deliver(bytes: Array[Byte], until: Int): Unit = {
    redelivery = null // what was scheduled is not needed any more
    inOnData = true
    val used =
      try connection.handler.onData(bytes, 0, until)
      finally inOnData = false
    if (used < 0 || used > until) throw new IllegalStateException(s"onData returned $used, not 0 to $until")
    if (connection.isOpen && (used < until || (leftover ne null))) keep(bytes, used, until)
  }

  @noinline private def keep(bytes: Array[Byte], from: Int, until: Int): Unit = {
    val rest = until - from
    if (rest == 0) {
      leave(null)
      kept = 0
    } else {
      // If nothing was used, the beginning is in place.
      val inPlace = if (from == 0) kept else 0
      if ((leftover eq null) || leftover.length < rest || leftover.length > Shrink * rest) {
        // As big as needed at first; if that was too small, with room to grow up to the bound.
        val size  = if (leftover eq null) rest else math.max(rest, math.min(2 * rest, options.maxLeftover))
        val grown = new Array[Byte](if (rest < kept) rest else size)
        if (inPlace > 0) System.arraycopy(leftover, 0, grown, 0, inPlace)
        leave(grown)
      }
      System.arraycopy(bytes, from + inPlace, leftover, inPlace, rest - inPlace)
      kept = rest
    }
  }

  private def leave(array: Array[Byte]): Unit = if (array ne leftover) {
    val before = unusedBytes
    leftover = array
    loop.memory.add((unusedBytes - before).toLong)
  }

  /** Not if a delivery came before it, which may have scheduled another one: else there would be ever more in a turn. */
  private def deliverAgain(scheduled: Redelivery): Unit =
    if ((redelivery eq scheduled) && connection.isOpen) {
      redelivery = null
      if (!paused) {
        // The array is ours: the handler must not keep it, and keepInput ignores it.
        if (leftover ne null) deliver(leftover, kept)
        if (connection.isOpen && !paused && !redeliver) {
          if (ended) tellEnd()
          else {
            connection.want(socket.interest | Interest.Read)
            readOn()
          }
        }
      }
    }

  private def tellEnd(): Unit =
    if (!endTold) {
      endTold = true
      // after an error the system tells an end also of what was cut off
      if (connection.isBroken) connection.finish(null) else connection.handler.onEnd()
    }

  /** Drops the leftover bytes, as nothing more is passed on. */
  def drop(): Unit = {
    dropUnused()
    redelivery = null
  }

  /** Drops the leftover bytes. What arrives later is passed on. */
  def dropUnused(): Unit = {
    leave(null)
    kept = 0
  }

  /** Releases everything when the connection is closed. */
  def close(): Unit = {
    drop()
    countUndecrypted(0)
  }
}

private[io] object ConnectionInput {
  final val EndOfInput = -1

  /** Bytes that a read takes of what nobody wants yet. */
  private final val Little = 8 * 1024

  /** What `isQuiet` reads into. All loops may, as nobody looks at it. */
  private val probe = new Array[Byte](1)

  /** A leftover array that is this many times too big is replaced. */
  private final val Shrink = 4

  private final class Redelivery(input: ConnectionInput) extends Runnable with Fallible {
    def run(): Unit                                    = input.deliverAgain(this)
    private[needletail] def failed(e: Throwable): Unit = input.failed(e)
  }

  private final class FurtherRead(input: ConnectionInput) extends Runnable with Fallible {
    def run(): Unit                                    = input.readFurther()
    private[needletail] def failed(e: Throwable): Unit = input.failed(e)
  }
}
