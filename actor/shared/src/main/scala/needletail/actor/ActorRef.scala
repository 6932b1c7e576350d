package needletail.actor

import java.util.concurrent.RejectedExecutionException
import java.util.concurrent.atomic.AtomicBoolean

import scala.concurrent.duration.FiniteDuration
import scala.concurrent.{ExecutionContext, Future, Promise => FuturePromise}

import needletail.async.{Async, AsyncPromise, Loop, Refused, Rejected, Survivable, TimedOut}

/** A receiver of messages: an actor, or the caller of `ask` that waits for the answer. */
trait Recipient[-M] {

  /** Sends `message`, from any thread, without waiting. Returns false if it will certainly not be received. */
  def send(message: M): Boolean

  /** As `send`, without the result. */
  final def !(message: M): Unit = { send(message); () }
}

/**
 * A reference to an actor. All methods may be called from any thread.
 *
 * The messages of one thread are received in the order in which they were sent. A message that was sent may never be
 * received, as the actor may stop before.
 */
abstract class ActorRef[-M] private[actor] extends Recipient[M] {

  /** The name in its settings; for messages. */
  def name: String

  /** Stops the actor after the current message; waiting messages become dead letters. May be called more than once. */
  def stop(): Unit

  /** Whether it has stopped. Then it receives nothing any more. */
  def isStopped: Boolean

  /** Completes when the actor has stopped and its `onStop` has run. */
  def whenStopped: Future[Unit]

  /** Its current counts. */
  def stats: ActorStats

  /** The loop that the actor runs on. */
  def loop: Loop

  private[actor] def watches: DeathWatch

  /** Whether its loop has ended, though that may not have stopped it yet. */
  private[actor] def isLost: Boolean

  /**
   * Sends the message that `make` builds with the recipient for the answer. The result is the first answer, on the
   * calling loop. Fails with `TimedOut` after `timeout`, and in the loop's next turn with [[Stopped]] or `Rejected` if
   * the message was not accepted: as the actor or its loop has ended, or as the mailbox is full.
   */
  final def ask[R](timeout: FiniteDuration)(make: Recipient[R] => M): Async[R] = {
    val answer = new LoopAnswer[R](Loop.current)
    if (send(make(answer))) answer.promise.timeout(timeout) else Refused.later(Async.fail(refusal))
  }

  /** As `ask`, for callers that are not on a loop. Fails with [[Stopped]] also when the actor's loop ends. */
  final def askFuture[R](timeout: FiniteDuration)(make: Recipient[R] => M): Future[R] = {
    val answer = new FutureAnswer[R]
    if (send(make(answer))) answer.expireOn(loop, timeout, name) else answer.promise.failure(refusal)
    answer.promise.future
  }

  private def refusal: Throwable =
    if (isStopped || isLost) new Stopped(name)
    else new Rejected(s"the mailbox of $name is full", Rejected.Mailbox)

  override def toString: String = s"ActorRef($name)"
}

/** The failure of `ask` when the actor has stopped. */
final class Stopped(name: String) extends RuntimeException(s"$name has stopped", null, false, false)

/**
 * Counts since the actor was spawned, except `waiting`. Read while the actor runs, so they need not be consistent with
 * each other.
 *
 * @param waiting     messages in the mailbox now
 * @param received    messages received
 * @param rejected    messages refused because the mailbox was full
 * @param dropped     messages that were dropped for newer ones
 * @param deadLetters messages sent after the stop or left in the mailbox by it
 * @param restarts    how often it was restarted
 */
final case class ActorStats(
    waiting: Int,
    received: Long,
    rejected: Long,
    dropped: Long,
    deadLetters: Long,
    restarts: Int
)

/** Delivers the first answer to the loop of the caller. */
private[actor] final class LoopAnswer[R](asking: Loop) extends AtomicBoolean with Recipient[R] {
  val promise = new AsyncPromise[R]

  def send(answer: R): Boolean =
    compareAndSet(false, true) && {
      if (asking.inLoop) promise.succeed(answer)
      else
        try {
          asking.execute { () => promise.succeed(answer); () }
          true
        } catch { case Survivable(_) => false } // that loop has ended
    }
}

private[actor] final class FutureAnswer[R] extends Recipient[R] {
  val promise: FuturePromise[R] = FuturePromise[R]()

  /** On a loop, what a callback of the future throws is nothing to the actor that answers. */
  def send(answer: R): Boolean =
    try promise.trySuccess(answer)
    catch {
      case Survivable(e) if Loop.currentOrNull != null =>
        Loop.current.unhandled(e)
        true
    }

  def expireOn(loop: Loop, timeout: FiniteDuration, name: String): Unit = {
    val ended: Runnable                  = () => { promise.tryFailure(new Stopped(name)); () }
    def tryExecute(task: Runnable): Unit =
      try loop.execute(task)
      catch { case _: RejectedExecutionException => ended.run() }
    // a loop's timers are created and cancelled on its own thread
    tryExecute { () =>
      if (!promise.isCompleted) {
        val timer = loop.schedule(timeout.toNanos, () => { promise.tryFailure(new TimedOut(timeout)); () })
        loop.atEnd(ended)
        promise.future.onComplete(_ => tryExecute { () => timer.cancel(); loop.notAtEnd(ended) })(
          ExecutionContext.parasitic
        )
      }
    }
  }
}
