package needletail.simulation.service

import needletail.simulation.reader.PeerMessages
import needletail.simulation.world.World
import needletail.websocket.{Message, WebSocketListener}

/** What the listeners of a simulation are told: their own messages, whole and in order, and the end, once and last. */
final class ListenerChecks(world: World, code: UserCode, mayBeShort: Boolean) {
  private val mayThrow  = world.faults.throws > 0
  private var listeners = List.empty[CheckedListener]

  /** Whether the server has been told to drain. */
  var drains = false

  /** Whether anybody may be closed with that code. */
  def isUsual(code: Int): Boolean = code match {
    case 1001 => drains
    case 1011 => mayThrow
    case 1013 => mayBeShort
    case _    => false
  }

  /** A listener that has been returned by the function that opens. */
  def opened(listener: CheckedListener): Unit = listeners ::= listener

  /** After everything has ended. */
  def check(): Unit = if (!code.hasBeenFatal) listeners.foreach { l =>
    if (l.ends != 1) world.found(s"${l.name} was told of ${l.ends} ends")
  }

  /** Counts what comes of that number. */
  final class Received(name: String, number: Int) {
    var count = 0

    def message(message: Message): Unit = {
      if (!PeerMessages(number, count).is(message.isText, message.bytes))
        world.found(
          s"$name got ${message.bytes.length} bytes of ${PeerMessages.markOf(message.bytes)} as message $count of $number"
        )
      count += 1
    }
  }

  def of(name: String, number: Int): Received = new Received(name, number)

  /** @param number whose messages come */
  abstract class CheckedListener(val name: String, number: Int) extends WebSocketListener {
    val heard: Received = new Received(name, number)
    var ends            = 0

    protected def mayEndWith(code: Int, reason: String): Boolean
    protected def on(message: Message): Unit

    final def onMessage(message: Message): Unit = {
      if (ends > 0) world.found(s"$name got a message after its end")
      check(message)
      code.at("a listener")
      on(message)
    }

    protected def check(message: Message): Unit = heard.message(message)

    final override def onClose(status: Int, reason: String): Unit = {
      ends += 1
      world.trace.say(world, s"$name ends with $status '$reason' after ${heard.count} messages")
      if (ends > 1) world.found(s"$name was told of its end again")
      if (!mayEndWith(status, reason)) world.found(s"$name ended with $status '$reason'")
      code.at("the end of a listener")
    }
  }
}
