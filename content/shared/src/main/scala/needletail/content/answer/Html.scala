package needletail.content.answer

import needletail.http.text.Markup
import needletail.http.{MediaType, Response}
import needletail.routing.Content

/**
 * HTML, made by the interpolator `html`, which escapes the values that it is given:
 *
 * {{{
 * GET / "hello" / arg[String] to (name => html"<h1>Hello, \$name!</h1>".ok)
 * }}}
 * A value of type `Html` is not escaped, and the elements of a collection or an option are put one after the
 * other. Values may stand in text and in quoted attributes. They are not made safe for scripts, styles, comments and
 * unquoted attributes, or as a URL whose scheme comes from outside.
 */
final class Html private (private val text: String) {
  override def toString: String            = text
  override def hashCode: Int               = text.hashCode
  override def equals(other: Any): Boolean = other match {
    case html: Html => html.text == text
    case _          => false
  }
}

object Html {

  /** Text as HTML: escaped. */
  def escape(text: String): Html = {
    val out = new java.lang.StringBuilder(text.length + 16)
    append(out, text)
    new Html(out.toString)
  }

  /** A text that is HTML already, and is trusted. */
  def raw(html: String): Html = new Html(html)

  /** `html.ok` and similar methods: text/html in UTF-8. */
  implicit val content: Content[Html] =
    (status, html) => Response(status).contentType(MediaType.Html).text(html.toString)

  private[content] def interpolate(parts: Seq[String], values: Seq[Any]): Html = {
    val out  = new java.lang.StringBuilder
    val left = values.iterator
    parts.foreach { part =>
      out.append(StringContext.processEscapes(part))
      if (left.hasNext) append(out, left.next())
    }
    new Html(out.toString)
  }

  private def append(out: java.lang.StringBuilder, value: Any): Unit = value match {
    case html: Html        => out.append(html.text); ()
    case many: Iterable[?] => many.foreach(append(out, _))
    case one: Option[?]    => one.foreach(append(out, _))
    case other             => Markup.escape(String.valueOf(other), out)
  }
}
