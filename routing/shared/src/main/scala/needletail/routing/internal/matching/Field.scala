package needletail.routing.internal.matching

import java.nio.charset.StandardCharsets.UTF_8

import needletail.http.message.{Cookie, HeaderList}
import needletail.http.text.{Ascii, Excerpt, Grammar}

/**
 * A place that has zero or more texts under a name. `first` returns a text, null or a [[Fault]]; `all` a list of texts
 * or a [[Fault]].
 */
private[routing] abstract class Field(where: String, val name: String) {
  val label: Label = new Label(where, name, false)

  /** The kind in documentation: query, header, cookie. */
  def kind: String

  /** Equal for fields that have the same texts. */
  def place: Any = (kind, name)
  def first(in: Matching): Any
  def all(in: Matching): Any
}

/** Query parameters in the form of HTML forms: pairs split at "&", "+" for a space (WHATWG URL §5.1). */
private[routing] final class QueryField(name: String) extends Field("query parameter", name) {
  private val rawBytes = name.getBytes(UTF_8)

  def kind: String = "query"

  def first(in: Matching): Any = {
    val head = in.request.head
    if (head.queryFrom < 0) null
    else
      FormPairs.find(head.bytes, head.base + head.queryFrom, head.base + head.queryUntil, rawBytes) match {
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
        FormPairs.findAll(head.bytes, head.base + head.queryFrom, head.base + head.queryUntil, rawBytes)
      if (texts == null) label.notUtf8 else texts
    }
  }
}

/** Headers; names are case-insensitive. A list has the members of all lines (RFC 9110 §5.6.1). */
private[routing] final class HeaderField(name: String) extends Field("header", name) {
  if (!Grammar.isToken(name))
    throw new IllegalArgumentException(
      s"no request has a header with the name '${Excerpt(name)}', which is no token: ${Excerpt.notToken(name)}"
    )

  def kind: String        = "header"
  override def place: Any = (kind, Ascii.lower(name))

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

/** Cookies (RFC 6265 §4.2.1); names are case-sensitive. */
private[routing] final class CookieField(name: String) extends Field("cookie", name) {
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
