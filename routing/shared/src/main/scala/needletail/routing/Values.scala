package needletail.routing

import needletail.routing.internal.matching.{Fault, Field, Label, Matching, Quote}

/**
 * Reads a value from the texts of a query parameter, header or cookie: zero or more.
 *
 * `![Option[Int]]` and `![List[Int]]` make one; each `![Int]` is one too, a [[Value]]. Immutable and reusable: `val
 * page = ![Int]("page").filter(_ > 0, "{NAME} must be positive").default(1)`.
 */
trait Values[A] {

  /** The value or a [[Fault]]. */
  private[routing] def from(field: Field, in: Matching): Any

  private[routing] def typeName: String

  /** Whether it is a fault if there is no text. */
  private[routing] def isRequired: Boolean

  /** What it demands of a text; null if it takes any. See `Pattern.demands`. */
  private[routing] def demand: Any

  /** Converts the value with `f`. An exception of `f` results in a 500. */
  def map[B](f: A => B): Values[B] =
    new DerivedValues[B](this, isRequired, (_, v) => f(v.asInstanceOf[A]), refuses = false)

  /**
   * Refuses values with 400 and `message`, where `{NAME}` stands for the parameter's name and `{VALUE}` for the
   * value.
   */
  def filter(accept: A => Boolean, message: String = Quote.DefaultMessage): Values[A] =
    new DerivedValues[A](
      this,
      isRequired,
      (label, v) =>
        if (accept(v.asInstanceOf[A])) v
        else Fault.badRequest(Quote.fill(message, label.short, String.valueOf(v)), label.inPath),
      refuses = true
    )

  /** `None` if there is no text; a malformed one is still refused. */
  def optional: Values[Option[A]] = new IfPresent[Option[A]](this, Some(_), () => None)

  /** `value` if there is no text; a malformed one is still refused. Evaluated each time. */
  def default(value: => A): Values[A] = new IfPresent[A](this, identity, () => value)

  /** Replaces a value that is missing, malformed or filtered out by `f` of the error message. */
  def recover(f: String => A): Values[A] = new Recovered[A](this, f)
}

private final class DerivedValues[A](
    of: Values[?],
    val isRequired: Boolean,
    f: (Label, Any) => Any,
    refuses: Boolean
) extends Values[A] {
  def typeName: String                      = of.typeName
  def demand: Any                           = if (refuses) this else of.demand
  def from(field: Field, in: Matching): Any = of.from(field, in) match {
    case fault: Fault => fault
    case v            => f(field.label, v)
  }
}

private final class IfPresent[A](of: Values[?], some: Any => Any, none: () => Any) extends Values[A] {
  def typeName: String    = of.typeName
  def isRequired: Boolean = false
  // one that is not required may refuse also where there is nothing, as this one does not
  def demand: Any = if (of.isRequired || of.demand == null) of.demand else ("if present", of.demand)
  def from(field: Field, in: Matching): Any =
    if (field.first(in) == null) none()
    else
      of.from(field, in) match {
        case fault: Fault => fault
        case v            => some(v)
      }
}

private final class Recovered[A](of: Values[A], f: String => A) extends Values[A] {
  def typeName: String                      = of.typeName
  def isRequired: Boolean                   = false
  def demand: Any                           = null
  def from(field: Field, in: Matching): Any = of.from(field, in) match {
    case fault: Fault => f(fault.error.message)
    case v            => v
  }
}
