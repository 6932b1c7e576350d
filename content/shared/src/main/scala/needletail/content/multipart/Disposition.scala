package needletail.content.multipart

import java.nio.charset.StandardCharsets.UTF_8

import needletail.http.PercentCoding
import needletail.http.text.Ascii

/** The field Content-Disposition of a part (RFC 7578 §4.2), as clients write it. */
private[multipart] object Disposition {

  /** The type in lower case, and the parameters; None if it is malformed. */
  def parse(text: String): Option[(String, List[(String, String)])] = {
    val parameters = List.newBuilder[(String, String)]
    val semicolon  = text.indexOf(';')
    val kind       = Ascii.lower((if (semicolon < 0) text else text.substring(0, semicolon)).trim)
    var i          = if (semicolon < 0) text.length else semicolon + 1
    while (i < text.length) {
      var equals = i
      while (equals < text.length && text.charAt(equals) != '=' && text.charAt(equals) != ';') equals += 1
      val name = Ascii.lower(text.substring(i, equals).trim)
      if (equals == text.length || text.charAt(equals) == ';') {
        if (name.nonEmpty) return None
        i = equals + 1
      } else {
        var from = equals + 1
        while (from < text.length && text.charAt(from) == ' ') from += 1
        if (from < text.length && text.charAt(from) == '"') {
          val value = new java.lang.StringBuilder
          var j     = from + 1
          while (j < text.length && text.charAt(j) != '"') {
            // only these are escapes: some browsers send whole paths with backslashes
            if (
              text.charAt(
                j
              ) == '\\' && j + 1 < text.length && (text.charAt(j + 1) == '"' || text.charAt(j + 1) == '\\')
            )
              j += 1
            value.append(text.charAt(j))
            j += 1
          }
          if (j >= text.length) return None
          parameters += name -> value.toString.replace("%22", "\"")
          i = text.indexOf(';', j)
          if (i < 0) i = text.length else i += 1
        } else {
          val until = text.indexOf(';', from)
          val end   = if (until < 0) text.length else until
          parameters += name -> text.substring(from, end).trim
          i = end + 1
        }
      }
    }
    Some((kind, parameters.result()))
  }

  /** The value of `filename*` (RFC 8187), which some clients send although RFC 7578 forbids it. */
  def extended(value: String): Option[String] = {
    val quote = value.indexOf('\'')
    val last  = value.indexOf('\'', quote + 1)
    if (quote < 0 || last < 0 || !value.substring(0, quote).equalsIgnoreCase("utf-8")) None
    else PercentCoding.decode(value.substring(last + 1)).toOption
  }

  def text(bytes: Array[Byte], from: Int, until: Int): String = new String(bytes, from, until - from, UTF_8)
}
