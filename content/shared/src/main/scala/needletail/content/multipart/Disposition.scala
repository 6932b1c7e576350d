package needletail.content.multipart

import java.nio.charset.StandardCharsets.UTF_8

import needletail.http.PercentCoding
import needletail.http.text.Ascii

/** The field Content-Disposition of a part (RFC 7578 §4.2), as clients write it. */
private[multipart] object Disposition {

  /**
   * The type in lower case, and the parameters; None if it is malformed.
   *
   * Some clients escape quotes and backslashes in values; browsers send a backslash as it is, even the last one of a value,
   * and a quote as %22 (HTML standard). A text in which a backslash stands before a quote is read with escapes if it is
   * well-formed then, otherwise without. So the parameters are always those that a browser meant; two backslashes in a row
   * are read as one, since clients that escape mean one.
   */
  def parse(text: String): Option[(String, List[(String, String)])] = {
    val semicolon = text.indexOf(';')
    val kind      = Ascii.lower((if (semicolon < 0) text else text.substring(0, semicolon)).trim)
    val from      = if (semicolon < 0) text.length else semicolon + 1
    val found     =
      if (!text.contains("\\\"")) parameters(text, from, hasEscapes = true, isStrict = false)
      else
        parameters(text, from, hasEscapes = true, isStrict = true)
          .orElse(parameters(text, from, hasEscapes = false, isStrict = true))
          .orElse(parameters(text, from, hasEscapes = true, isStrict = false))
    found.map((kind, _))
  }

  /**
   * The parameters from `start` on; None if they are malformed.
   *
   * @param isStrict whether quotes may stand only around a whole value, otherwise what follows the second one is ignored
   */
  private def parameters(
      text: String,
      start: Int,
      hasEscapes: Boolean,
      isStrict: Boolean
  ): Option[List[(String, String)]] = {
    val parameters = List.newBuilder[(String, String)]
    var i          = start
    while (i < text.length) {
      var equals = i
      while (equals < text.length && text.charAt(equals) != '=' && text.charAt(equals) != ';') equals += 1
      val name = Ascii.lower(text.substring(i, equals).trim)
      if (isStrict && name.indexOf('"') >= 0) return None
      if (equals == text.length || text.charAt(equals) == ';') {
        if (name.nonEmpty) return None
        i = equals + 1
      } else {
        var from = equals + 1
        while (from < text.length && text.charAt(from) == ' ') from += 1
        val isQuoted = from < text.length && text.charAt(from) == '"'
        val value    = new java.lang.StringBuilder
        if (isQuoted) {
          from += 1
          while (from < text.length && text.charAt(from) != '"') {
            if (hasEscapes && isEscape(text, from)) from += 1
            value.append(text.charAt(from))
            from += 1
          }
          if (from >= text.length) return None
          from += 1
        }
        val semicolon = text.indexOf(';', from)
        val until     = if (semicolon < 0) text.length else semicolon
        val rest      = text.substring(from, until).trim
        if (isStrict && (if (isQuoted) rest.nonEmpty else rest.indexOf('"') >= 0)) return None
        parameters += name -> (if (isQuoted) value.toString.replace("%22", "\"") else rest)
        i = until + 1
      }
    }
    Some(parameters.result())
  }

  /** Only these are escapes: some browsers send whole paths with backslashes. */
  private def isEscape(text: String, at: Int): Boolean =
    text.charAt(
      at
    ) == '\\' && at + 1 < text.length && (text.charAt(at + 1) == '"' || text.charAt(at + 1) == '\\')

  /** The value of `filename*` (RFC 8187), which some clients send although RFC 7578 forbids it. */
  def extended(value: String): Option[String] = {
    val quote = value.indexOf('\'')
    val last  = value.indexOf('\'', quote + 1)
    if (quote < 0 || last < 0 || !value.substring(0, quote).equalsIgnoreCase("utf-8")) None
    else PercentCoding.decode(value.substring(last + 1)).toOption
  }

  def text(bytes: Array[Byte], from: Int, until: Int): String = new String(bytes, from, until - from, UTF_8)
}
