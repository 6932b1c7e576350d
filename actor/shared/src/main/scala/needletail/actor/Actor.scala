package needletail.actor

import scala.concurrent.duration._

import needletail.async.Loop

/**
 * The behaviour of an actor. It receives messages one after another, on its loop's thread, so that its state needs
 * no lock. It must not block.
 *
 * A function literal is enough, with the state in variables around it:
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

  /** Handles one message. An exception is a failure: the actor is restarted, or stopped beyond the limit. */
  def receive(message: M): Unit

  /** Called before the first message. An exception counts as a failure. */
  def onStart(): Unit = ()

  /** Called once after the last message: when the actor stops, and before it is restarted after a failure. */
  def onStop(): Unit = ()
}

object Actor {

  /**
   * Starts an actor on `loop`, from any thread. `make` is called there, before the first message and again after each
   * failure: it creates the state. The mailbox survives failures. The actor lives until it stops, also if nothing refers
   * to it any more; it stops when the loop ends.
   */
  def spawn[M](
      loop: Loop,
      settings: ActorSettings = ActorSettings()
  )(make: Context[M] => Actor[M]): ActorRef[M] = {
    val cell = new ActorCell[M](loop, settings, make)
    cell.begin()
    cell
  }

  /** The number of messages that no actor of this process received, because it had stopped. */
  def deadLetters: Long = DeadLetters.total.sum()
}

/**
 * Operations of an actor besides receiving messages; on its own loop only. Timers, watches and children belong to the incarnation
 * that created them: they end when the actor stops or is restarted.
 */
trait Context[M] {

  /** The reference to this actor. */
  def self: ActorRef[M]

  /** The loop that this actor runs on. */
  def loop: Loop

  /**
   * Replaces the behaviour: `next` receives from the next message on. Its `onStart` is not called, its `onStop` will
   * be.
   */
  def become(next: Actor[M]): Unit

  /** Stops this actor after the current message; waiting messages become dead letters. */
  def stop(): Unit

  /**
   * Sends itself `message` after `delay`, through the mailbox and within its bound. Once cancelled it will not be
   * received, even if it is in the mailbox already.
   */
  def schedule(delay: FiniteDuration)(message: M): Scheduled

  /**
   * As `schedule`, repeatedly. A tick is skipped while the previous one still waits in the mailbox.
   *
   * @throws java.lang.IllegalArgumentException if `interval` is not positive
   */
  def every(interval: FiniteDuration)(message: M): Scheduled

  /**
   * Sends itself `message`, once, when `other` has stopped, or now if it has already. Such notifications are received
   * before waiting messages, and are not lost if the mailbox is full.
   */
  def watch(other: ActorRef[_])(message: M): Scheduled

  /** Starts another actor on this loop. */
  def spawn[N](settings: ActorSettings = ActorSettings())(make: Context[N] => Actor[N]): ActorRef[N]
}
