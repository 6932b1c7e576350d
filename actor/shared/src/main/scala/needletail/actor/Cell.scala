package needletail.actor

import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.{AtomicBoolean, AtomicLong}

import scala.concurrent.duration.FiniteDuration
import scala.concurrent.{Future, Promise => FuturePromise}

import needletail.async.{Loop, Survivable, Timer}

/**
 * An actor at work: its mailbox, its life and its surroundings.
 *
 * Whoever puts something in and finds it idle gives it to its loop; so it is in the loop's queue at most once,
 * and sending to an actor that is busy wakes nobody. Fields that are not final are the loop's own.
 */
private[actor] final class Cell[M](val loop: Loop, settings: ActorSettings, make: Context[M] => Actor[M])
    extends ActorRef[M]
    with Context[M]
    with Runnable {

  private val mailbox = new Mailbox(settings.mailbox, settings.overflow)

  /** Notices of watched actors: few, never refused, received first. */
  private val notices = new ConcurrentLinkedQueue[Notice]
  private val busy    = new AtomicBoolean

  private[actor] val watches = new Watches

  private val deadLetters = new AtomicLong

  @volatile private var stopWanted    = false
  @volatile private var stopped       = false
  @volatile private var receivedSoFar =
    0L // published after each turn: a volatile write for each message costs
  @volatile private var restarts = 0

  private var actor: Actor[M]      = null            // null before each start and after the stop
  private var received             = 0L
  private var incarnation          = 0
  private var ticks                = Set.empty[Tick] // those whose timers run
  private var watching             = Set.empty[Notice]
  private var children             = Set.empty[ActorRef[_]]
  private var failures: List[Long] = Nil             // when, newest first; no more than restarts + 1

  def name: String       = settings.name
  def self: ActorRef[M]  = this
  def isStopped: Boolean = stopped
  def stats: ActorStats  = ActorStats(
    mailbox.size,
    receivedSoFar,
    mailbox.rejected.get,
    mailbox.dropped.get,
    deadLetters.get,
    restarts
  )

  // From any thread.

  def begin(): Unit = wakeOrAbandon()

  def send(message: M): Boolean =
    if (message == null) throw new NullPointerException("null is no message")
    else put(message.asInstanceOf[AnyRef])

  private def put(message: AnyRef): Boolean =
    if (stopped) {
      dead(1)
      false
    } else if (!mailbox.offer(message)) false
    else {
      // neither a loop that has ended nor an actor that emptied its mailbox for good meanwhile will take it
      val woken = wake()
      val lost  = (!woken || stopped) && mailbox.remove(message)
      if (lost) dead(1)
      if (!woken) abandon()
      !lost
    }

  def stop(): Unit = {
    stopWanted = true
    wakeOrAbandon()
  }

  def whenStopped: Future[Unit] = {
    val promise = FuturePromise[Unit]()
    watches.add(() => { promise.success(()); () })
    promise.future
  }

  /** Gives this to its loop if it is not there already. False when the loop has ended. */
  private def wake(): Boolean =
    if (busy.get || !busy.compareAndSet(false, true)) true
    else
      try {
        loop.execute(this)
        true
      } catch {
        case Survivable(_) =>
          busy.set(false)
          false
      }

  private def wakeOrAbandon(): Unit = if (!wake()) abandon()

  /** Its loop takes it no more. Others have found it busy meanwhile, and left their messages to whoever made it so. */
  private def abandon(): Unit = while (!mailbox.isEmpty && !wake()) discardMessages()

  private def discardMessages(): Unit = {
    var message = mailbox.poll()
    while (message != null) {
      if (!message.isInstanceOf[Mailbox.Entry]) dead(1)
      message = mailbox.poll()
    }
  }

  private def dead(count: Long): Unit = {
    deadLetters.addAndGet(count)
    DeadLetters.total.add(count)
  }

  // On the loop.

  def run(): Unit =
    try
      if (!stopped) {
        var left = settings.batch
        while (left > 0 && !stopWanted && takeOne()) left -= 1
        if (stopWanted) end()
      }
    finally {
      receivedSoFar = received
      busy.set(false)
      // what came after the last look found this busy and woke nobody
      if (!stopped && (stopWanted || actor == null || !mailbox.isEmpty || !notices.isEmpty)) wakeOrAbandon()
    }

  private def takeOne(): Boolean =
    if (actor == null) {
      start()
      true
    } else if (!notices.isEmpty) {
      val notice = notices.poll()
      if (watching.contains(notice)) {
        watching -= notice
        deliver(notice.message)
      }
      true
    } else
      mailbox.poll() match {
        case null                 => false
        case entry: Mailbox.Entry =>
          val tick = entry.asInstanceOf[Tick]
          tick.waits = false
          if (tick.isWanted) deliver(tick.message)
          true
        case message =>
          deliver(message.asInstanceOf[M])
          true
      }

  private def deliver(message: M): Unit = {
    received += 1
    guarded(actor.receive(message))
  }

  private def start(): Unit = {
    actor = Cell.Unmade
    guarded {
      actor = make(this)
      actor.onStart()
    }
  }

  /** Runs what belongs to the user. A failure has the actor made afresh or, past the limit, stopped. */
  private def guarded(body: => Unit): Unit =
    try body
    catch { case Survivable(error) => failed(error) }

  private def failed(error: Throwable): Unit = {
    report(error)
    val now = loop.nowNanos
    failures = now :: failures.takeWhile(now - _ < settings.within.toNanos)
    if (failures.size > settings.restarts) stopWanted = true
    else if (!stopWanted) {
      finish()
      restarts += 1
    }
  }

  /** Ends this incarnation, and what it asked of its surroundings, even in `onStop`. */
  private def finish(): Unit = {
    if (actor != null)
      try actor.onStop()
      catch { case Survivable(error) => report(error) }
    actor = null
    incarnation += 1
    ticks.foreach(_.cancel())
    watching.foreach(_.cancel())
    children.foreach(_.stop())
    children = Set.empty
  }

  private def end(): Unit = {
    finish()
    stopped = true
    notices.clear()
    discardMessages()
    watches.stopped()
  }

  private def report(error: Throwable): Unit =
    try settings.onFailure.fold(throwOnLoop(error))(_(error))
    catch { case Survivable(e) => throwOnLoop(e) }

  private def throwOnLoop(error: Throwable): Unit =
    try loop.execute(() => throw error)
    catch {
      case Survivable(_) => ()
    } // the loop takes no more tasks: it is about to end, and so is everything here

  // The surroundings.

  def become(next: Actor[M]): Unit = actor = next

  def schedule(delay: FiniteDuration)(message: M): Scheduled = newTick(delay, message, repeats = false)

  def every(interval: FiniteDuration)(message: M): Scheduled = {
    require(interval.toNanos > 0, "interval must be positive")
    newTick(interval, message, repeats = true)
  }

  private def newTick(delay: FiniteDuration, message: M, repeats: Boolean): Scheduled = {
    val tick = new Tick(delay.toNanos, message, repeats)
    if (!stopped) {
      ticks += tick
      tick.arm()
    }
    tick
  }

  def watch(other: ActorRef[_])(message: M): Scheduled = {
    val notice = new Notice(other.watches, message)
    if (!stopped) {
      watching += notice
      notice.watched.add(notice)
    }
    notice
  }

  def spawn[N](settings: ActorSettings)(make: Context[N] => Actor[N]): ActorRef[N] = {
    val child = Actor.spawn(loop, settings)(make)
    if (stopped) child.stop() else children = children.filterNot(_.isStopped) + child
    child
  }

  /** A timer, and what goes into the mailbox when it is due. */
  private final class Tick(nanos: Long, val message: M, repeats: Boolean)
      extends Scheduled
      with Mailbox.Entry
      with Runnable {
    private val of           = incarnation
    private var cancelled    = false
    private var timer: Timer = null

    /** Is it in the mailbox? Other threads say when they drop it from there. */
    @volatile var waits = false

    def isWanted: Boolean = !cancelled && of == incarnation
    def dropped(): Unit   = waits = false

    def arm(): Unit = timer = loop.schedule(nanos, this)

    def run(): Unit = {
      if (!waits) {
        waits = true
        if (!put(this)) waits = false
      }
      if (repeats) arm() else ticks -= this
    }

    def cancel(): Unit = {
      cancelled = true
      if (timer != null) timer.cancel()
      ticks -= this
    }
  }

  private final class Notice(val watched: Watches, val message: M) extends Scheduled with Watch {
    def tell(): Unit = {
      notices.offer(this)
      wakeOrAbandon()
    }

    def cancel(): Unit = {
      watching -= this
      watched.remove(this)
    }
  }
}

private[actor] object Cell {

  /** Stands where the factory has not given an actor yet. */
  private object Unmade extends Actor[Any] {
    def receive(message: Any): Unit = ()
  }
}
