package needletail.http

import java.nio.charset.{Charset, StandardCharsets}

/** The usual media types, as Content-Type values, and what can be asked of one (RFC 9110 §8.3). */
object MediaType {
  val Text  = "text/plain; charset=utf-8"
  val Html  = "text/html; charset=utf-8"
  val Json  = "application/json"
  val Form  = "application/x-www-form-urlencoded"
  val Bytes = "application/octet-stream"

  /** Type and subtype in lower case, parameters left off. */
  def essence(contentType: String): String = {
    val semicolon = contentType.indexOf(';')
    (if (semicolon < 0) contentType else contentType.substring(0, semicolon)).trim.toLowerCase
  }

  /** The charset parameter where it names one this platform knows, else UTF-8. */
  def charset(contentType: Option[String]): Charset = contentType match {
    case None        => StandardCharsets.UTF_8
    case Some(value) =>
      val at = value.toLowerCase.indexOf("charset=")
      if (at < 0) StandardCharsets.UTF_8
      else {
        val name = value.substring(at + 8).takeWhile(_ != ';').trim.stripPrefix("\"").stripSuffix("\"")
        try Charset.forName(name)
        catch { case _: IllegalArgumentException => StandardCharsets.UTF_8 }
      }
  }
}
