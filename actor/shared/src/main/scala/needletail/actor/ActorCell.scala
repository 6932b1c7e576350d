package needletail.actor

import scala.concurrent.duration.FiniteDuration
import scala.concurrent.{Future, Promise => FuturePromise}

import needletail.async.{Loop, Survivable}

/**
 * An actor's life cycle: it starts, receives what waits in its [[Inbox]], is restarted after failures, and stops. It
 * is the actor for others ([[ActorRef]]) and for itself ([[Context]]). Fields that are not final are used on the loop
 * only.
 */
private[actor] final class ActorCell[M](val loop: Loop, settings: ActorSettings, make: Context[M] => Actor[M])
    extends ActorRef[M]
    with Context[M]
    with Runnable {

  private val inbox        = new Inbox[M](loop, settings, this)
  private val surroundings = new ActorResources[M](loop, inbox)

  private[actor] val watches = new DeathWatch

  @volatile private var stopWanted    = false
  @volatile private var receivedSoFar =
    0L // published after each turn: a volatile write for each message costs
  @volatile private var restarts = 0

  private var actor: Actor[M]      = null // null before each start and after the stop
  private var received             = 0L
  private var failures: List[Long] = Nil  // when, newest first; no more than restarts + 1

  /** Its loop has ended, and so has it. */
  private val loopEnd: Runnable = () => if (!isStopped) end()

  def name: String       = settings.name
  def self: ActorRef[M]  = this
  def isStopped: Boolean = inbox.isClosed

  private[actor] def isLost: Boolean = inbox.isLost

  def stats: ActorStats = {
    val mailbox = inbox.mailbox
    ActorStats(
      mailbox.size,
      receivedSoFar,
      mailbox.rejected.get,
      mailbox.dropped.get,
      inbox.deadLetters,
      restarts
    )
  }

  // From any thread.

  /** Called once, before others know it. On a loop that has ended it stops at once, without a start. */
  def begin(): Unit = if (!inbox.tryWake()) close()

  def send(message: M): Boolean =
    if (message == null) throw new NullPointerException("a message must not be null")
    else inbox.put(message.asInstanceOf[AnyRef])

  def stop(): Unit = {
    stopWanted = true
    inbox.wake()
  }

  lazy val whenStopped: Future[Unit] = {
    val promise = FuturePromise[Unit]()
    watches.add(() => { promise.success(()); () })
    promise.future
  }

  // On the loop.

  def run(): Unit =
    try
      if (!isStopped) {
        var left = settings.batch
        while (left > 0 && !stopWanted && takeOne()) left -= 1
        if (stopWanted) end()
      }
    finally {
      receivedSoFar = received
      inbox.idle()
      // messages added after the last check saw `busy` and did not wake the loop
      if (!isStopped && (stopWanted || actor == null || !inbox.isEmpty)) inbox.wake()
    }

  /** Starts, or receives one message. Returns false if there is none. */
  private def takeOne(): Boolean =
    if (actor == null) {
      start()
      true
    } else {
      val notice = inbox.pollNotice()
      if (notice != null) {
        take(notice)
        true
      } else
        inbox.mailbox.poll() match {
          case null                 => false
          case entry: Mailbox.Entry =>
            take(entry.asInstanceOf[Delivery[M]])
            true
          case message =>
            receive(message.asInstanceOf[M])
            true
        }
    }

  private def take(delivery: Delivery[M]): Unit = if (delivery.take()) receive(delivery.message)

  private def receive(message: M): Unit = {
    received += 1
    guarded(actor.receive(message))
  }

  private def start(): Unit = {
    loop.atEnd(loopEnd)
    actor = ActorCell.Unmade
    guarded {
      actor = make(this)
      actor.onStart()
    }
  }

  /** Runs user code. After a failure the actor is restarted or, beyond the limit, stopped. */
  private def guarded(body: => Unit): Unit =
    try body
    catch { case Survivable(error) => failed(error) }

  private def failed(error: Throwable): Unit = {
    val now = loop.nowNanos
    failures = now :: failures.takeWhile(now - _ < settings.within.toNanos)
    val isLast = failures.size > settings.restarts
    report(error, isLast)
    if (isLast) stopWanted = true
    else if (!stopWanted) {
      finish()
      restarts += 1
    }
  }

  /** Ends this incarnation, and what it created, even in `onStop`; also where that throws a fatal error. */
  private def finish(): Unit =
    try if (actor != null) actor.onStop()
    catch { case Survivable(error) => report(error) }
    finally {
      actor = null
      surroundings.end()
    }

  private def end(): Unit =
    try finish()
    finally {
      loop.notAtEnd(loopEnd)
      close()
    }

  private def close(): Unit = {
    inbox.close()
    watches.stopped(unhandled(_)) // no failure of this actor
  }

  private def report(error: Throwable, isLast: Boolean = false): Unit =
    try settings.onFailure.fold(throwOnLoop(error, isLast))(_(error))
    catch { case Survivable(e) => throwOnLoop(e, isLast) }

  private def throwOnLoop(error: Throwable, isLast: Boolean): Unit = {
    val end =
      if (isLast) s", and is stopped: it failed ${failures.size} times within ${settings.within}" else ""
    unhandled(new ActorFailed(s"$label failed$end", error))
  }

  private def unhandled(error: Throwable): Unit =
    try loop.unhandled(error)
    catch { case Survivable(_) => () } // the loop has ended, and takes nothing to report

  /** For messages about it: its name, or if it was given none, the class that its behaviour is written in. */
  private def label: String =
    if (name != ActorSettings.Unnamed) name
    else s"of ${ActorCell.classNameOf(if (actor == null || (actor eq ActorCell.Unmade)) make else actor)}"

  // As a Context.

  def become(next: Actor[M]): Unit = {
    if (next == null) throw new NullPointerException(s"$label cannot become null")
    actor = next
  }

  def schedule(delay: FiniteDuration)(message: M): Scheduled =
    surroundings.schedule(delay.toNanos, message, repeats = false)

  def every(interval: FiniteDuration)(message: M): Scheduled = {
    require(interval.toNanos > 0, "interval must be positive")
    surroundings.schedule(interval.toNanos, message, repeats = true)
  }

  def watch(other: ActorRef[_])(message: M): Scheduled = surroundings.watch(other.watches, message)

  def spawn[N](settings: ActorSettings)(make: Context[N] => Actor[N]): ActorRef[N] = {
    val child = Actor.spawn(loop, settings)(make)
    surroundings.adopt(child)
    child
  }
}

private[actor] object ActorCell {

  /** The name of its class; that of a function is that of the class it is written in. */
  private def classNameOf(value: AnyRef): String = {
    val name = value.getClass.getName
    val at   = List("$$Lambda", "$$anon").map(name.indexOf(_)).filter(_ > 0)
    (if (at.isEmpty) name else name.take(at.min)).reverse.dropWhile(_ == '$').reverse
  }

  /** Used until `make` has returned an actor. */
  private object Unmade extends Actor[Any] {
    def receive(message: Any): Unit = ()
  }
}
