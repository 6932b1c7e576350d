package needletail.routing.internal.typing

import scala.language.dynamics

/** The error message for `to ((a, b) => …)`. */
@annotation.implicitNotFound(
  "the values of this route are one tuple: write to { case (a, b) => ... }, and for a method to { case (a, b) => f(a, b) }"
)
sealed abstract class CaseIsMissing {
  private[routing] def apply(handler: Any): Nothing
}

/**
 * The type of `a` and `b` in `to ((a, b) => …)`. It allows most of what can be done with a value, so that the compiler
 * reports the missing `case`, and not the first use of one of them. Where it does not, its name is in the message.
 *
 * Methods that several of the types have to which it is converted are members: those conversions would be ambiguous.
 */
sealed abstract class SeveralValuesNeedCase extends Dynamic {
  def selectDynamic(name: String): SeveralValuesNeedCase
  def updateDynamic(name: String)(value: Any): Unit
  def applyDynamic(name: String)(values: Any*): SeveralValuesNeedCase
  def applyDynamicNamed(name: String)(values: (String, Any)*): SeveralValuesNeedCase

  def +(other: Any): SeveralValuesNeedCase
  def -(other: Any): SeveralValuesNeedCase
  def *(other: Any): SeveralValuesNeedCase
  def /(other: Any): SeveralValuesNeedCase
  def %(other: Any): SeveralValuesNeedCase
  def <(other: Any): Boolean
  def >(other: Any): Boolean
  def <=(other: Any): Boolean
  def >=(other: Any): Boolean
  def toInt: Int
  def toLong: Long
  def toDouble: Double
}

object SeveralValuesNeedCase {
  implicit def boolean(value: SeveralValuesNeedCase): Boolean     = value > 0
  implicit def int(value: SeveralValuesNeedCase): Int             = value.toInt
  implicit def long(value: SeveralValuesNeedCase): Long           = value.toLong
  implicit def double(value: SeveralValuesNeedCase): Double       = value.toDouble
  implicit def string(value: SeveralValuesNeedCase): String       = value.toString
  implicit def uuid(value: SeveralValuesNeedCase): java.util.UUID = java.util.UUID.fromString(value.toString)

  /** A method, or a function whose parameters have types. */
  implicit def two[A, B, C](f: (A, B) => C): (SeveralValuesNeedCase, SeveralValuesNeedCase) => Any =
    (_, _) => f
}
