package needletail.http.text

/** The origin of a page, as browsers send it (RFC 6454 §6.2). For settings: one in another form would never match. */
private[needletail] object Origin {

  /** What error messages say that an origin must be. */
  val form =
    "an origin as browsers send it, such as https://shop.example: lower case, no path, no default port"

  def isValid(text: String): Boolean = text == "null" || {
    val colon = text.indexOf("://")
    colon > 0 && {
      val scheme = text.substring(0, colon)
      val host   = text.substring(colon + 3)
      host.nonEmpty && text.forall(c => c > ' ' && c < 127 && !(c >= 'A' && c <= 'Z')) &&
      !host.exists(c => c == '/' || c == '?' || c == '#' || c == '@' || c == '*' || c == ',') &&
      !(scheme == "https" && host.endsWith(":443")) && !(scheme == "http" && host.endsWith(":80"))
    }
  }
}
