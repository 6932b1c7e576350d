package needletail.stream.stage

import scala.collection.mutable.ArrayDeque
import scala.util.{Failure, Success, Try}

import needletail.async.{Async, Survivable}

/**
 * Where elements come from, as the stages of a stream see it: an element that is ready costs one call and no object.
 *
 * It is used on one loop. `advance` is not called again before its last result is complete. A reader that has seen the end or a
 * failure never cancels it; one that stops earlier cancels it once.
 */
private[needletail] abstract class Pull[+A] {

  /**
   * The next element itself, `Pull.End`, or a [[Later]]. Elements are boxed, as generic values are; null is one. Throws
   * nothing that is survivable, unless the stack is used up.
   */
  private[needletail] def advance(): AnyRef

  /** Ends it early. */
  def cancel(): Unit

  /** The stage that all remaining elements come from, if it is another one; otherwise null. */
  private[needletail] def standsFor: Pull[A] = null

  /** This one, or what is left of it, so that chains of streams do not grow as they proceed. */
  final private[needletail] def asPull: Pull[A] = {
    var pull = this
    var next = pull.standsFor
    while (next != null) {
      pull = next
      next = pull.standsFor
    }
    pull
  }
}

/** An element, or `Pull.End`, that is not there yet; or a failure, which may be complete. */
private[needletail] final class Later(val async: Async[AnyRef]) {

  /** The failure if it is complete; null if it is still to come. */
  def failure: Throwable = {
    val result = async.resultOrNull
    if (result == null) null else result.error
  }

  /** Continues with the result of `f` for the element or `Pull.End`. Failures are passed on. */
  def andThen(f: AnyRef => AnyRef): Later =
    if (failure != null) this else new Later(async.flatMap(x => Pull.async(f(x))))

  /** The same, with failures. */
  def orElse(f: AnyRef => AnyRef)(failed: Throwable => AnyRef): AnyRef = {
    val error = failure
    if (error != null) failed(error)
    else
      new Later(async.transform {
        case Success(x) => Pull.async(f(x))
        case Failure(e) => Pull.async(failed(e))
      })
  }
}

private[needletail] object Pull {

  /** The end, in every call after it as well. */
  object End

  /** Within stages: nothing to pass on yet. */
  object Again

  def fail(error: Throwable): Later = new Later(Async.fail(error))

  /** The result of `advance` as an `Async` of an element or `End`. */
  def async(x: AnyRef): Async[AnyRef] = x match {
    case later: Later => later.async
    case _            => Async.value(x)
  }

  /** The reverse: without a detour if it is complete. */
  def of(async: Async[AnyRef]): AnyRef = {
    val result = async.resultOrNull
    if (result != null && result.isValue) result.value else new Later(async)
  }

  /** What `advance` returns for the result of `Stream.next`. */
  def fromOption(option: Option[Any]): AnyRef = option match {
    case Some(element) => element.asInstanceOf[AnyRef]
    case None          => End
    case null          => throw new NullPointerException("a stream's next returned null instead of an Option")
  }

  /**
   * Cancels it. Exceptions go to the loop, which logs them. Stages cancel their sources by this, and those theirs: what
   * is deep below waits until those above are done, so that long chains need no stack.
   */
  def cancel(pull: Pull[Any]): Unit = Cancelling.here.cancel(pull)

  /** Exceptions that belong to no result go to the loop, which logs them. */
  def report(error: Throwable): Unit = Async.unit.foreach(_ => throw error)

  /** Completes with what `advance` returned. */
  def complete(promise: needletail.async.AsyncPromise[AnyRef], x: AnyRef): Unit = x match {
    case later: Later => later.async.onComplete((t: Try[AnyRef]) => { promise.complete(t); () })
    case _            => promise.succeed(x); ()
  }
}

/** The cancelling of a thread's streams. */
private final class Cancelling {
  private var depth   = 0
  private val waiting = new ArrayDeque[Pull[Any]](0)

  def cancel(pull: Pull[Any]): Unit =
    if (depth == Cancelling.MaxDepth) { waiting += pull; () }
    else {
      now(pull)
      if (depth == 0)
        while (!waiting.isEmpty) now(waiting.removeHead())
    }

  private def now(pull: Pull[Any]): Unit = {
    depth += 1
    try pull.asPull.cancel()
    catch { case Survivable(e) => Pull.report(e) }
    finally depth -= 1
  }
}

private object Cancelling {
  final val MaxDepth = 100

  private val all = new ThreadLocal[Cancelling] {
    override def initialValue(): Cancelling = new Cancelling
  }

  def here: Cancelling = all.get()
}
