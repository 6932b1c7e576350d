package needletail.server.tcp

import java.util.concurrent.RejectedExecutionException

import scala.concurrent.{Future, Promise}

import needletail.io.{AcceptedSocket, EventLoop, Listener}
import needletail.server.config.TcpSettings
import needletail.server.operations.{ConnectionCounts, Log}

/**
 * Owns the listener and the connection budget, on the first loop. It gives each new connection to the loop with the
 * fewest, and the other loops tell it when a connection is closed.
 *
 * They do so by tasks of its loop, which are never refused while the loop lives. A bounded mailbox could refuse one,
 * and the connection would be counted forever.
 *
 * @param gone completed when a drain has ended and no connection is left
 */
private[server] final class Acceptor(
    loop: EventLoop,
    settings: TcpSettings,
    maxConnections: Int,
    members: Array[PerLoopServer],
    gone: Promise[Unit]
) {
  import Acceptor._

  private val questions = new LoopQueries(loop)

  private val open     = new Array[Int](members.length)
  private var openNow  = 0
  private var total    = 0L
  private var most     = 0
  private var next     = 0
  private var crowded  = false
  private var draining = false

  private val tls                = settings.tls.orNull
  private val handshakes         = settings.handshakes
  private var waitsForHandshakes = false
  private var stalledAt          = loop.nowNanos - StalledNanos // when stalled handshakes were looked for
  private var waitToldAt         = loop.nowNanos - WaitToldNanos
  private val log                = Log.guarded(settings.log)

  private var isShort = false // whether descriptors ran out recently
  private var shortAt = 0L

  /** Set on this loop before the first connection is accepted. */
  var listener: Listener = null

  /** Above this many connections, the idle timeout is short. */
  private val crowdedAbove = (maxConnections * 0.85).toInt

  /** Below this many, the idle timeout is as configured again. */
  private var relaxedBelow = (maxConnections * 0.80).toInt

  /** Called by the listener, on this loop. `closed` follows exactly once, whatever happens to the connection. */
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
    if (tls != null && handshakesAreMany()) listener.pause()
  }

  /**
   * Called by the listener, on this loop, when descriptors have run out, so that no more connections can be accepted,
   * whatever the budget is. Closes idle connections to make room for those that wait.
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

  /** A connection of loop `member` is closed. From any thread. */
  def closed(member: Int): Unit = if (loop.inLoop) closedHere(member) else later(() => closedHere(member))

  private def closedHere(member: Int): Unit = {
    open(member) -= 1
    openNow -= 1
    if (draining) { if (openNow == 0) finish() }
    else {
      resume()
      relax()
    }
  }

  private def resume(): Unit = if (openNow < maxConnections && !waitsForHandshakes) listener.resume()

  /**
   * Whether so many TLS handshakes are under way that new connections must wait. Then it looks soon whether they are
   * fewer: that a handshake is over is not told.
   */
  private def handshakesAreMany(): Boolean = {
    if (!waitsForHandshakes && (areInProgress || areSilent)) {
      waitsForHandshakes = true
      tellOfWait()
      closeStalled()
      lookAgain()
    }
    waitsForHandshakes
  }

  private def areInProgress: Boolean = handshakes.present >= tls.limits.handshakes

  /** A connection whose client is silent is no handshake, but all of them can begin at once. */
  private def areSilent: Boolean = handshakes.open >= mostOpen
  private def mostOpen: Long     = Math.max(LeastOpen, 2L * tls.limits.handshakes)

  private def tellOfWait(): Unit = if (loop.nowNanos - waitToldAt >= WaitToldNanos) {
    waitToldAt = loop.nowNanos
    log.warn(
      s"new connections wait: ${handshakes.present} of at most ${tls.limits.handshakes} TLS handshakes are in progress, " +
        s"and ${handshakes.open - handshakes.present} clients of at most $mostOpen in all have sent nothing yet"
    )
  }

  /** Makes room for a quarter of the limit: of the handshakes that make no progress, those are closed that are stalled longest. */
  private def closeStalled(): Unit = if (loop.nowNanos - stalledAt >= StalledNanos) {
    stalledAt = loop.nowNanos
    val room   = Math.max(1, tls.limits.handshakes / 4)
    val excess = if (areInProgress) handshakes.present - tls.limits.handshakes else handshakes.open - mostOpen
    val most   = (excess + room + members.length - 1) / members.length
    members.foreach(_.closeStalledHandshakes(most.toInt, withSilent = !areInProgress))
  }

  private def lookAgain(): Unit = {
    loop.schedule(
      HandshakesNanos,
      () =>
        if (!draining)
          if (areInProgress || areSilent) {
            closeStalled()
            lookAgain()
          } else {
            waitsForHandshakes = false
            resume()
          }
    )
    ()
  }

  /** Restores the idle timeout once enough connections are closed, or descriptors have not run out for a while. */
  private def relax(): Unit =
    if (
      crowded && (openNow < relaxedBelow ||
        isShort && openNow <= crowdedAbove && loop.nowNanos - shortAt > ShortNanos)
    ) {
      crowded = false
      isShort = false
      members.foreach(_.idleTimeout(settings.idleNanos))
    }

  /**
   * Stops listening, and drains the connections. From any thread.
   *
   * @param accepts whether connections that wait in the backlog are accepted first: their requests may be on their way
   */
  def drain(accepts: Boolean): Unit = later { () =>
    if (!draining) {
      try if (accepts) listener.acceptWaiting()
      finally { // also if one of them could not be set up
        listener.close()
        draining = true // not before: one that fails at once would end the drain
        members.foreach(_.drain())
        if (openNow == 0) finish()
      }
    }
  }

  /** Counts of connections; fails when the server has stopped. From any thread. */
  def counts: Future[ConnectionCounts] = questions.ask(ConnectionCounts(openNow, most, total))

  private def later(task: Runnable): Unit =
    try loop.execute(task)
    catch { case _: RejectedExecutionException => () } // the server has stopped

  private def finish(): Unit = { gone.trySuccess(()); () }
}

private[server] object Acceptor {
  private final val HandshakesNanos = 5L * 1000 * 1000
  private final val StalledNanos    = 50L * 1000 * 1000
  private final val LeastOpen       = 64L
  private final val WaitToldNanos   = 60L * 1000 * 1000 * 1000

  /** How long a shortage of descriptors is assumed to last after it was last observed. */
  private final val ShortNanos = 10L * 1000 * 1000 * 1000
}
