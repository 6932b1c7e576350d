package needletail.routing

import needletail.routing.internal.description.ParameterDescription
import needletail.routing.internal.matching.{Fault, Field, Matching, Pattern, Quote}

/**
 * A query parameter, header or cookie of a route, made by `?("name", ![T])`, `header("Name", ![T])` and
 * `cookie("name", ![T])`.
 */
final class Parameter[A] private[routing] (
    private[routing] val field: Field,
    private[routing] val values: Values[A]
) extends Part[A] {
  private[routing] def value(in: Matching): Any                           = values.from(field, in)
  private[routing] def children: List[Pattern]                            = Nil
  private[routing] override def reads: Boolean                            = true
  private[routing] def segments: Int                                      = 0
  private[routing] override def shortName: String                         = field.name
  private[routing] override def description: Option[ParameterDescription] =
    Some(ParameterDescription(field.name, field.kind, values.typeName, values.isRequired))

  // apart from a query that is malformed, which only routes take that do not read it
  private[routing] override def demands(at: Int): Set[Any] =
    (if (values.isRequired) Set[Any](field.place -> "present") else Set.empty[Any]) ++
      (if (values.demand == null) Set.empty[Any] else Set[Any](field.place -> values.demand))

  override def map[B](f: A => B): Parameter[B] = new Parameter(field, values.map(f))
  override def filter(accept: A => Boolean, message: String = Quote.DefaultMessage): Parameter[A] =
    new Parameter(field, values.filter(accept, message))

  /** `None` if it is absent; a malformed one is still refused. */
  def optional: Parameter[Option[A]] = new Parameter(field, values.optional)

  /** `value` if it is absent; a malformed one is still refused. Evaluated each time. */
  def default(value: => A): Parameter[A] = new Parameter(field, values.default(value))

  /** Replaces a value that is absent, malformed or filtered out by `f` of the error message. */
  def recover(f: String => A): Parameter[A] = {
    val recovered = new Recovered[A](values, f)
    new Parameter(field, recovered)
  }
}

/** Requires a given text under a name: `?("version", "2")`. */
private[routing] final class LiteralParameter(val field: Field, val text: String) extends Part[Unit] {
  private[routing] def value(in: Matching): Any = field.first(in) match {
    case null                           => field.label.missing
    case found: String if found == text => ()
    case found: String                  =>
      Fault.badRequest(s"expected '$text' in ${field.label}, got '${Quote(found)}'", inPath = false)
    case fault => fault
  }
  private[routing] def children: List[Pattern]                            = Nil
  private[routing] override def reads: Boolean                            = true
  private[routing] def segments: Int                                      = 0
  private[routing] override def shortName: String                         = field.name
  private[routing] override def description: Option[ParameterDescription] =
    Some(ParameterDescription(field.name, field.kind, s"'$text'", required = true))
  private[routing] override def demands(at: Int): Set[Any] =
    Set(field.place -> "present", field.place -> ("is", text))
}
