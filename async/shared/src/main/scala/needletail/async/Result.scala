package needletail.async

import scala.util.{Failure, Success, Try}

/**
 * An [[Async]] that is complete, and the form in which every other one keeps its result.
 *
 * One small object, so that an answer given at once costs no more than that: `map` and `flatMap` on it call
 * their function right away, and whoever holds it may look at the result without registering for it.
 */
private[needletail] sealed abstract class Result[+A] extends Async[A] {

  /** Is it a value and not a failure? */
  def isValue: Boolean

  /** The value; throws the error when this is a failure. */
  def value: A

  /** The error, or `null` when this is a value. */
  def error: Throwable

  def toTry: Try[A]

  final private[needletail] def resultOrNull: Result[A] = this
  final private[async] def withdrawUnobserved(): Unit   = ()
  final def cancel(): Unit                              = ()
}

private[needletail] final class Value[+A](val value: A) extends Result[A] {
  def isValue: Boolean          = true
  def error: Throwable          = null
  def toTry: Try[A]             = Success(value)
  override def toString: String = s"Async.value($value)"
}

private[needletail] final class Failed(val error: Throwable) extends Result[Nothing] {
  def isValue: Boolean          = false
  def value: Nothing            = throw error
  def toTry: Try[Nothing]       = Failure(error)
  override def toString: String = s"Async.fail($error)"
}

private[async] object Result {
  val unit: Value[Unit] = new Value(())

  /** Shared by all who are cancelled: the exception carries no trace and takes no suppressed ones. */
  val cancelled: Failed = new Failed(new Cancelled)

  def of[A](result: Try[A]): Result[A] = result match {
    case Success(value) => new Value(value)
    case Failure(error) => new Failed(error)
  }
}
