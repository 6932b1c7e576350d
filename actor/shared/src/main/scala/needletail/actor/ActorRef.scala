package needletail.actor

import java.util.concurrent.RejectedExecutionException
import java.util.concurrent.atomic.AtomicBoolean

import scala.concurrent.duration.FiniteDuration
import scala.concurrent.{ExecutionContext, Future, Promise => FuturePromise}

import needletail.async.{Async, Loop, Promise, Rejected, Survivable, TimedOut}

/** Somewhere to send messages to: an actor, or the place where somebody who asked waits for the answer. */
trait Recipient[-M] {

  /** Leaves `message` there, from any thread, without waiting. False when it certainly will not be received. */
  def send(message: M): Boolean

  /** `send`, for when it does not matter whether it is received. */
  final def !(message: M): Unit = { send(message); () }
}

/**
 * The way to an actor. All methods may be called from any thread.
 *
 * What one thread sends is received in the order in which it was sent. A message may be sent and never
 * received: the actor may stop before its turn comes.
 */
abstract class ActorRef[-M] private[actor] extends Recipient[M] {
  def name: String

  /** Ends the actor after the message it is at; those that wait become dead letters. May be repeated. */
  def stop(): Unit

  def isStopped: Boolean

  /** Complete when the actor has stopped and its `onStop` has run. */
  def whenStopped: Future[Unit]

  def stats: ActorStats

  /** Where the actor lives. */
  def loop: Loop

  private[actor] def watches: Watches

  /**
   * Sends the message that `make` builds around the place for the answer, and gives the answer to the loop that
   * calls. Fails with `TimedOut`, and at once with [[Stopped]] or `Rejected` when the message was not taken.
   */
  final def ask[R](timeout: FiniteDuration)(make: Recipient[R] => M): Async[R] = {
    val answer = new LoopAnswer[R](Loop.current)
    if (send(make(answer))) answer.promise.within(timeout) else Async.fail(refusal)
  }

  /** As `ask`, for callers that are on no loop. */
  final def askFuture[R](timeout: FiniteDuration)(make: Recipient[R] => M): Future[R] = {
    val answer = new FutureAnswer[R]
    if (send(make(answer))) answer.expireOn(loop, timeout) else answer.promise.failure(refusal)
    answer.promise.future
  }

  private def refusal: Throwable =
    if (isStopped) new Stopped(name) else new Rejected(s"the mailbox of $name is full", Rejected.Mailbox)

  override def toString: String = s"ActorRef($name)"
}

/** The failure of a question to an actor that has stopped. */
final class Stopped(name: String) extends RuntimeException(s"$name has stopped", null, false, false)

/**
 * Counts since the actor was spawned, but for `waiting`. Taken while the actor runs, so they need not fit each
 * other to the last message.
 *
 * @param waiting     messages in the mailbox now
 * @param received    messages the actor was given
 * @param rejected    messages refused because the mailbox was full
 * @param dropped     messages that made way for newer ones
 * @param deadLetters messages sent after the stop or left in the mailbox by it
 * @param restarts    how often it was made afresh
 */
final case class ActorStats(
    waiting: Int,
    received: Long,
    rejected: Long,
    dropped: Long,
    deadLetters: Long,
    restarts: Int
)

/** Takes the first answer to where the asking loop waits for it. */
private[actor] final class LoopAnswer[R](asking: Loop) extends AtomicBoolean with Recipient[R] {
  val promise = new Promise[R]

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

  def send(answer: R): Boolean = promise.trySuccess(answer)

  def expireOn(loop: Loop, timeout: FiniteDuration): Unit =
    // a loop's timers are made and cancelled on its own thread
    tryExecute(loop) { () =>
      if (!promise.isCompleted) {
        val timer = loop.schedule(timeout.toNanos, () => { promise.tryFailure(new TimedOut(timeout)); () })
        promise.future.onComplete(_ => tryExecute(loop)(() => timer.cancel()))(ExecutionContext.parasitic)
      }
    }

  private def tryExecute(loop: Loop)(task: Runnable): Unit =
    try loop.execute(task)
    catch { case e: RejectedExecutionException => promise.tryFailure(e); () } // that loop has ended
}
