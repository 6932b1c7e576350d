package needletail.routing

import java.nio.charset.StandardCharsets.UTF_8

import needletail.http.{Cookie, HeaderList}

/**
 * A place that has none, one or several texts under a name. `first` answers a text, null or a [[Fault]]; `all` a
 * list of texts or a [[Fault]].
 */
private[routing] abstract class Field(place: String, val name: String) {
  val label: Label = new Label(place, name, false)

  /** The word for documentation: query, header, cookie. */
  def kind: String
  def first(in: Matching): Any
  def all(in: Matching): Any
}

/** Query parameters, as HTML forms write them: pairs split at "&", "+" for a space (WHATWG URL §5.1). */
private final class QueryField(name: String) extends Field("query parameter", name) {
  private val octets = name.getBytes(UTF_8)

  def kind: String = "query"

  def first(in: Matching): Any = {
    val head = in.request.head
    if (head.queryFrom < 0) null
    else
      FormPairs.find(head.bytes, head.base + head.queryFrom, head.base + head.queryUntil, octets) match {
        case null                                  => null
        case text: String if text eq FormPairs.bad => label.notUtf8
        case text                                  => text
      }
  }

  def all(in: Matching): Any = {
    val head = in.request.head
    if (head.queryFrom < 0) Nil
    else {
      val texts =
        FormPairs.findAll(head.bytes, head.base + head.queryFrom, head.base + head.queryUntil, octets)
      if (texts == null) label.notUtf8 else texts
    }
  }
}

/** Headers, names compared without case; a list has the members of all lines (RFC 9110 §5.6.1). */
private final class HeaderField(name: String) extends Field("header", name) {
  def kind: String = "header"

  def first(in: Matching): Any = {
    val head = in.request.head
    val i    = head.indexOf(name, 0)
    if (i < 0) null else head.value(i)
  }

  def all(in: Matching): Any = {
    val head  = in.request.head
    val texts = List.newBuilder[String]
    var i     = head.indexOf(name, 0)
    while (i >= 0) {
      texts ++= HeaderList.split(head.value(i))
      i = head.indexOf(name, i + 1)
    }
    texts.result()
  }
}

/** Cookies (RFC 6265 §4.2.1), names compared with case. */
private final class CookieField(name: String) extends Field("cookie", name) {
  def kind: String = "cookie"

  def first(in: Matching): Any = found(in).headOption.orNull

  def all(in: Matching): Any = found(in)

  private def found(in: Matching): List[String] = {
    val head  = in.request.head
    val texts = List.newBuilder[String]
    var i     = head.indexOf("cookie", 0)
    while (i >= 0) {
      Cookie.parse(head.value(i)).foreach { case (n, text) => if (n == name) texts += text }
      i = head.indexOf("cookie", i + 1)
    }
    texts.result()
  }
}

/**
 * A query parameter, header or cookie of a route, made by `?("name", ![T])`, `header("Name", ![T])` and
 * `cookie("name", ![T])`.
 */
final class Parameter[A] private[routing] (
    private[routing] val field: Field,
    private[routing] val values: Values[A]
) extends Part[A] {
  private[routing] def value(in: Matching): Any   = values.from(field, in)
  private[routing] def children: List[Part[?]]    = Nil
  private[routing] override def reads: Boolean    = true
  private[routing] def segments: Int              = 0
  private[routing] override def shortName: String = field.name

  override def map[B](f: A => B): Parameter[B] = new Parameter(field, values.map(f))
  override def filter(accept: A => Boolean, message: String = Quote.DefaultMessage): Parameter[A] =
    new Parameter(field, values.filter(accept, message))

  /** `None` where it is absent; a malformed one is still refused. */
  def optional: Parameter[Option[A]] = new Parameter(field, values.optional)

  /** `value` where it is absent; a malformed one is still refused. Evaluated each time. */
  def default(value: => A): Parameter[A] = new Parameter(field, values.default(value))

  /** `f` of the error message in place of refusing one that is absent, malformed or filtered out. */
  def recover(f: String => A): Parameter[A] = {
    val recovered = new Recovered[A](values, f)
    new Parameter(field, recovered)
  }
}

/** Asks for one certain text under a name: `?("version", "2")`. */
private[routing] final class LiteralParameter(val field: Field, val text: String) extends Part[Unit] {
  private[routing] def value(in: Matching): Any = field.first(in) match {
    case null                           => field.label.missing
    case found: String if found == text => ()
    case found: String                  =>
      Fault.badRequest(s"expected '$text' in ${field.label}, got '${Quote(found)}'", inPath = false)
    case fault => fault
  }
  private[routing] def children: List[Part[?]]    = Nil
  private[routing] override def reads: Boolean    = true
  private[routing] def segments: Int              = 0
  private[routing] override def shortName: String = field.name
}
