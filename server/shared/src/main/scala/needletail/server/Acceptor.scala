package needletail.server

import java.util.concurrent.RejectedExecutionException

import scala.concurrent.{Future, Promise}

import needletail.io.{AcceptedSocket, EventLoop, Listener}

/**
 * Owns the listener and the budget of connections, on the first loop; told by the others when a connection of
 * theirs is gone. It gives each new connection to the loop that has the fewest.
 *
 * What it is told goes to its loop's tasks, of which none is refused while the loop lives: a mailbox with a bound
 * could refuse the end of a connection, which then would be counted for ever.
 */
private[server] final class Acceptor(
    loop: EventLoop,
    settings: TcpSettings,
    maxConnections: Int,
    members: Array[LoopMember],
    gone: Promise[Unit]
) {
  import Acceptor._

  private val questions = new LoopQuestions(loop)

  private val open     = new Array[Int](members.length)
  private var openNow  = 0
  private var total    = 0L
  private var most     = 0
  private var next     = 0
  private var crowded  = false
  private var draining = false

  private var isShort = false // of descriptors, lately
  private var shortAt = 0L

  /** Set on this loop before the first connection is accepted. */
  var listener: Listener = null

  /** Above this many, connections may idle only shortly. */
  private val crowdedAbove = (maxConnections * 0.85).toInt

  /** Below this many, all is as before. */
  private var relaxedBelow = (maxConnections * 0.80).toInt

  /** Called by the listener, on this loop. `closed` follows once, whatever becomes of the connection. */
  def accepted(socket: AcceptedSocket): Unit = {
    val member = leastBusy()
    open(member) += 1
    openNow += 1
    total += 1
    if (openNow > most) most = openNow
    if (openNow >= maxConnections) listener.pause()
    if (openNow > crowdedAbove) {
      if (!crowded) crowd((maxConnections * 0.80).toInt)
    } else relax()
    members(member).take(socket)
  }

  /**
   * Called by the listener, on this loop: descriptors are short, so there are as many connections as there can be,
   * whatever the budget says. Those that idle make room for those that wait.
   */
  def shortOfDescriptors(): Unit = if (!draining) {
    isShort = true
    shortAt = loop.nowNanos
    crowd(Math.max(1, (openNow * 0.80).toInt))
  }

  private def crowd(until: Int): Unit = {
    relaxedBelow = until
    if (!crowded) {
      crowded = true
      members.foreach(_.idleTimeout(settings.crowdedIdleNanos))
    }
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

  /** A connection of that loop is gone. From any thread. */
  def closed(member: Int): Unit = if (loop.inLoop) closedHere(member) else later(() => closedHere(member))

  private def closedHere(member: Int): Unit = {
    open(member) -= 1
    openNow -= 1
    if (draining) { if (openNow == 0) finish() }
    else {
      if (openNow < maxConnections) listener.resume()
      relax()
    }
  }

  /** All is as before, once many have gone, or descriptors that others had taken have not been short for a while. */
  private def relax(): Unit =
    if (
      crowded && (openNow < relaxedBelow ||
        isShort && openNow <= crowdedAbove && loop.nowNanos - shortAt > ShortNanos)
    ) {
      crowded = false
      isShort = false
      members.foreach(_.idleTimeout(settings.idleNanos))
    }

  /** Takes no more, and has those that are there finished. From any thread. */
  def drain(): Unit = later { () =>
    if (!draining) {
      draining = true
      listener.close()
      members.foreach(_.drain())
      if (openNow == 0) finish()
    }
  }

  /** From any thread. */
  def counts: Future[Counts] = questions.ask(Counts(openNow, most, total))

  private def later(task: Runnable): Unit =
    try loop.execute(task)
    catch { case _: RejectedExecutionException => () } // all is over

  private def finish(): Unit = { gone.trySuccess(()); () }
}

private[server] object Acceptor {

  /** For so long a shortage of descriptors is taken to last after it was last seen. */
  private final val ShortNanos = 10L * 1000 * 1000 * 1000

  final case class Counts(open: Int, most: Int, total: Long)
}
