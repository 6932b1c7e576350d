package needletail.simulation.tls

import needletail.simulation.world.{Endpoint, PeerConnection, SeededRandom, World}

/**
 * A peer's end of a connection that is secured by TLS. What the peer sends and reads is plain; what passes over the network
 * is cut into pieces of any size, and anywhere in it something may go wrong.
 *
 * @param patience how many nanoseconds after a handshake has stalled the other side must have ended the connection
 */
final class TlsPeerConnection(
    world: World,
    end: Endpoint,
    val engine: TlsEngine,
    val plan: TlsPeerConnection.Plan,
    patience: Long
) extends PeerConnection {
  import TlsPeerConnection._

  private val scratch = new Array[Byte](16384)
  private var out     = Array.emptyByteArray // encrypted bytes that the network has not taken
  private var sent    = 0                    // encrypted bytes
  private var isDue   = false                // whether it will go on by itself
  private var isGone  = false                // closed on this side
  private var isMute  = false                // sends nothing any more
  private var isOver  = false                // its output is to end when all is sent
  private var isLeaving = false // closed by its peer, when the other side has ended the connection
  private var spoken    = 0     // plain bytes
  private var hasSpoken = false // whether anything but the handshake is sent

  var onChange: () => Unit = () => ()

  /** Whether what was planned to go wrong has gone wrong. */
  var isInjected = false

  /** When the server has closed the connection or broken it, as far as this side knows; Long.MaxValue: not yet. */
  var endedAt = Long.MaxValue

  /** Whether this side has been silenced, so that it does not hear of an end. */
  def isSilent: Boolean = end.isSilent

  /** Whether this side has broken the connection, by fault: whoever uses it is not told. */
  def isBroken: Boolean = isInjected && plan.fault == Reset

  /** Whether the connection has ended orderly on the network, though not within TLS. */
  var isTruncated = false

  /** Whether the server has reset it, before it had said anything of an end. */
  var isCutOff = false

  /** Whether it is closed on this side. */
  def isClosed: Boolean = isGone

  end.onChange = () => look()
  world.after(0)(look())

  /** The network has brought or taken something. */
  private def look(): Unit = if (!isGone) {
    goOn()
    if (isLeaving) awaitEnd() else onChange()
  }

  private def goOn(): Unit = {
    while (!engine.isSecured && engine.failure == null && !isGone && end.hasInput) read()
    flush()
    note()
  }

  private def note(): Unit = if (!isGone) {
    if (endedAt == Long.MaxValue && (end.isReset || end.hasEndArrived)) endedAt = world.now
    if (end.hasEnd && !engine.isEnded && engine.failure == null && !end.isReset) isTruncated = true
    if (end.isReset && !engine.isEnded && engine.failure == null) isCutOff = true
  }

  private def read(): Unit = {
    val n = end.take(scratch, 0, math.min(scratch.length, plan.piece))
    if (n > 0) engine.receive(scratch, n)
  }

  /** The number of records that a client's greeting was sent in. */
  var greetings = 0

  /** What the engine sends now: a client's greeting, which is not encrypted, in records of the planned size. */
  private def produced(): Array[Byte] = {
    val bytes = engine.output()
    if (plan.greeting == Int.MaxValue || greetings > 0 || bytes.length < RecordHead) bytes
    else {
      val pieces = bytes.drop(RecordHead).grouped(plan.greeting).toSeq
      greetings = pieces.size
      pieces.flatMap(piece =>
        bytes.take(3) ++ Array((piece.length >> 8).toByte, piece.length.toByte) ++ piece
      ).toArray
    }
  }

  private def flush(): Unit = {
    val more = produced()
    if (more.length > 0) out = if (out.length == 0) more else out ++ more
    var goesOn = !isDue
    while (goesOn && out.length > 0 && !isGone && !isMute && !end.isReset) {
      val most = math.min(out.length, if (sent < ManyBytes) plan.piece else math.max(plan.piece, 1000))
      val n    = if (sent < plan.at) end.put(out, 0, math.min(most, plan.at - sent)) else inject(most)
      out = java.util.Arrays.copyOfRange(out, n, out.length)
      sent += n
      if (n == 0) goesOn = false
      else if (plan.pace > 0) {
        goesOn = false
        isDue = true
        world.after(plan.pace) {
          isDue = false
          look()
        }
      }
    }
    if (out.length == 0 && isOver && !isGone) end.endOutput()
  }

  /** At the planned place. Returns how many bytes have been sent. */
  private def inject(most: Int): Int = {
    if (!isInjected) {
      world.trace.say(world, s"connection ${end.index}: ${plan.fault} after $sent bytes")
      if (plan.fault == Stall && !hasSpoken) world.after(patience)(expectEnd())
    }
    isInjected = true
    plan.fault match {
      case Cut =>
        end.endOutput()
        isMute = true
        0
      case Reset =>
        leave()
        end.abort()
        0
      case Silence =>
        end.silence()
        isMute = true
        0
      case Stall =>
        isMute = true
        0
      case Garbage if sent < plan.at + plan.length =>
        val n    = math.min(most, plan.at + plan.length - sent)
        val sham = out.take(n).map(byte => (byte ^ (1 + sent % 255)).toByte)
        end.put(sham, 0, n)
      case _ => end.put(out, 0, most)
    }
  }

  /** A handshake that goes no further has had its time. */
  private def expectEnd(): Unit = {
    note()
    if (!isGone && !end.isSilent && end.takenByPeer > 0 && endedAt == Long.MaxValue)
      world.found(s"connection ${end.index}: a handshake that was stalled did not end in its time")
  }

  def hasInput: Boolean =
    engine.hasPlain || !isGone && engine.failure == null && !engine.isEnded && end.hasInput
  def hasEnd: Boolean  = !hasInput && engine.isEnded
  def isReset: Boolean =
    isGone || end.isReset && !hasInput || engine.failure != null && !engine.hasPlain || end.hasEnd && !hasInput && !engine.isEnded

  def canWrite: Boolean = engine.isSecured && out.length == 0 && !isMute && !isDue && end.canWrite

  def take(bytes: Array[Byte], from: Int, count: Int): Int = {
    if (plan.isSteady) { if (!engine.isEnded && engine.failure == null && !isGone) read() }
    else while (!engine.hasPlain && hasInput) read()
    val n = engine.take(bytes, from, count)
    flush()
    note()
    n
  }

  def put(bytes: Array[Byte], from: Int, count: Int): Int = {
    var done = 0
    while (
      done < count && out.length == 0 && engine.isSecured && engine.failure == null && !isMute && !isGone && !isOver
    ) {
      val n = math.min(count - done, if (spoken < ManyRecords) plan.record else 16384)
      hasSpoken = true
      spoken += n
      engine.send(bytes, from + done, n)
      done += n
      flush()
    }
    done
  }

  /** New keys, or another handshake. */
  def beginAnew(): Unit = if (!isGone && !isMute) {
    hasSpoken = true
    engine.beginAnew()
    flush()
  }

  /** Ends the output without a word. */
  def cut(): Unit = if (!isGone) {
    end.endOutput()
    isMute = true
  }

  def takenByPeer: Long = end.takenByPeer

  def endOutput(): Unit = if (!isOver && !isGone && !isMute) {
    isOver = true
    engine.end()
    flush()
  }

  def close(): Unit = if (!isGone && !isLeaving) {
    if (plan.awaitsEnd) {
      isLeaving = true
      world.after(LeaveNanos)(closeNow())
      world.after(0)(look())
    } else closeNow()
  }

  /** The other side is to end the connection first. */
  private def awaitEnd(): Unit = {
    while (hasInput && take(scratch, 0, scratch.length) > 0) ()
    if (isReset || hasEnd) closeNow()
  }

  private def closeNow(): Unit = if (!isGone) {
    if (plan.endsWell && !isMute) {
      engine.end()
      flush()
    }
    leave()
    end.close()
  }

  def abort(): Unit = if (!isGone) {
    leave()
    end.abort()
  }

  private def leave(): Unit = {
    note()
    isGone = true
    engine.close()
  }

  def silence(): Unit = end.silence()
}

object TlsPeerConnection {

  /** After so many encrypted bytes pieces are no longer small: each costs a turn. */
  private final val ManyBytes = 5000

  /** After so many plain bytes records are no longer smaller than they could be: each costs much. */
  private final val ManyRecords = 1000

  private final val RecordHead = 5
  private final val LeaveNanos = 15L * 1000 * 1000 * 1000

  /** What goes wrong with encrypted bytes. */
  sealed trait Fault
  case object None    extends Fault
  case object Cut     extends Fault // the output ends, without a word
  case object Reset   extends Fault
  case object Silence extends Fault
  case object Stall   extends Fault // nothing more is sent
  case object Garbage extends Fault

  /**
   * @param at       after how many encrypted bytes the fault happens
   * @param length   of garbage
   * @param piece    the most encrypted bytes that are sent or read at once
   * @param pace     nanoseconds from one piece to the next
   * @param record   the most plain bytes in one record
   * @param endsWell whether it says that its stream ends when it closes the connection
   * @param isSteady whether it takes one piece from the network at a time, be it a part of a record
   * @param greeting the most bytes in one record of a client's greeting
   * @param awaitsEnd whether it leaves it to the other side to end the connection, for a while
   */
  final case class Plan(
      fault: Fault,
      at: Int,
      length: Int,
      piece: Int,
      pace: Long,
      record: Int,
      endsWell: Boolean,
      awaitsEnd: Boolean,
      isSteady: Boolean = false,
      greeting: Int = Int.MaxValue
  )

  object Plan {
    val plain: Plan = Plan(None, Int.MaxValue, 0, Int.MaxValue, 0, 16384, endsWell = true, awaitsEnd = false)

    /** Of one who reads slowly, but steadily. */
    val steady: Plan = plain.copy(piece = 1000, isSteady = true)

    def apply(random: SeededRandom): Plan = {
      val fault: Fault =
        if (random.percent(50)) None else random.pick(Seq(Cut, Reset, Silence, Stall, Garbage))
      val isPaced = random.percent(30)
      Plan(
        fault,
        at = if (fault == None) Int.MaxValue else random.below(random.pick(Seq(6, 700, 700, 5000))),
        length = random.skewed(40),
        piece =
          if (isPaced) random.between(20, 2000)
          else if (random.percent(50)) Int.MaxValue else random.skewed(2000),
        pace = if (isPaced) 10000000L else 0,
        record = if (random.percent(50)) 16384 else if (random.percent(20)) 1 else random.skewed(16384),
        endsWell = !random.percent(30),
        awaitsEnd = random.percent(50)
      )
    }
  }
}
