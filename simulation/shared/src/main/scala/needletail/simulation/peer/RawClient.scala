package needletail.simulation.peer

import needletail.simulation.world.{PeerConnection, SeededRandom, World}

/**
 * The other end of a connection to a server: sends its script in random pieces and at a random pace, reads or does
 * not, and closes, orderly or not.
 *
 * @param script what it sends; each part may have to wait for a response, or for 100 (Continue). It may grow
 */
final class RawClient(
    world: World,
    val name: String,
    end: PeerConnection,
    script: collection.Seq[RawClient.Part],
    behaviour: RawClient.Behaviour
)(
    read: (Array[Byte], Int) => Unit,
    mayGoOn: RawClient.Part => Boolean,
    isSatisfied: () => Boolean,
    ended: Boolean => Unit
) {
  private var part    = 0
  private var at      = 0 // in the part
  private var sent    = 0 // bytes in all
  private var asleep  = false
  private val scratch = new Array[Byte](65536)
  private val giveUp  = world.now + RawClient.Patience * (if (behaviour.isSteady) 3 else 1)

  var isOver = false

  /**
   * Whether it has waited without success to the end of its patience, though it did everything required and was
   * accepted. Others may occupy all places as long, by reading some of their responses now and then.
   */
  var isDisappointed = false

  end.onChange = () => wake(pause)
  world.at(giveUp)(lookAtClock())
  wake(0)

  private def wake(nanos: Long): Unit = if (!asleep && !isOver) {
    asleep = true
    world.after(nanos) {
      asleep = false
      act()
    }
  }

  private def lookAtClock(): Unit = if (!isOver) {
    isDisappointed = behaviour.isPatient && part == script.size && end.takenByPeer > 0
    world.trace.say(world, s"$name gives up")
    leave(orderly = false)
  }

  private def leave(orderly: Boolean): Unit = if (!isOver) {
    isOver = true
    if (orderly) end.close() else end.abort()
  }

  private def act(): Unit = if (!isOver) {
    val before = sent
    if (sent >= behaviour.vanishAt) vanish()
    else {
      if (behaviour.reads) readSome()
      else if (end.isReset) leave(orderly = true)
      if (!isOver) sendSome()
      if (!isOver && sent >= behaviour.vanishAt) vanish()
      else if (!isOver) {
        if (part == script.size && behaviour.halfCloses) end.endOutput()
        if (isSatisfied()) leave(orderly = true)
        else if (hasMore(sent > before)) wake(pause)
      }
    }
  }

  private def pause: Long = if (behaviour.pace == 0) 0 else 1 + world.random.longBetween(0, behaviour.pace)

  private def hasMore(hasSent: Boolean): Boolean =
    (part < script.size && end.canWrite && !end.isReset && (hasSent || mayGoOn(
      script(part)
    ))) || (behaviour.reads && end.hasInput)

  private def vanish(): Unit = {
    world.trace.say(world, s"$name vanishes after $sent bytes")
    world.random.below(4) match {
      case 0 => leave(orderly = true)
      case 1 => leave(orderly = false)
      case 2 =>
        end.silence()
        isOver = true
      case _ => // stays connected for a while and does nothing
        isOver = true
        world.after(world.random.longBetween(0, 20000000000L))(end.abort())
    }
  }

  private def readSome(): Unit = {
    var n = 1
    while (n > 0 && !isOver) {
      val most =
        if (behaviour.isSteady) world.random.between(300, 1500)
        else if (behaviour.slowReads) world.random.skewed(2000)
        else scratch.length
      n = end.take(scratch, 0, most)
      if (n > 0) read(scratch, n)
      if (behaviour.slowReads) n = 0
    }
    if (!isOver && !end.hasInput) {
      if (end.isReset) over(isReset = true)
      else if (end.hasEnd) over(isReset = false)
    }
  }

  private def over(isReset: Boolean): Unit = {
    world.trace.say(world, s"$name sees the end${if (isReset) ", a reset" else ""}")
    ended(isReset)
    leave(orderly = true)
  }

  private def sendSome(): Unit = {
    var go = true
    while (go && part < script.size && !isOver && sent < behaviour.vanishAt) {
      val now = script(part)
      if (at == 0 && !mayGoOn(now)) go = false
      else if (now.isLeftOut) part += 1
      else {
        val most = math.min(now.bytes.length - at, math.min(behaviour.vanishAt - sent, behaviour.piece))
        val n    = if (end.isReset) 0
        else end.put(now.bytes, at, if (behaviour.drips) math.min(most, world.random.skewed(64)) else most)
        at += n
        sent += n
        if (n == 0 && most > 0) go = false
        if (at == now.bytes.length) {
          now.isSent = true
          now.onSent()
          part += 1
          at = 0
        }
        if (behaviour.drips && n > 0) go = false
      }
    }
  }
}

object RawClient {
  private final val Patience = 120L * 1000 * 1000 * 1000

  final class Part(
      val bytes: Array[Byte],
      val awaits: Int,
      val awaitsContinue: Boolean,
      val onSent: () => Unit
  ) {
    var isSent = false

    /** Whether it need not be sent any more. */
    var isLeftOut = false
  }

  /**
   * How a client behaves.
   *
   * @param vanishAt how many bytes it sends before it disappears without notice
   * @param pace maximum of nanoseconds between two of its actions; 0: as soon as possible
   * @param isSteady whether it reads slowly, but always something while there is something to read
   */
  final case class Behaviour(
      reads: Boolean,
      slowReads: Boolean,
      drips: Boolean,
      piece: Int,
      pace: Long,
      vanishAt: Int,
      halfCloses: Boolean,
      isSteady: Boolean = false
  ) {

    /** Whether it does everything that a server may expect, so that it must get a response. */
    def isPatient: Boolean = reads && !slowReads && !drips && vanishAt == Int.MaxValue && pace <= 10000000L
  }

  object Behaviour {

    /** Reads a little, at least every half second, while there is something to read. */
    def steady(random: SeededRandom): Behaviour =
      plain.copy(
        slowReads = true,
        isSteady = true,
        pace = random.pick(Seq(50000000L, 200000000L, 500000000L))
      )

    val plain: Behaviour = Behaviour(
      reads = true,
      slowReads = false,
      drips = false,
      Int.MaxValue,
      0,
      vanishAt = Int.MaxValue,
      halfCloses = false
    )

    def apply(random: SeededRandom, total: Int): Behaviour =
      if (random.percent(40)) plain.copy(halfCloses = random.percent(10))
      else
        Behaviour(
          reads = !random.percent(5),
          slowReads = random.percent(20),
          drips = random.percent(20),
          piece = if (random.percent(50)) Int.MaxValue else random.skewed(5000),
          pace = if (random.percent(50)) 0 else random.pick(Seq(1000000L, 10000000L, 900000000L)),
          vanishAt = if (random.percent(30)) random.below(total + 1) else Int.MaxValue,
          halfCloses = random.percent(15)
        )
  }
}
