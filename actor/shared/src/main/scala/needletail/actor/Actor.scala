package needletail.actor

import scala.concurrent.duration._

import needletail.async.Loop

/**
 * What an actor does with its messages: one after another, all on its loop's thread, so that its state needs
 * no lock. It must not block.
 *
 * A function literal will do, its state lying around it:
 * {{{
 * final case class Next(replyTo: Recipient[Long])
 *
 * val counter = Actor.spawn[Next](loop) { context =>
 *   var count = 0L
 *   message => {
 *     count += 1
 *     message.replyTo ! count
 *   }
 * }
 * counter.ask[Long](1.second)(Next(_)) // Async[Long]
 * }}}
 */
trait Actor[-M] {
  def receive(message: M): Unit

  /** Called before the first message. What it throws counts as a failure. */
  def onStart(): Unit = ()

  /** Called once after the last message: when the actor stops, and before it is made afresh after a failure. */
  def onStop(): Unit = ()
}

/** What happens to a message that finds the mailbox full. */
sealed trait Overflow
object Overflow {

  /** It is refused: `send` returns false, and `ActorStats.rejected` grows. */
  case object RejectNewest extends Overflow

  /** It takes the place of the oldest that waits; `send` returns true, and `ActorStats.dropped` grows. */
  case object DropOldest extends Overflow
}

/**
 * @param name     for messages to people; need not be unique
 * @param mailbox  how many messages may wait; by default as many as a server has requests under way at most, so
 *                 that requests which come all at once may ask the same actor
 * @param overflow what happens to one more
 * @param restarts how often the actor is made afresh after a failure, within `within`; one more failure stops
 *                 it. 0: the first failure stops it
 * @param within   the time in which restarts are counted
 * @param batch    how many messages it takes in one go before its loop's other tasks have their turn
 * @param onFailure is told of each failure, on the loop. None: it is thrown on the loop, which logs it
 */
final case class ActorSettings(
    name: String = "actor",
    mailbox: Int = 16384,
    overflow: Overflow = Overflow.RejectNewest,
    restarts: Int = 10,
    within: FiniteDuration = FiniteDuration(1, MINUTES),
    batch: Int = 64,
    onFailure: Option[Throwable => Unit] = None
) {
  require(mailbox > 0, "mailbox must hold one message at least")
  require(batch > 0, "batch must be one message at least")
  require(restarts >= 0, "restarts must not be negative")
  require(within.length > 0, "within must be positive")
}

object Actor {

  /**
   * Starts an actor that lives on `loop`; from any thread. `make` is called there, before the first message,
   * and again after each failure: it makes the state, and the mailbox survives.
   */
  def spawn[M](
      loop: Loop,
      settings: ActorSettings = ActorSettings()
  )(make: Context[M] => Actor[M]): ActorRef[M] = {
    val cell = new Cell[M](loop, settings, make)
    cell.begin()
    cell
  }

  /** Messages so far, of all actors of this process, that came to one that had stopped or were left in its mailbox. */
  def deadLetters: Long = DeadLetters.total.sum()
}

/**
 * What an actor may ask of its surroundings; on its own loop only. Timers, watches and children belong to the
 * incarnation that asked for them: they end when the actor stops or is made afresh, which asks for its own.
 */
trait Context[M] {
  def self: ActorRef[M]
  def loop: Loop

  /** From the next message on, `next` receives; its `onStart` is not called, its `onStop` will be. */
  def become(next: Actor[M]): Unit

  /** Ends this actor after the message it is at; those that wait become dead letters. */
  def stop(): Unit

  /**
   * Sends itself `message` after `delay`, by way of the mailbox and under its bound. Once cancelled it will not
   * be received, even if it is in the mailbox already.
   */
  def schedule(delay: FiniteDuration)(message: M): Scheduled

  /** As `schedule`, again and again. A tick is left out while the one before it still waits in the mailbox. */
  def every(interval: FiniteDuration)(message: M): Scheduled

  /**
   * Sends itself `message`, once, when `other` has stopped, or now if it has already. Such notices are received
   * before the messages that wait, and none is lost to a full mailbox.
   */
  def watch(other: ActorRef[_])(message: M): Scheduled

  /** Starts another actor on this loop. */
  def spawn[N](settings: ActorSettings = ActorSettings())(make: Context[N] => Actor[N]): ActorRef[N]
}

/** Something that was asked for and can be called off. */
trait Scheduled {

  /** May be repeated. */
  def cancel(): Unit
}
