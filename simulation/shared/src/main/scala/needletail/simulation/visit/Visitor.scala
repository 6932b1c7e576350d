package needletail.simulation.visit

import needletail.simulation.world.{Dice, Line, World}

/**
 * The other end of a connection to a server: sends its script in random pieces and at a random pace, reads or does
 * not, and closes, orderly or not.
 *
 * @param script what it sends; each part may have to wait for a response, or for 100 (Continue). It may grow
 */
final class Visitor(
    world: World,
    val name: String,
    end: Line,
    script: collection.Seq[Visitor.Part],
    manner: Visitor.Manner
)(
    read: (Array[Byte], Int) => Unit,
    mayGoOn: Visitor.Part => Boolean,
    isSatisfied: () => Boolean,
    ended: Boolean => Unit
) {
  private var part    = 0
  private var at      = 0 // in the part
  private var sent    = 0 // bytes in all
  private var asleep  = false
  private val scratch = new Array[Byte](65536)
  private val giveUp  = world.now + Visitor.Patience * (if (manner.isSteady) 3 else 1)

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
    isDisappointed = manner.isPatient && part == script.size && end.takenByPeer > 0
    world.trace.say(world, s"$name gives up")
    leave(orderly = false)
  }

  private def leave(orderly: Boolean): Unit = if (!isOver) {
    isOver = true
    if (orderly) end.close() else end.abort()
  }

  private def act(): Unit = if (!isOver) {
    val before = sent
    if (sent >= manner.vanishAt) vanish()
    else {
      if (manner.reads) readSome()
      else if (end.isReset) leave(orderly = true)
      if (!isOver) sendSome()
      if (!isOver && sent >= manner.vanishAt) vanish()
      else if (!isOver) {
        if (part == script.size && manner.halfCloses) end.endOutput()
        if (isSatisfied()) leave(orderly = true)
        else if (hasMore(sent > before)) wake(pause)
      }
    }
  }

  private def pause: Long = if (manner.pace == 0) 0 else 1 + world.dice.longBetween(0, manner.pace)

  private def hasMore(hasSent: Boolean): Boolean =
    (part < script.size && end.canWrite && !end.isReset && (hasSent || mayGoOn(
      script(part)
    ))) || (manner.reads && end.hasInput)

  private def vanish(): Unit = {
    world.trace.say(world, s"$name vanishes after $sent bytes")
    world.dice.below(4) match {
      case 0 => leave(orderly = true)
      case 1 => leave(orderly = false)
      case 2 =>
        end.silence()
        isOver = true
      case _ => // stays connected for a while and does nothing
        isOver = true
        world.after(world.dice.longBetween(0, 20000000000L))(end.abort())
    }
  }

  private def readSome(): Unit = {
    var n = 1
    while (n > 0 && !isOver) {
      val most =
        if (manner.isSteady) world.dice.between(300, 1500)
        else if (manner.slowReads) world.dice.size(2000)
        else scratch.length
      n = end.take(scratch, 0, most)
      if (n > 0) read(scratch, n)
      if (manner.slowReads) n = 0
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
    while (go && part < script.size && !isOver && sent < manner.vanishAt) {
      val now = script(part)
      if (at == 0 && !mayGoOn(now)) go = false
      else if (now.isLeftOut) part += 1
      else {
        val most = math.min(now.bytes.length - at, math.min(manner.vanishAt - sent, manner.piece))
        val n    = if (end.isReset) 0
        else end.put(now.bytes, at, if (manner.drips) math.min(most, world.dice.size(64)) else most)
        at += n
        sent += n
        if (n == 0 && most > 0) go = false
        if (at == now.bytes.length) {
          now.isSent = true
          now.onSent()
          part += 1
          at = 0
        }
        if (manner.drips && n > 0) go = false
      }
    }
  }
}

object Visitor {
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
  final case class Manner(
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

  object Manner {

    /** Reads a little, at least every half second, while there is something to read. */
    def steady(dice: Dice): Manner =
      plain.copy(slowReads = true, isSteady = true, pace = dice.pick(Seq(50000000L, 200000000L, 500000000L)))

    val plain: Manner = Manner(
      reads = true,
      slowReads = false,
      drips = false,
      Int.MaxValue,
      0,
      vanishAt = Int.MaxValue,
      halfCloses = false
    )

    def apply(dice: Dice, total: Int): Manner =
      if (dice.chance(40)) plain.copy(halfCloses = dice.chance(10))
      else
        Manner(
          reads = !dice.chance(5),
          slowReads = dice.chance(20),
          drips = dice.chance(20),
          piece = if (dice.chance(50)) Int.MaxValue else dice.size(5000),
          pace = if (dice.chance(50)) 0 else dice.pick(Seq(1000000L, 10000000L, 900000000L)),
          vanishAt = if (dice.chance(30)) dice.below(total + 1) else Int.MaxValue,
          halfCloses = dice.chance(15)
        )
  }
}
