package needletail.routing

/**
 * Reads a value out of the texts that a query parameter, header or cookie has: none, one or several.
 *
 * `![Option[Int]]` and `![List[Int]]` make one; each `![Int]` is one too, a [[Value]]. Immutable and reusable:
 * `val page = ![Int]("page").filter(_ > 0, "{NAME} must be positive").default(1)`.
 */
trait Values[A] {

  /** The value or a [[Fault]]. */
  private[routing] def from(field: Field, in: Matching): Any

  private[routing] def typeName: String

  /** Is it a fault when there is no text at all? */
  private[routing] def isRequired: Boolean

  def map[B](f: A => B): Values[B] = new DerivedValues[B](this, isRequired, (_, v) => f(v.asInstanceOf[A]))

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
        else Fault.badRequest(Quote.fill(message, label.short, String.valueOf(v)), label.inPath)
    )

  /** `None` where there is no text; one that cannot be read is still refused. */
  def optional: Values[Option[A]] = new IfPresent[Option[A]](this, Some(_), () => None)

  /** `value` where there is no text; one that cannot be read is still refused. Evaluated each time. */
  def default(value: => A): Values[A] = new IfPresent[A](this, identity, () => value)

  /** `f` of the error message in place of refusing a text that is missing, malformed or filtered out. */
  def recover(f: String => A): Values[A] = new Recovered[A](this, f)
}

/**
 * Reads one value out of one text; made by `![A]`, or `arg[A]`. It can stand in a path, where it takes one
 * non-empty segment, and wherever [[Values]] can.
 */
final class Value[A] private (
    private[routing] val typeName: String,
    name: String,                  // null where it has none
    decode: (Label, String) => Any // the value or a Fault
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
  private[routing] def children: List[Part[?]] = Nil
  private[routing] override def reads: Boolean = true
  private[routing] def segments: Int           = 1
  private[routing] def pathName: String        = if (name == null) typeName else name
  private[routing] override def shortName      = label.short

  // ---- made of this one

  /** The same with a name, for error messages and documentation. */
  def named(name: String): Value[A] = new Value(typeName, name, decode)

  override def map[B](f: A => B): Value[B] = refine((_, _, v) => f(v.asInstanceOf[A]))

  /**
   * Refuses values with 400 and `message`, where `{NAME}` stands for the name of the value or its place and
   * `{VALUE}` for the text.
   */
  override def filter(accept: A => Boolean, message: String = Quote.DefaultMessage): Value[A] =
    refine((label, text, v) =>
      if (accept(v.asInstanceOf[A])) v
      else Fault.badRequest(Quote.fill(message, label.short, text), label.inPath)
    )

  /** `f` of the error message in place of refusing a text. A text that is missing is still refused. */
  override def recover(f: String => A): Value[A] = new Value(
    typeName,
    name,
    (label, text) =>
      decode(label, text) match {
        case fault: Fault => f(fault.error.message)
        case v            => v
      }
  )

  /** All values of that name, in order; an empty list where there is none. */
  def list: Values[List[A]] = new Many[A](this)

  private def refine[B](f: (Label, String, Any) => Any): Value[B] = new Value(
    typeName,
    name,
    (label, text) =>
      decode(label, text) match {
        case fault: Fault => fault
        case v            => f(label, text, v)
      }
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
      }
  )
}

private final class DerivedValues[A](of: Values[?], val isRequired: Boolean, f: (Label, Any) => Any)
    extends Values[A] {
  def typeName: String                      = of.typeName
  def from(field: Field, in: Matching): Any = of.from(field, in) match {
    case fault: Fault => fault
    case v            => f(field.label, v)
  }
}

private final class IfPresent[A](of: Values[?], some: Any => Any, none: () => Any) extends Values[A] {
  def typeName: String                      = of.typeName
  def isRequired: Boolean                   = false
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
  def from(field: Field, in: Matching): Any = of.from(field, in) match {
    case fault: Fault => f(fault.error.message)
    case v            => v
  }
}

private final class Many[A](of: Value[A]) extends Values[List[A]] {
  def typeName: String                      = s"list of ${of.typeName}"
  def isRequired: Boolean                   = false
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
