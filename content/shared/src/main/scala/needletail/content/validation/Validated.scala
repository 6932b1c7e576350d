package needletail.content.validation

import needletail.http.{Response, Status}
import needletail.json.InputProblem
import needletail.routing.internal.typing.Concat

/**
 * An error in an input.
 *
 * @param field its name; within an object or a list a path such as `lines[2].price`
 * @param message the violated requirement
 */
final case class FieldError(field: String, message: String)

/**
 * A value that is checked, with everything that is wrong with it: all checks are made, not only up to the first that
 * fails. Immutable.
 *
 * {{{
 * def valid(order: Order): Validated[Order] =
 *   Validated(order)
 *     .check("item", "must not be empty")(_.item.nonEmpty)
 *     .check("count", "must be positive")(_.count > 0)
 *     .each("lines", _.lines)(line => Validated(line).check("price", "must not be negative")(_.price >= 0))
 *
 * POST / "orders" + Body[Order].validate(valid) to (order => …)
 * }}}
 */
sealed class Validated[A] private[validation] (
    private[validation] val value: Option[A], // None where there is nothing to check
    val errors: Vector[FieldError]
) {

  /** Requires something of a field of the value. */
  def check(field: String, message: String)(accept: A => Boolean): Validated[A] =
    if (value.forall(accept)) this else withErrors(Vector(FieldError(field, message)))

  /** Requires something of the value itself, such as a text in a list of texts: `each("tags", _.tags)`. */
  def check(message: String)(accept: A => Boolean): Validated[A] = check("", message)(accept)

  /** Checks a part of the value, whose errors are those of `field.…`, or of `field` if they are of the part itself. */
  def within[B](field: String, of: A => B)(check: B => Validated[?]): Validated[A] =
    value.fold(this)(v => withErrors(check(of(v)).errors.map(Validated.below(field, _))))

  /** Checks each of several parts of the value, whose errors are those of `field[0].…` and so on. */
  def each[B](field: String, of: A => Iterable[B])(check: B => Validated[?]): Validated[A] =
    value.fold(this) { v =>
      val found = of(v).iterator.zipWithIndex.flatMap { case (item, i) =>
        check(item).errors.iterator.map(Validated.below(s"$field[$i]", _))
      }
      withErrors(found.take(Validated.MaxErrors).toVector)
    }

  /** The value converted, unless something is wrong with it. */
  def map[B](f: A => B): Validated[B] =
    new Validated(if (errors.isEmpty) value.map(f) else None, errors)

  /** Both values, in a flat tuple as `+` of routes makes it, and the errors of both. */
  def +[B, C](other: Validated[B])(implicit values: Concat[A, B, C]): Validated[C] =
    new Validated(
      for (a <- value; b <- other.value) yield values.join(a, b).asInstanceOf[C],
      Validated.some(errors ++ other.errors)
    )

  /** The value, or at most 100 errors. */
  def result: Either[Seq[FieldError], A] = value match {
    case Some(v) if errors.isEmpty => Right(v)
    case _                         => Left(errors)
  }

  /** The value, or the problem to respond with: application/problem+json, with the list `errors`. */
  private[content] def orProblem(status: Status): Either[Response, A] =
    result.left.map(Validated.problem(_, status))

  private def withErrors(more: Vector[FieldError]): Validated[A] =
    if (more.isEmpty) this else new Validated(value, Validated.some(errors ++ more))
}

object Validated {
  private[validation] final val MaxErrors = 100

  /** A value to check. */
  def apply[A](value: A): Validated[A] = new Validated(Some(value), Vector.empty)

  /** No value, for this reason. */
  def error[A](field: String, message: String): Validated[A] =
    new Validated(None, Vector(FieldError(field, message)))

  /** The problem that reports errors to a client: `{"errors":[{"field":…,"message":…}],…}`. */
  def problem(errors: Seq[FieldError], status: Status = Status.UnprocessableContent): Response =
    InputProblem.response(
      status,
      "the input is not valid",
      errors.map(e => InputProblem.entry(e.field, e.message))
    )

  private def below(field: String, error: FieldError): FieldError =
    error.copy(field =
      if (error.field.isEmpty || error.field.startsWith("[")) field + error.field
      else s"$field.${error.field}"
    )

  private def some(errors: Vector[FieldError]): Vector[FieldError] = errors.take(MaxErrors)
}

/** A field of a form or a query, made by `form.field[Int]("age")`. */
final class Field[A] private[validation] (name: String, value: Option[A], errors: Vector[FieldError])
    extends Validated[A](value, errors) {

  /** Requires something of it, if it could be read. */
  override def check(message: String)(accept: A => Boolean): Field[A] =
    if (value.forall(accept)) this else new Field(name, value, errors :+ FieldError(name, message))
}
