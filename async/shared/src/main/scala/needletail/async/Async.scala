package needletail.async

import scala.util.{Failure, Success, Try}
import scala.util.control.NonFatal

/**
 * A value that comes later, on the loop that asked for it.
 *
 * Completed and observed on one thread, so nothing here is synchronised and no execution context is passed.
 */
sealed abstract class Async[+A] {
  def poll: Option[Try[A]]
  def isCompleted: Boolean = poll.isDefined
  def onComplete(f: Try[A] => Unit): Unit
  def cancel(): Unit

  def transform[B](f: Try[A] => Async[B]): Async[B] = {
    val p = new Promise[B]
    p.onCancel(() => cancel())
    onComplete { t =>
      (try f(t)
      catch { case NonFatal(e) => Async.fail(e) }).onComplete(r => { p.complete(r); () })
    }
    p
  }
  def map[B](f: A => B): Async[B] = transform {
    case Success(a) => Async.value(f(a))
    case Failure(e) => Async.fail(e)
  }
  def flatMap[B](f: A => Async[B]): Async[B] = transform {
    case Success(a) => f(a)
    case Failure(e) => Async.fail(e)
  }
  def recover[B >: A](f: PartialFunction[Throwable, B]): Async[B] = transform {
    case Failure(e) if f.isDefinedAt(e) => Async.value(f(e))
    case Success(a)                     => Async.value(a)
    case Failure(e)                     => Async.fail(e)
  }
}

/** An [[Async]] that its owner completes, once. */
final class Promise[A] extends Async[A] {
  private var result: Option[Try[A]]            = None
  private var observers: List[Try[A] => Unit]   = Nil
  private var hooks: List[() => Unit]           = Nil
  def poll: Option[Try[A]]                      = result
  def onComplete(f: Try[A] => Unit): Unit       = result match {
    case Some(t) => f(t)
    case None    => observers = f :: observers
  }
  def onCancel(f: () => Unit): Unit = hooks = f :: hooks
  def cancel(): Unit                = if (result.isEmpty) { hooks.foreach(_()); fail(new Cancelled); () }
  def complete(t: Try[A]): Boolean  = result.isEmpty && {
    result = Some(t)
    observers.reverse.foreach(_(t))
    true
  }
  def succeed(a: A): Boolean      = complete(Success(a))
  def fail(e: Throwable): Boolean = complete(Failure(e))
}

final class Cancelled extends RuntimeException("cancelled", null, false, false)

object Async {
  private final class Done[A](t: Try[A]) extends Async[A] {
    def poll: Option[Try[A]]                = Some(t)
    def onComplete(f: Try[A] => Unit): Unit = f(t)
    def cancel(): Unit                      = ()
  }
  def value[A](a: A): Async[A]              = new Done(Success(a))
  def fail(e: Throwable): Async[Nothing]    = new Done(Failure(e))
  def fromFuture[A](f: scala.concurrent.Future[A]): Async[A] = {
    val p    = new Promise[A]
    val loop = Loop.current
    f.onComplete(t => loop.execute(() => { p.complete(t); () }))(scala.concurrent.ExecutionContext.parasitic)
    p
  }
}
