package needletail.routing

import needletail.routing.internal.description.ParameterDescription
import needletail.routing.internal.matching.{Fault, Field, Label, Matching, Pattern, Quote, Segment}

/**
 * Reads one value from one text; made by `![A]`, or `arg[A]`. It can be part of a path, where it matches one non-empty
 * segment, and be used wherever [[Values]] can.
 */
final class Value[A] private (
    private[routing] val typeName: String,
    name: String,                   // null if it has none
    decode: (Label, String) => Any, // the value or a Fault
    private[routing] val demand: Any
) extends Path[A]
    with Values[A] {

  private val label = new Label("path segment", name, true)

  private[routing] def text(label: Label, text: String): Any = decode(label, text)

  private[routing] def from(field: Field, in: Matching): Any = field.first(in) match {
    case null         => field.label.missing
    case text: String =>
      decode(if (name == null) field.label else new Label(field.label.place, name, false), text)
    case fault => fault
  }

  private[routing] def isRequired: Boolean = true

  // ---- as a path of one segment

  private[routing] def value(in: Matching): Any = {
    val text = in.takeSegment()
    if (text == null) label.notUtf8 else decode(label, text)
  }
  private[routing] def children: List[Pattern]   = Nil
  private[routing] override def reads: Boolean   = true
  private[routing] def segments: Int             = 1
  private def pathName: String                   = if (name == null) typeName else name
  private[routing] override def segment: Segment = Segment.Captured(pathName)
  private[routing] override def shortName        = label.short

  private[routing] override def demands(at: Int): Set[Any] =
    if (demand == null) Set.empty else Set((at, demand))

  private[routing] override def description: Option[ParameterDescription] =
    Some(ParameterDescription(pathName, "path", typeName, required = true))

  // ---- derived values

  /** The same with a name, for error messages and documentation. */
  def named(name: String): Value[A] = new Value(typeName, name, decode, demand)

  override def map[B](f: A => B): Value[B] = refine(demand)((_, _, v) => f(v.asInstanceOf[A]))

  /**
   * Refuses values with 400 and `message`, where `{NAME}` stands for the name of the value or its place and
   * `{VALUE}` for the text.
   */
  override def filter(accept: A => Boolean, message: String = Quote.DefaultMessage): Value[A] =
    refine(new Object)((label, text, v) =>
      if (accept(v.asInstanceOf[A])) v
      else Fault.badRequest(Quote.fill(message, label.short, text), label.inPath)
    )

  /** Replaces a text that cannot be read by `f` of the error message. A missing text is still refused. */
  override def recover(f: String => A): Value[A] = new Value(
    typeName,
    name,
    (label, text) =>
      decode(label, text) match {
        case fault: Fault => f(fault.error.message)
        case v            => v
      },
    null
  )

  /** All values with that name, in order; an empty list if there are none. */
  def list: Values[List[A]] = new Many[A](this)

  private def refine[B](demand: Any)(f: (Label, String, Any) => Any): Value[B] = new Value(
    typeName,
    name,
    (label, text) =>
      decode(label, text) match {
        case fault: Fault => fault
        case v            => f(label, text, v)
      },
    demand
  )
}

private[routing] object Value {
  def of[A](read: Read[A], name: String): Value[A] = new Value[A](
    read.name,
    name,
    (label, text) =>
      read(text) match {
        case Some(a) => a
        case None    => label.expected(read.name, text)
      },
    if (read eq Read.string) null else read
  )
}

private final class Many[A](of: Value[A]) extends Values[List[A]] {
  def typeName: String                      = s"list of ${of.typeName}"
  def isRequired: Boolean                   = false
  def demand: Any                           = if (of.demand == null) null else ("each", of.demand)
  def from(field: Field, in: Matching): Any = field.all(in) match {
    case fault: Fault => fault
    case texts        =>
      val values = List.newBuilder[Any]
      val left   = texts.asInstanceOf[List[String]].iterator
      while (left.hasNext)
        of.text(field.label, left.next()) match {
          case fault: Fault => return fault
          case v            => values += v
        }
      values.result()
  }
}
