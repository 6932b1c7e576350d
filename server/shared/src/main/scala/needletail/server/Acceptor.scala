package needletail.server

import scala.concurrent.Promise

import needletail.actor.{Actor, ActorRef}
import needletail.io.{AcceptedSocket, Listener}

/**
 * Owns the listener and the budget of connections: an actor on the first loop, told by the others when a
 * connection of theirs is gone. It gives each new connection to the loop that has the fewest.
 */
private[server] final class Acceptor(
    settings: TcpSettings,
    members: Array[ActorRef[LoopMember.Message]],
    start: (Int, AcceptedSocket) => Unit,
    gone: Promise[Unit]
) extends Actor[Acceptor.Message] {
  import Acceptor._

  private val open     = new Array[Int](members.length)
  private var openNow  = 0
  private var total    = 0L
  private var most     = 0
  private var next     = 0
  private var crowded  = false
  private var draining = false

  /** Set on this actor's loop before the first connection is accepted. */
  var listener: Listener = null

  /** Above this many, connections may idle only shortly; below the other, all is as before. */
  private val crowdedAbove = (settings.maxConnections * 0.85).toInt
  private val relaxedBelow = (settings.maxConnections * 0.80).toInt

  /** Called by the listener, on this actor's own loop. */
  def accepted(socket: AcceptedSocket): Unit = {
    val member = leastBusy()
    open(member) += 1
    openNow += 1
    total += 1
    if (openNow > most) most = openNow
    if (openNow >= settings.maxConnections) listener.pause()
    if (!crowded && openNow > crowdedAbove) {
      crowded = true
      members.foreach(_.send(LoopMember.IdleTimeout(settings.crowdedIdleNanos)))
    }
    start(member, socket)
  }

  /** The loop with the fewest connections; among equals, in turn. */
  private def leastBusy(): Int = {
    var best = next
    var i    = 1
    while (i < open.length) {
      val candidate = (next + i) % open.length
      if (open(candidate) < open(best)) best = candidate
      i += 1
    }
    next = (best + 1) % open.length
    best
  }

  def receive(message: Message): Unit = message match {
    case Closed(member) =>
      open(member) -= 1
      openNow -= 1
      if (draining) { if (openNow == 0) finish() }
      else {
        if (openNow < settings.maxConnections) listener.resume()
        if (crowded && openNow < relaxedBelow) {
          crowded = false
          members.foreach(_.send(LoopMember.IdleTimeout(settings.idleNanos)))
        }
      }
    case Drain =>
      if (!draining) {
        draining = true
        listener.close()
        members.foreach(_.send(LoopMember.Drain))
        if (openNow == 0) finish()
      }
    case Report(answer) =>
      answer.success(Counts(openNow, most, total))
      ()
  }

  private def finish(): Unit = { gone.trySuccess(()); () }
}

private[server] object Acceptor {
  sealed trait Message

  /** A connection of that loop is gone. */
  final case class Closed(member: Int) extends Message

  /** Take no more; have those that are there finished. */
  case object Drain extends Message

  final case class Report(answer: Promise[Counts]) extends Message

  final case class Counts(open: Int, most: Int, total: Long)
}
