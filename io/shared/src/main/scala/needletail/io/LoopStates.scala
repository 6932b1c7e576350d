package needletail.io

import java.util.concurrent.{ConcurrentHashMap, CountDownLatch, RejectedExecutionException, TimeUnit}

import scala.concurrent.{ExecutionContext, Future, Promise}
import scala.jdk.CollectionConverters._
import scala.util.Failure

import needletail.async.{Async, AsyncPromise, BlockingAwait, Loop, Survivable}

/**
 * The event loops that something such as a client is used on, and its state on each of them: the loop that it is called
 * on, whichever that is; for calls from other threads, loops that were lent to it or that it starts itself. For any
 * thread.
 *
 * @param owner what messages name: "the client"
 * @param count own loops; 0: as many as processors. Started when first needed, as daemons
 * @param lent loops for calls from other threads; null: it starts loops of its own
 * @param make creates the state of a loop, on that loop
 * @param discard ends the state of a loop, on that loop; called by `close`, and then for each state made later
 */
private[needletail] final class LoopStates[S](
    owner: String,
    name: String,
    count: Int,
    lent: EventLoops,
    make: EventLoop => S,
    discard: S => Unit
) {
  private val states           = new ConcurrentHashMap[EventLoop, S]
  private val mine             = new ThreadLocal[LoopStates.Mine[S]] // the calling loop's
  private var own: EventLoops  = null                                // started when first needed
  @volatile private var closed = false

  /**
   * Runs `body` on a loop. Fails with `closedError` if this is closed, or its loop ends before `body` has completed.
   */
  def run[A](body: => Async[A], closedError: () => Throwable = isClosed): Future[A] = {
    val loop    = nextOrNull()
    val promise = Promise[A]()
    if (loop == null) promise.failure(closedError())
    else
      try
        loop.execute { () =>
          try untilEnd(loop, body, closedError).onComplete(t => { promise.complete(t); () })
          catch {
            case e: Throwable => // fatal: the loop ends with it
              try promise.tryFailure(closedError())
              catch { case _: Throwable => promise.tryFailure(e) } // it may lack memory, too
              throw e
          }
        }
      catch { case _: RejectedExecutionException => promise.failure(closedError()) } // it has just ended
    promise.future
  }

  /**
   * Runs `body` on a loop and blocks until it completes. Throws `closedError` as `run` fails with it, and
   * IllegalStateException on an event loop's thread.
   */
  def await[A](body: => Async[A], closedError: () => Throwable = isClosed): A = {
    if (Loop.currentOrNull != null)
      throw new IllegalStateException(
        "await would block an event loop, and with it every connection of that loop; use the Async, or call it " +
          "inside Async.blocking"
      )
    val loop = nextOrNull()
    if (loop == null) throw closedError()
    try BlockingAwait.await(loop, closedError)(untilEnd(loop, body, closedError))
    catch { case _: RejectedExecutionException => throw closedError() }
  }

  private def isClosed: () => Throwable = () => new IllegalStateException(s"$owner is closed")

  /** Runs `body` on `loop`, which is the calling one; what has not completed when that loop ends fails. */
  private def untilEnd[A](loop: EventLoop, body: => Async[A], closedError: () => Throwable): Async[A] = {
    val running = Async.defer(body)
    if (running.isCompleted) running
    else {
      val result          = new AsyncPromise[A]
      val ended: Runnable = () => { result.fail(closedError()); () }
      loop.atEnd(ended)
      result.onCancel(() => running.cancel())
      running.onComplete { r =>
        loop.notAtEnd(ended)
        r match {
          // the one that has ended the loop: it is told to some observers before `ended` runs, to others later
          case Failure(e) if loop.isStopping && !Survivable(e) => result.fail(closedError())
          case _                                               => result.complete(r)
        }
        ()
      }
      result
    }
  }

  /** The calling loop's state. Throws IllegalStateException with `otherwise` on a thread that is not an event loop's. */
  def here(otherwise: => String): S = {
    val known = mine.get()
    if (known != null && known.loop.inLoop) known.state
    else
      Loop.currentOrNull match {
        case loop: EventLoop =>
          states.keySet.removeIf(l => !l.isAlive)
          var state = states.get(loop)
          if (state == null) {
            state = make(loop)
            states.put(loop, state)
          }
          mine.set(new LoopStates.Mine(loop, state))
          if (closed) discard(state)
          state
        case null => throw new IllegalStateException(otherwise)
        case _    => throw new IllegalStateException(LoopStates.NoSockets)
      }
  }

  /** The present states. */
  def all: Iterable[S] = states.values.asScala

  /** The present state of a loop. */
  def of(loop: EventLoop): Option[S] = Option(states.get(loop))

  /** The loops that it is on: those for calls from other threads, if they were started, and all that have a state. */
  def loops: Seq[EventLoop] = {
    val forOthers = if (lent != null) lent else synchronized(own)
    val those     = if (forOthers == null) Nil else (0 until forOthers.size).map(forOthers(_))
    (those ++ states.keySet.asScala).distinct
  }

  /** Calls `f` with each present state, on its loop. Does not wait. */
  def each(f: S => Unit): Unit = { onEach(f); () }

  /** As `each`, and completes when all that `f` returns has completed, or its loop has ended. */
  def eachAsync(f: S => Async[Unit]): Future[Unit] = {
    implicit val here: ExecutionContext = ExecutionContext.parasitic
    Future
      .sequence(states.asScala.toList.map { case (loop, state) =>
        Async.run(loop)(f(state)).recover { case _ => () } // or its loop has ended
      })
      .map(_ => ())
  }

  /** A loop for a call from another thread; null if closed. */
  private def nextOrNull(): EventLoop =
    if (lent != null) { if (closed) null else lent.next() }
    else {
      val loops = synchronized {
        if (own == null && !closed)
          own = new EventLoops(
            if (count > 0) count else Runtime.getRuntime.availableProcessors,
            name,
            daemon = true
          )
        own
      }
      if (closed) null else loops.next()
    }

  /**
   * Discards every state and stops its own loops. Returns when that is done, or after `CloseSeconds` if user code blocks
   * a loop, which then does it later; on an event loop's thread, at once.
   */
  def close(): Unit = {
    val stopping = synchronized {
      closed = true
      own
    }
    val left = onEach { state =>
      try discard(state)
      finally mine.remove() // otherwise the loop's thread would keep its owner reachable
    }
    if (stopping != null) {
      // a loop must not wait for itself
      if (Loop.currentOrNull == null) { val _ = left.await(LoopStates.CloseSeconds, TimeUnit.SECONDS) }
      stopping.stop()
    }
  }

  private def onEach(f: S => Unit): CountDownLatch = {
    val now  = states.asScala.toList
    val left = new CountDownLatch(now.size)
    now.foreach { case (loop, state) =>
      try
        loop.execute { () =>
          try f(state)
          finally left.countDown()
        }
      catch { case _: RejectedExecutionException => left.countDown() } // it has ended, with all it had
    }
    left
  }
}

private[io] object LoopStates {

  /** On a loop that is no `EventLoop`, such as that of a test. */
  private final val NoSockets =
    "this loop, a test's or a ThreadLoop, has no sockets, so a client cannot be used on it: await its future by " +
      "Async.fromFuture, or give the code under test a trait of its own, which the test implements"

  /** How long `close` waits for loops. */
  private final val CloseSeconds = 5L

  private final class Mine[S](val loop: EventLoop, val state: S)
}
