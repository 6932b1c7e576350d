package needletail.http

import java.nio.charset.{Charset, StandardCharsets}

/** The usual media types, as Content-Type values, and what can be asked of one (RFC 9110 §8.3). */
object MediaType {
  val Text  = "text/plain; charset=utf-8"
  val Html  = "text/html; charset=utf-8"
  val Json  = "application/json"
  val Form  = "application/x-www-form-urlencoded"
  val Bytes = "application/octet-stream"

  /** For each length of a value the usual types that have it, each as the one header of a response. */
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

  /** That type as the one header of a response: for the usual ones the same each time, so that it is rendered once. */
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

  /** Type and subtype in lower case, parameters left off. */
  def essence(contentType: String): String = {
    val semicolon = contentType.indexOf(';')
    Ascii.lower((if (semicolon < 0) contentType else contentType.substring(0, semicolon)).trim)
  }

  /** The value of that parameter, names compared without case, quotes taken off (RFC 9110 §5.6.6). */
  def parameter(contentType: String, name: String): Option[String] = {
    var i = contentType.indexOf(';')
    while (i >= 0 && i < contentType.length) {
      val end = parameterEnd(contentType, i + 1)
      // up to the parameter's end and no further: many without "=" must not cost the square of the value's length
      var equals = i + 1
      while (equals < end && contentType.charAt(equals) != '=') equals += 1
      if (equals < end && Ascii.same(contentType.substring(i + 1, equals).trim, name))
        return Some(unquoted(contentType.substring(equals + 1, end).trim))
      i = end
    }
    None
  }

  /** The charset parameter where it names one this platform knows, else UTF-8. */
  def charset(contentType: Option[String]): Charset =
    contentType.flatMap(parameter(_, "charset")).fold(StandardCharsets.UTF_8) { name =>
      try Charset.forName(name)
      catch { case _: IllegalArgumentException => StandardCharsets.UTF_8 }
    }

  /** Octets to text; what a charset has no character for becomes U+FFFD. */
  private[needletail] def decode(octets: Array[Byte], charset: Charset): String =
    if (charset eq StandardCharsets.UTF_8) Utf8Text.decode(octets) else new String(octets, charset)

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
