package needletail.http.message

import java.nio.charset.{Charset, StandardCharsets}

import needletail.http.text.{Ascii, Utf8Text}

/** Common media types as values of Content-Type, and functions that parse such values (RFC 9110 §8.3). */
object MediaType {

  /** Plain text in UTF-8. */
  val Text = "text/plain; charset=utf-8"

  /** HTML in UTF-8. */
  val Html = "text/html; charset=utf-8"

  /** JSON (RFC 8259), which is always UTF-8. */
  val Json = "application/json"

  /** The parameters of an HTML form or a query. */
  val Form = "application/x-www-form-urlencoded"

  /** Arbitrary bytes. */
  val Bytes = "application/octet-stream"

  /** The common types by the length of their value, each as the only header of a response. */
  private val usual: Array[Array[Headers]] = {
    val byLength = new Array[Array[Headers]](34)
    for (
      value <-
        Array(Text, Html, Json, Form, Bytes, "text/plain", "text/html", "application/json; charset=utf-8")
    ) {
      val others = byLength(value.length)
      val line   = Headers.trusted(Array("Content-Type", value))
      byLength(value.length) = if (others == null) Array(line) else others :+ line
    }
    byLength
  }

  /**
   * A type as the only header of a response. Common types return the same object each time, so that it is rendered
   * once.
   */
  private[http] def headers(value: String): Headers = {
    val n     = value.length
    val known = if (n < usual.length) usual(n) else null
    if (known != null) {
      var i = 0
      while (i < known.length) {
        if (known(i).flat(1) == value) return known(i)
        i += 1
      }
    }
    Headers.empty.setKnown("Content-Type", value)
  }

  /** Type and subtype in lower case, without parameters. */
  def essence(contentType: String): String = {
    val semicolon = contentType.indexOf(';')
    Ascii.lower((if (semicolon < 0) contentType else contentType.substring(0, semicolon)).trim)
  }

  /** The value of a parameter, without its quotes; names are case-insensitive (RFC 9110 §5.6.6). */
  def parameter(contentType: String, name: String): Option[String] = {
    var i = contentType.indexOf(';')
    while (i >= 0 && i < contentType.length) {
      val end = parameterEnd(contentType, i + 1)
      // searched up to the parameter's end only: otherwise many parameters without "=" would take quadratic time
      var equals = i + 1
      while (equals < end && contentType.charAt(equals) != '=') equals += 1
      if (equals < end && Ascii.same(contentType.substring(i + 1, equals).trim, name))
        return Some(unquoted(contentType.substring(equals + 1, end).trim))
      i = end
    }
    None
  }

  /** The charset of the parameter if the platform supports it, else UTF-8. */
  def charset(contentType: Option[String]): Charset =
    contentType.flatMap(parameter(_, "charset")).fold(StandardCharsets.UTF_8) { name =>
      try Charset.forName(name)
      catch { case _: IllegalArgumentException => StandardCharsets.UTF_8 }
    }

  /** Decodes bytes; malformed input becomes U+FFFD. */
  private[needletail] def decode(bytes: Array[Byte], charset: Charset): String =
    if (charset eq StandardCharsets.UTF_8) Utf8Text.decode(bytes) else new String(bytes, charset)

  /** The next semicolon outside quotes, or the end. */
  private def parameterEnd(text: String, from: Int): Int = {
    var i      = from
    var quoted = false
    while (i < text.length && (quoted || text.charAt(i) != ';')) {
      if (text.charAt(i) == '"') quoted = !quoted
      else if (quoted && text.charAt(i) == '\\') i += 1
      i += 1
    }
    Math.min(i, text.length)
  }

  private def unquoted(value: String): String =
    if (value.length < 2 || value.charAt(0) != '"' || value.charAt(value.length - 1) != '"') value
    else {
      val s = new java.lang.StringBuilder(value.length)
      var i = 1
      while (i < value.length - 1) {
        if (value.charAt(i) == '\\' && i + 1 < value.length - 1) i += 1
        s.append(value.charAt(i))
        i += 1
      }
      s.toString
    }
}
